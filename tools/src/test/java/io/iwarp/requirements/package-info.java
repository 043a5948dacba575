/** Keeps {@code docs/conformance.md}, the hand-written table of requirements, true to what the tests cite. */
@NullMarked
package io.iwarp.requirements;

import org.jspecify.annotations.NullMarked;
