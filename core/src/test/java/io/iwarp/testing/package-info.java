/**
 * What the tests of all modules share: requirement citations, golden bytes, captures of a real peer, leak detection,
 * what is logged, and reproducible randomness.
 */
@NullMarked
package io.iwarp.testing;

import org.jspecify.annotations.NullMarked;
