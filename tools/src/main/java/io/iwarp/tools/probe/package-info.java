/** Finds out what listens at an address. */
@NullMarked
package io.iwarp.tools.probe;

import org.jspecify.annotations.NullMarked;
