package io.iwarp.rdmap;

import java.time.Duration;

/**
 * Settings of an RDMAP stream. Start from {@link #DEFAULT} and change what has to differ.
 *
 * @param closeTimeout how long an orderly close, or the close after a Terminate, waits without any progress before the
 *     connection is cut; default 5 s, 1 ms to 1 h. A longer time gives a slow peer more chance to read the last
 *     messages; the connection and its buffers live that much longer at worst.
 * @param responseTimeout how long the peer may send no part of an answer while Reads or atomics wait for one, before the
 *     stream is ended, which happens within twice the time; default 60 s, 1 ms to 1 day
 * @param extensions whether Atomic Operations and Immediate Data (RFC 7306) are offered; default true. Without them this
 *     end refuses to post them, and ends the stream of a peer that sends one with error 0/2/06, as a peer does that never
 *     heard of them.
 */
public record RdmapSettings(Duration closeTimeout, Duration responseTimeout, boolean extensions) {
    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST_CLOSE = Duration.ofHours(1);
    private static final Duration LONGEST_RESPONSE = Duration.ofDays(1);

    /** The default settings. */
    public static final RdmapSettings DEFAULT = new RdmapSettings(Duration.ofSeconds(5), Duration.ofSeconds(60), true);

    /** Checks the ranges. */
    public RdmapSettings {
        requireWithin("closeTimeout", closeTimeout, LONGEST_CLOSE);
        requireWithin("responseTimeout", responseTimeout, LONGEST_RESPONSE);
    }

    private static void requireWithin(String name, Duration value, Duration longest) {
        if (value.compareTo(SHORTEST) < 0 || value.compareTo(longest) > 0) {
            throw new IllegalArgumentException(name + " " + value + " is outside " + SHORTEST + " to " + longest);
        }
    }

    /** {@return these settings with another {@link #closeTimeout}} */
    public RdmapSettings withCloseTimeout(Duration timeout) {
        return new RdmapSettings(timeout, responseTimeout, extensions);
    }

    /** {@return these settings with another {@link #responseTimeout}} */
    public RdmapSettings withResponseTimeout(Duration timeout) {
        return new RdmapSettings(closeTimeout, timeout, extensions);
    }

    /** {@return these settings with {@link #extensions} on or off} */
    public RdmapSettings withExtensions(boolean offered) {
        return new RdmapSettings(closeTimeout, responseTimeout, offered);
    }
}
