/** The {@code iwarp} command. */
@NullMarked
package io.iwarp.tools;

import org.jspecify.annotations.NullMarked;
