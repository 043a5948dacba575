/** Measurements. */
@NullMarked
package io.iwarp.tools.perf;

import org.jspecify.annotations.NullMarked;
