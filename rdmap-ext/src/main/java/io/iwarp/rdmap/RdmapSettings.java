package io.iwarp.rdmap;

import java.time.Duration;

/**
 * The settings of an RDMAP stream. The durations say how long it waits without any progress before it ends.
 *
 * @param close during an orderly close, or after a Terminate
 * @param response while Reads or atomics are unanswered, for a part of a response
 * @param transmit while messages of this side are not sent, for the transport to take a byte
 * @param extensions whether Atomic Operations and Immediate Data (RFC 7306) are enabled
 */
public record RdmapSettings(Duration close, Duration response, Duration transmit, boolean extensions) {}
