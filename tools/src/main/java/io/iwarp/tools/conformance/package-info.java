/** The conformance suite as commands. */
@NullMarked
package io.iwarp.tools.conformance;

import org.jspecify.annotations.NullMarked;
