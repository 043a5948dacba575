/** MPA (RFC 5044, RFC 6581): start-up, FPDUs, markers and CRC32C over a byte stream. */
@NullMarked
package io.iwarp.mpa;

import org.jspecify.annotations.NullMarked;
