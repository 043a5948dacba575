/** Fuzz targets of Jazzer for everything that a peer's bytes reach. */
@NullMarked
package io.iwarp.fuzz;

import org.jspecify.annotations.NullMarked;
