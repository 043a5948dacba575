/** Captures of the traffic for Wireshark. */
@NullMarked
package io.iwarp.tools.capture;

import org.jspecify.annotations.NullMarked;
