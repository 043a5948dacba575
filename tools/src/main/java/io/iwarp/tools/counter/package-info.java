/** Shared numbers, changed by atomics and under a lock. */
@NullMarked
package io.iwarp.tools.counter;

import org.jspecify.annotations.NullMarked;
