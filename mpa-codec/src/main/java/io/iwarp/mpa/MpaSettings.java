package io.iwarp.mpa;

import java.time.Duration;
import java.util.Objects;

/**
 * What an endpoint wishes for its MPA connection. Immutable, may be shared by any number of connections.
 *
 * @param requestMarkers whether the peer is asked to put markers into what it sends, our M bit (RFC 5044, section
 *     7.1.1). It says nothing about what we send: that is the peer's wish. Default false: over a plain socket the
 *     receiver gains nothing from markers and pays for taking them out. With {@link StartMode#PREAGREED} it holds for
 *     both directions.
 * @param crc whether CRC32C is asked for, our C bit. It is on in both directions if either side asks. Default true.
 *     Turn it off only where something at least as strong protects the octets from end to end, TLS for instance: TCP's
 *     checksum lets errors through that CRC32C finds, and they would end in registered memory (RFC 5044 section 4.4).
 *     Switch it off only where something else protects the data from end to end (RFC 5044, section 4.4), for example
 *     TLS: TCP's own checksum is too weak for that.
 * @param start how Full Operation is entered; default {@link StartMode#REQUEST_REPLY}
 * @param startupTimeout how long the whole start-up may take, from the channel becoming active to Full Operation, the
 *     application's decision about a connection request included: 1 ms to 24 h, default 10 s. It bounds how long a
 *     silent peer holds a connection.
 * @param emss the effective maximum segment size to derive the MULPDU from, in octets, 1 to 65535, or 0 (default) to
 *     derive it from what the transport tells
 * @param maximumUlpdu upper limit of the MULPDU in octets, 128 to 64768 (default), whatever the EMSS
 * @param refuseEarlyFpdus whether an initiator treats octets that arrive right behind the MPA Reply Frame as a protocol
 *     error. RFC 5044, section 7.1.2, rule 4 forbids a responder to send them, yet real responders do; the default
 *     false takes them in order as what they are, FPDUs.
 */
public record MpaSettings(
        boolean requestMarkers,
        boolean crc,
        StartMode start,
        Duration startupTimeout,
        int emss,
        int maximumUlpdu,
        boolean refuseEarlyFpdus) {

    /** Smallest value of {@link #maximumUlpdu()} in octets, the least MULPDU that MPA may offer (RFC 5044, section 3). */
    public static final int MINIMUM_MULPDU = 128;

    /** Largest value of {@link #maximumUlpdu()} in octets, the largest ULPDU there is (RFC 5044, section 3). */
    public static final int MAXIMUM_MULPDU = 64768;

    /** Largest value of {@link #emss()} in octets: what TCP's 16-bit MSS option can express. */
    public static final int MAXIMUM_EMSS = 65535;

    private static final Duration MINIMUM_STARTUP_TIMEOUT = Duration.ofMillis(1);
    private static final Duration MAXIMUM_STARTUP_TIMEOUT = Duration.ofHours(24);

    /**
     * Checks all settings.
     *
     * @throws IllegalArgumentException if one is out of its range; the message names it, its value and the range
     */
    public MpaSettings {
        Objects.requireNonNull(start, "start");
        Objects.requireNonNull(startupTimeout, "startupTimeout");
        if (startupTimeout.compareTo(MINIMUM_STARTUP_TIMEOUT) < 0
                || startupTimeout.compareTo(MAXIMUM_STARTUP_TIMEOUT) > 0) {
            throw new IllegalArgumentException("startupTimeout is " + startupTimeout + ", allowed are "
                    + MINIMUM_STARTUP_TIMEOUT + " to " + MAXIMUM_STARTUP_TIMEOUT);
        }
        if (emss < 0 || emss > MAXIMUM_EMSS) {
            throw new IllegalArgumentException(
                    "emss is " + emss + " octets, allowed are 1 to " + MAXIMUM_EMSS + ", or 0 for automatic");
        }
        if (maximumUlpdu < MINIMUM_MULPDU || maximumUlpdu > MAXIMUM_MULPDU) {
            throw new IllegalArgumentException("maximumUlpdu is " + maximumUlpdu + " octets, allowed are "
                    + MINIMUM_MULPDU + " to " + MAXIMUM_MULPDU);
        }
    }

    /** Returns the settings with every default: CRC on, no markers wished for, Request and Reply exchanged. */
    public static MpaSettings defaults() {
        return builder().build();
    }

    /** Returns a builder that starts with every default. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns a builder that starts with these settings. */
    public Builder toBuilder() {
        return builder()
                .requestMarkers(requestMarkers)
                .crc(crc)
                .start(start)
                .startupTimeout(startupTimeout)
                .emss(emss)
                .maximumUlpdu(maximumUlpdu)
                .refuseEarlyFpdus(refuseEarlyFpdus);
    }

    /** Returns these settings with plain connection requests of revision 1. */
    public MpaSettings withoutEnhancedSetup() {
        return this;
    }

    /** Collects settings; they are checked once, in {@link #build()}. Not thread-safe. */
    public static final class Builder {

        private boolean requestMarkers;
        private boolean crc = true;
        private StartMode start = StartMode.REQUEST_REPLY;
        private Duration startupTimeout = Duration.ofSeconds(10);
        private int emss;
        private int maximumUlpdu = MAXIMUM_MULPDU;
        private boolean refuseEarlyFpdus;

        private Builder() {}

        /** Sets {@link MpaSettings#requestMarkers()}; default false. */
        public Builder requestMarkers(boolean requestMarkers) {
            this.requestMarkers = requestMarkers;
            return this;
        }

        /** Sets {@link MpaSettings#crc()}; default true. */
        public Builder crc(boolean crc) {
            this.crc = crc;
            return this;
        }

        /** Sets {@link MpaSettings#start()}; default {@link StartMode#REQUEST_REPLY}. */
        public Builder start(StartMode start) {
            this.start = start;
            return this;
        }

        /** Sets {@link MpaSettings#startupTimeout()}, 1 ms to 24 h; default 10 s. */
        public Builder startupTimeout(Duration startupTimeout) {
            this.startupTimeout = startupTimeout;
            return this;
        }

        /** Sets {@link MpaSettings#emss()} in octets, 1 to 65535, or 0 for automatic; default 0. */
        public Builder emss(int emss) {
            this.emss = emss;
            return this;
        }

        /** Sets {@link MpaSettings#maximumUlpdu()} in octets, 128 to 64768; default 64768. */
        public Builder maximumUlpdu(int maximumUlpdu) {
            this.maximumUlpdu = maximumUlpdu;
            return this;
        }

        /** Sets {@link MpaSettings#refuseEarlyFpdus()}; default false. */
        public Builder refuseEarlyFpdus(boolean refuseEarlyFpdus) {
            this.refuseEarlyFpdus = refuseEarlyFpdus;
            return this;
        }

        /**
         * Returns the settings.
         *
         * @throws IllegalArgumentException if one is out of its range
         */
        public MpaSettings build() {
            return new MpaSettings(requestMarkers, crc, start, startupTimeout, emss, maximumUlpdu, refuseEarlyFpdus);
        }
    }
}
