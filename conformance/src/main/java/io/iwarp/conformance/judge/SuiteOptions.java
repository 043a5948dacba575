package io.iwarp.conformance.judge;

import java.time.Duration;

/**
 * How the suite talks to the peer.
 *
 * @param role what the peer is
 * @param markers whether the suite asks for markers
 * @param crc whether the suite asks for CRCs
 * @param revision the highest revision of MPA that the suite uses, 1 or 2
 * @param peerToPeer whether the suite asks for the peer-to-peer set-up as initiator
 * @param maxSize the greatest buffer that the peer takes, in bytes
 * @param slow whether to run cases that take many seconds
 * @param patience how long the peer may take for what it has to do
 * @param quiet how long the suite waits for what must not come
 * @param gap the pause between two writes that TCP is to send as two segments
 * @param firstFpduDelay the pause before the first FPDU of the suite as initiator
 */
public record SuiteOptions(
        Role role,
        boolean markers,
        boolean crc,
        int revision,
        boolean peerToPeer,
        int maxSize,
        boolean slow,
        Duration patience,
        Duration quiet,
        Duration gap,
        Duration firstFpduDelay) {
    private static final int MAX_OF_CLIENT = 1 << 20;

    /** Returns the options of a run that sets none. */
    public static SuiteOptions of(Role role) {
        return new SuiteOptions(
                role,
                false,
                true,
                2,
                false,
                role == Role.SERVER ? Case.DEFAULT_SIZE : MAX_OF_CLIENT,
                false,
                Duration.ofSeconds(5),
                Duration.ofMillis(100),
                Duration.ofMillis(3),
                Duration.ZERO);
    }

    /** Returns whether requests of the suite are those of RFC 6581. */
    public boolean enhanced() {
        return revision >= 2;
    }
}
