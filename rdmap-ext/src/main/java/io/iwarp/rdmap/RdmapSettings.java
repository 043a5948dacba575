package io.iwarp.rdmap;

import java.time.Duration;

/**
 * The settings of an RDMAP stream. The durations say how long it waits without any progress before it ends.
 *
 * @param closeTimeout during an orderly close, or after a Terminate
 * @param responseTimeout while Reads or atomics are outstanding, for a part of a response
 * @param transmitTimeout while messages of this side are not sent, for the transport to take a byte
 * @param extensions whether Atomic Operations and Immediate Data (RFC 7306) are enabled
 */
public record RdmapSettings(
        Duration closeTimeout, Duration responseTimeout, Duration transmitTimeout, boolean extensions) {}
