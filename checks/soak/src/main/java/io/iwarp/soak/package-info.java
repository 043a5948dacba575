/** Checks that take long: many connections at once, and mixed load with kills. */
@NullMarked
package io.iwarp.soak;

import org.jspecify.annotations.NullMarked;
