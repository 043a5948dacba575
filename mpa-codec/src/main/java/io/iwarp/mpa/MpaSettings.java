package io.iwarp.mpa;

import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an endpoint wishes for its MPA connection. Immutable, may be shared by any number of connections.
 *
 * @param requestMarkers whether the peer is asked to put markers into what it sends, our M bit (RFC 5044, section
 *     7.1.1). It says nothing about what we send: that is the peer's wish. Default false: over a plain socket the
 *     receiver gains nothing from markers and pays for taking them out. With {@link StartMode#PREAGREED} it holds for
 *     both directions.
 * @param crc whether CRC32C is asked for, our C bit. It is on in both directions if either side asks. Default true.
 *     Turn it off only where something at least as strong protects the bytes from end to end, TLS for instance: TCP's
 *     checksum lets errors through that CRC32C finds, and they would end in registered memory (RFC 5044, section 4.4). The first settings of a
 *     process that turn it off log a warning.
 * @param start how Full Operation is entered; default {@link StartMode#REQUEST_REPLY}
 * @param startupTimeout how long the whole start-up may take, from the channel becoming active to Full Operation, the
 *     application's decision about a connection request included: 1 ms to 24 h, default 10 s. It bounds how long a
 *     silent peer holds a connection.
 * @param emss the effective maximum segment size to derive the MULPDU from, in bytes, 1 to 65535, or 0 (default) to
 *     derive it from what the transport tells
 * @param maximumUlpdu upper limit of the MULPDU in bytes, 128 to 64768 (default), whatever the EMSS
 * @param refuseEarlyFpdus whether an initiator treats bytes that arrive right behind the MPA Reply Frame as a protocol
 *     error. RFC 5044, section 7.1.2, rule 4 forbids a responder to send them, yet real responders do; the default
 *     false takes them in order as what they are, FPDUs.
 * @param revision the last MPA revision this endpoint knows, 1 or 2 (default). A responder with 2 answers plain requests
 *     plainly and enhanced ones enhanced (RFC 6581, section 10); with 1 it closes the connection on an enhanced request.
 * @param enhanced whether an initiator asks for the enhanced set-up, in revision 2, which negotiates {@code ird} and
 *     {@code ord}; default false, a plain request of revision 1. It takes four bytes of the private data.
 * @param ird how many inbound RDMA Reads and atomics of the peer this end takes at a time, 0 to 16382; default 128. With the
 *     enhanced set-up a responder takes no more than the initiator wants, and an initiator ends the connection if the
 *     responder wants more.
 * @param ord how many RDMA Reads and atomics this end has outstanding at most, 0 to 16382; default 128. With the enhanced
 *     set-up it becomes the peer's IRD where that is lower; with a plain one the ULPs see to it.
 * @param negotiateDepths whether an initiator's enhanced request states {@code ird} and {@code ord}, or leaves them to the
 *     ULPs ({@link EnhancedSetup#NOT_NEGOTIATED}); default true
 * @param peerToPeer whether an initiator asks for the peer-to-peer model, in which the responder may send before the
 *     initiator's application does (RFC 6581, section 9.2); implies {@code enhanced}; default false
 * @param readyToReceive the kinds of ready-to-receive message this end can send, as initiator, and take, as responder; at
 *     least one; default all. Unmodifiable.
 * @param firstFpduDelay how long an initiator waits between the Reply and its first FPDU, 0 (default) to 10 s. The Linux
 *     kernel's siw, as responder, can overlook an FPDU that comes within some milliseconds behind its Reply until another
 *     one follows; 10 ms are enough for it. An FPDU of the peer ends the delay.
 * @param fpduTimeout how long the rest of an FPDU may take once its first byte has come, 1 ms to 24 h, default 1 min; or 0 for
 *     ever. A peer that takes longer loses the stream. Noticed after at most twice the time. A time in which this end does not
 *     read, because a message waits for a receive, does not count.
 */
public record MpaSettings(
        boolean requestMarkers,
        boolean crc,
        StartMode start,
        Duration startupTimeout,
        int emss,
        int maximumUlpdu,
        boolean refuseEarlyFpdus,
        int revision,
        boolean enhanced,
        int ird,
        int ord,
        boolean negotiateDepths,
        boolean peerToPeer,
        Set<ReadyToReceive> readyToReceive,
        Duration firstFpduDelay,
        Duration fpduTimeout) {

    /** Default of {@link #ird()} and {@link #ord()}. */
    public static final int DEFAULT_DEPTH = 128;

    /** Smallest value of {@link #maximumUlpdu()} in bytes, the least MULPDU that MPA may offer (RFC 5044, section 3). */
    public static final int MINIMUM_MULPDU = 128;

    /** Largest value of {@link #maximumUlpdu()} in bytes, the largest ULPDU there is (RFC 5044, section 3). */
    public static final int MAXIMUM_MULPDU = 64768;

    /** Largest value of {@link #emss()} in bytes: what TCP's 16-bit MSS option can express. */
    public static final int MAXIMUM_EMSS = 65535;

    private static final Duration MINIMUM_STARTUP_TIMEOUT = Duration.ofMillis(1);
    private static final Duration MAXIMUM_STARTUP_TIMEOUT = Duration.ofHours(24);
    private static final Duration MAXIMUM_FIRST_FPDU_DELAY = Duration.ofSeconds(10);
    private static final Duration MINIMUM_FPDU_TIMEOUT = Duration.ofMillis(1);
    private static final Duration MAXIMUM_FPDU_TIMEOUT = Duration.ofHours(24);

    private static final Logger LOG = LoggerFactory.getLogger(MpaSettings.class);
    /** Whether the warning was logged: settings may be made for each connection, and a log that repeats itself is not read. */
    private static final AtomicBoolean WARNED_OF_CRC_OFF = new AtomicBoolean();

    /**
     * Checks all settings.
     *
     * @throws IllegalArgumentException if one is out of its range, or two contradict each other; the message names it,
     *     its value and the range
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
                    "emss is " + emss + " bytes, allowed are 1 to " + MAXIMUM_EMSS + ", or 0 for automatic");
        }
        if (maximumUlpdu < MINIMUM_MULPDU || maximumUlpdu > MAXIMUM_MULPDU) {
            throw new IllegalArgumentException("maximumUlpdu is " + maximumUlpdu + " bytes, allowed are "
                    + MINIMUM_MULPDU + " to " + MAXIMUM_MULPDU);
        }
        checkDepth("ird", ird);
        checkDepth("ord", ord);
        enhanced |= peerToPeer;
        checkRevision(revision, enhanced, start);
        readyToReceive = copyOf(readyToReceive);
        if (firstFpduDelay.isNegative() || firstFpduDelay.compareTo(MAXIMUM_FIRST_FPDU_DELAY) > 0) {
            throw new IllegalArgumentException(
                    "firstFpduDelay is " + firstFpduDelay + ", allowed are 0 to " + MAXIMUM_FIRST_FPDU_DELAY);
        }
        if (!fpduTimeout.isZero()
                && (fpduTimeout.compareTo(MINIMUM_FPDU_TIMEOUT) < 0
                        || fpduTimeout.compareTo(MAXIMUM_FPDU_TIMEOUT) > 0)) {
            throw new IllegalArgumentException("fpduTimeout is " + fpduTimeout + ", allowed are " + MINIMUM_FPDU_TIMEOUT
                    + " to " + MAXIMUM_FPDU_TIMEOUT + ", or 0 for none");
        }
        if (!crc && WARNED_OF_CRC_OFF.compareAndSet(false, true)) {
            LOG.warn("The settings of a connection turn CRC32C off. TCP's checksum lets errors through, and they end in"
                    + " registered memory. Use crc(true), the default, unless something as strong protects the bytes"
                    + " from end to end, such as TLS (RFC 5044, section 4.4).");
        }
    }

    private static void checkDepth(String name, int depth) {
        if (depth < 0 || depth > EnhancedSetup.MAXIMUM_DEPTH) {
            throw new IllegalArgumentException(name + " is " + depth + ", allowed are 0 to "
                    + EnhancedSetup.MAXIMUM_DEPTH + "; to leave it to the ULPs turn negotiateDepths off");
        }
    }

    private static void checkRevision(int revision, boolean enhanced, StartMode start) {
        if (revision < MpaRevisions.PLAIN || revision > MpaRevisions.ENHANCED) {
            throw new IllegalArgumentException("revision is " + revision + ", allowed are " + MpaRevisions.PLAIN
                    + " and " + MpaRevisions.ENHANCED);
        }
        if (enhanced && revision < MpaRevisions.ENHANCED) {
            throw new IllegalArgumentException("the enhanced set-up and the peer-to-peer model need revision "
                    + MpaRevisions.ENHANCED + ", but revision is " + revision);
        }
        if (enhanced && start == StartMode.PREAGREED) {
            throw new IllegalArgumentException("a pre-agreed start sends no frame that could carry the enhanced set-up;"
                    + " use REQUEST_REPLY, or turn enhanced and peerToPeer off");
        }
    }

    private static Set<ReadyToReceive> copyOf(Set<ReadyToReceive> kinds) {
        if (kinds.isEmpty()) {
            throw new IllegalArgumentException(
                    "readyToReceive is empty, at least one kind has to be in it (RFC 6581," + " section 9.2)");
        }
        return Collections.unmodifiableSet(EnumSet.copyOf(kinds));
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
                .refuseEarlyFpdus(refuseEarlyFpdus)
                .revision(revision)
                .enhanced(enhanced)
                .ird(ird)
                .ord(ord)
                .negotiateDepths(negotiateDepths)
                .peerToPeer(peerToPeer)
                .readyToReceive(readyToReceive)
                .firstFpduDelay(firstFpduDelay)
                .fpduTimeout(fpduTimeout);
    }

    /**
     * Returns these settings with plain connection requests of revision 1 and without the peer-to-peer model, for another try
     * on a new connection after {@link MpaEvent.StartupFailed#enhancedRefused()}.
     */
    public MpaSettings withoutEnhancedSetup() {
        return toBuilder().enhanced(false).peerToPeer(false).build();
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
        private int revision = MpaRevisions.ENHANCED;
        private boolean enhanced;
        private int ird = DEFAULT_DEPTH;
        private int ord = DEFAULT_DEPTH;
        private boolean negotiateDepths = true;
        private boolean peerToPeer;
        private Set<ReadyToReceive> readyToReceive = EnumSet.allOf(ReadyToReceive.class);
        private Duration firstFpduDelay = Duration.ZERO;
        private Duration fpduTimeout = Duration.ofMinutes(1);

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

        /** Sets {@link MpaSettings#emss()} in bytes, 1 to 65535, or 0 for automatic; default 0. */
        public Builder emss(int emss) {
            this.emss = emss;
            return this;
        }

        /** Sets {@link MpaSettings#maximumUlpdu()} in bytes, 128 to 64768; default 64768. */
        public Builder maximumUlpdu(int maximumUlpdu) {
            this.maximumUlpdu = maximumUlpdu;
            return this;
        }

        /** Sets {@link MpaSettings#refuseEarlyFpdus()}; default false. */
        public Builder refuseEarlyFpdus(boolean refuseEarlyFpdus) {
            this.refuseEarlyFpdus = refuseEarlyFpdus;
            return this;
        }

        /** Sets {@link MpaSettings#revision()}, 1 or 2; default 2. */
        public Builder revision(int revision) {
            this.revision = revision;
            return this;
        }

        /** Sets {@link MpaSettings#enhanced()}; default false. */
        public Builder enhanced(boolean enhanced) {
            this.enhanced = enhanced;
            return this;
        }

        /** Sets {@link MpaSettings#ird()}, 0 to 16382; default 128. */
        public Builder ird(int ird) {
            this.ird = ird;
            return this;
        }

        /** Sets {@link MpaSettings#ord()}, 0 to 16382; default 128. */
        public Builder ord(int ord) {
            this.ord = ord;
            return this;
        }

        /** Sets {@link MpaSettings#negotiateDepths()}; default true. */
        public Builder negotiateDepths(boolean negotiateDepths) {
            this.negotiateDepths = negotiateDepths;
            return this;
        }

        /** Sets {@link MpaSettings#peerToPeer()}; default false. */
        public Builder peerToPeer(boolean peerToPeer) {
            this.peerToPeer = peerToPeer;
            return this;
        }

        /** Sets {@link MpaSettings#fpduTimeout()}, 1 ms to 24 h, or 0 for none; default 1 min. */
        public Builder fpduTimeout(Duration fpduTimeout) {
            this.fpduTimeout = fpduTimeout;
            return this;
        }

        /** Sets {@link MpaSettings#firstFpduDelay()}, 0 to 10 s; default 0. */
        public Builder firstFpduDelay(Duration firstFpduDelay) {
            this.firstFpduDelay = firstFpduDelay;
            return this;
        }

        /** Sets {@link MpaSettings#readyToReceive()}, at least one kind; default all. */
        public Builder readyToReceive(Set<ReadyToReceive> readyToReceive) {
            this.readyToReceive = readyToReceive;
            return this;
        }

        /**
         * Returns the settings.
         *
         * @throws IllegalArgumentException if one is out of its range, or two contradict each other
         */
        public MpaSettings build() {
            return new MpaSettings(
                    requestMarkers,
                    crc,
                    start,
                    startupTimeout,
                    emss,
                    maximumUlpdu,
                    refuseEarlyFpdus,
                    revision,
                    enhanced,
                    ird,
                    ord,
                    negotiateDepths,
                    peerToPeer,
                    readyToReceive,
                    firstFpduDelay,
                    fpduTimeout);
        }
    }
}
