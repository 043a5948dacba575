/** The {@code iwarp} command. */
@NullMarked
package io.iwarp.examples;

import org.jspecify.annotations.NullMarked;
