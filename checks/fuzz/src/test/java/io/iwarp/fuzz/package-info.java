/** Fuzz targets of Jazzer for everything that a peer's octets reach. */
@NullMarked
package io.iwarp.fuzz;

import org.jspecify.annotations.NullMarked;
