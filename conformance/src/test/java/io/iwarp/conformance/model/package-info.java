/** A small peer for the tests of the suite, into which faults are planted. */
@NullUnmarked
package io.iwarp.conformance.model;

import org.jspecify.annotations.NullUnmarked;
