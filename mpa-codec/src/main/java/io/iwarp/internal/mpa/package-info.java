/** MPA (RFC 5044, RFC 6581): start-up, FPDUs, markers and CRC32C over a byte stream. */
@API(status = API.Status.INTERNAL)
@NullMarked
package io.iwarp.internal.mpa;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
