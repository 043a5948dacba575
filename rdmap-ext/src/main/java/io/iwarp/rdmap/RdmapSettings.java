package io.iwarp.rdmap;

import java.time.Duration;

/**
 * Settings of an RDMAP stream.
 *
 * @param closeTimeout how long an orderly close, or the close after a Terminate, waits without any progress before the
 *     connection is cut; default 5 s, 1 ms to 1 h. A longer time gives a slow peer more chance to read the last
 *     messages; the connection and its buffers live that much longer at worst.
 */
public record RdmapSettings(Duration closeTimeout) {
    private static final Duration DEFAULT_CLOSE_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofHours(1);

    /** The default settings. */
    public static final RdmapSettings DEFAULT = new RdmapSettings(DEFAULT_CLOSE_TIMEOUT);

    /** Checks the ranges. */
    public RdmapSettings {
        if (closeTimeout.compareTo(SHORTEST) < 0 || closeTimeout.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(
                    "closeTimeout " + closeTimeout + " is outside " + SHORTEST + " to " + LONGEST);
        }
    }
}
