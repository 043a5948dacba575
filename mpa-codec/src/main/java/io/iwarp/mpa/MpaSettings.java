package io.iwarp.mpa;

import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What an endpoint asks for in its MPA connections. Make one with {@link #builder()}. Immutable; any number of
 * connections may share it.
 */
public final class MpaSettings {
    /** Default of {@link #ird()} and {@link #ord()}. */
    public static final int DEFAULT_DEPTH = 128;

    /** Smallest value of {@link #maximumUlpdu()} in bytes, the smallest MULPDU that MPA may offer (RFC 5044, section 3). */
    public static final int MIN_MULPDU = 128;

    /** Largest value of {@link #maximumUlpdu()} in bytes, the largest possible ULPDU (RFC 5044, section 3). */
    public static final int MAX_MULPDU = 64768;

    /** Largest value of {@link #emss()} in bytes: what TCP's 16-bit MSS option can express. */
    public static final int MAX_EMSS = 65535;

    private final boolean requestMarkers;
    private final boolean crc;
    private final StartMode start;
    private final Duration startupTimeout;
    private final int emss;
    private final int maximumUlpdu;
    private final boolean refuseEarlyFpdus;
    private final int revision;
    private final boolean enhanced;
    private final int ird;
    private final int ord;
    private final boolean negotiateDepths;
    private final boolean peerToPeer;
    private final Set<ReadyToReceive> readyToReceive;
    private final Duration firstFpduDelay;
    private final Duration fpduTimeout;

    private MpaSettings(Builder builder) {
        requestMarkers = builder.requestMarkers;
        crc = builder.crc;
        start = Objects.requireNonNull(builder.start, "start");
        startupTimeout = Objects.requireNonNull(builder.startupTimeout, "startupTimeout");
        emss = builder.emss;
        maximumUlpdu = builder.maximumUlpdu;
        refuseEarlyFpdus = builder.refuseEarlyFpdus;
        revision = builder.revision;
        enhanced = builder.enhanced || builder.peerToPeer;
        ird = builder.ird;
        ord = builder.ord;
        negotiateDepths = builder.negotiateDepths;
        peerToPeer = builder.peerToPeer;
        readyToReceive = MpaSettingsRules.copyOf(builder.readyToReceive);
        firstFpduDelay = builder.firstFpduDelay;
        fpduTimeout = builder.fpduTimeout;
        MpaSettingsRules.checkStartupTimeout(startupTimeout);
        MpaSettingsRules.checkSizes(emss, maximumUlpdu);
        MpaSettingsRules.checkDepths(ird, ord);
        MpaSettingsRules.checkRevision(revision, enhanced, start);
        MpaSettingsRules.checkFpduTimes(firstFpduDelay, fpduTimeout);
        MpaSettingsRules.warnOfCrcOff(crc);
    }

    /** Returns the settings with every default: CRC on, no markers requested, Request and Reply exchanged. */
    public static MpaSettings defaults() {
        return builder().build();
    }

    /** Returns a builder with every default. */
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
     * Returns these settings with plain connection requests of revision 1 and without the peer-to-peer model, for
     * another attempt on a new connection after {@link MpaEvent.StartupFailed#enhancedRefused()}.
     */
    public MpaSettings withoutEnhancedSetup() {
        return toBuilder().enhanced(false).peerToPeer(false).build();
    }

    /**
     * Returns whether the peer is asked to put markers into what it sends, the M bit of this end (RFC 5044, section
     * 7.1.1). Default false. The peer decides whether this end sends markers. Over a socket, a receiver gains nothing
     * from markers and has to remove them. With {@link StartMode#PREAGREED} the setting applies to both directions.
     */
    public boolean requestMarkers() {
        return requestMarkers;
    }

    /**
     * Returns whether this end asks for CRC32C, the C bit. Default true. It is on in both directions if either side
     * asks.
     *
     * <p>Turn it off only if something as strong protects the bytes from end to end, such as TLS. TCP's checksum
     * misses errors that CRC32C finds, and those errors would reach registered memory (RFC 5044, section 4.4). The
     * first settings of a process that turn it off log a warning.
     */
    public boolean crc() {
        return crc;
    }

    /** Returns how Full Operation is entered. Default {@link StartMode#REQUEST_REPLY}. */
    public StartMode start() {
        return start;
    }

    /**
     * Returns how long the whole start-up may take, including the decision about a connection request: 1 ms to 24 h,
     * default 10 s. It limits how long a silent peer holds a connection.
     */
    public Duration startupTimeout() {
        return startupTimeout;
    }

    /** Returns the EMSS to derive the MULPDU from, 1 to 65535 bytes; or 0, the default, for the transport's own. */
    public int emss() {
        return emss;
    }

    /** Returns the upper limit of the MULPDU in bytes, 128 to 64768 (default), whatever the EMSS. */
    public int maximumUlpdu() {
        return maximumUlpdu;
    }

    /**
     * Returns whether an initiator treats bytes that arrive directly after the MPA Reply Frame as a protocol error.
     * Default false: it handles them as FPDUs. RFC 5044, section 7.1.2, rule 4 forbids a responder to send them, but
     * some responders do.
     */
    public boolean refuseEarlyFpdus() {
        return refuseEarlyFpdus;
    }

    /**
     * Returns the highest MPA revision that this end supports, 1 or 2 (default). A responder with 2 answers plain
     * requests with plain replies and enhanced requests with enhanced replies (RFC 6581, section 10). With 1 it closes
     * the connection on an enhanced request.
     */
    public int revision() {
        return revision;
    }

    /**
     * Returns whether an initiator asks for the enhanced set-up of revision 2, which negotiates {@link #ird()} and
     * {@link #ord()}. Default false: a plain request of revision 1. The enhanced set-up takes four bytes of the
     * private data.
     */
    public boolean enhanced() {
        return enhanced;
    }

    /**
     * Returns the maximum number of RDMA Reads and atomics of the peer that this end accepts at a time, 0 to 16382,
     * default 128. With the enhanced set-up, a responder accepts no more than the initiator asks for, and an initiator
     * ends the connection if the responder asks for more.
     */
    public int ird() {
        return ird;
    }

    /**
     * Returns the maximum number of RDMA Reads and atomics that this end has outstanding, 0 to 16382, default 128.
     * With the enhanced set-up it is lowered to the peer's IRD. With a plain set-up the ULPs have to agree.
     */
    public int ord() {
        return ord;
    }

    /**
     * Returns whether an initiator's enhanced request states {@link #ird()} and {@link #ord()}. Default true.
     * Otherwise it leaves them to the ULPs ({@link EnhancedSetup#NOT_NEGOTIATED}).
     */
    public boolean negotiateDepths() {
        return negotiateDepths;
    }

    /**
     * Returns whether an initiator asks for the peer-to-peer model, in which the responder may send before the
     * initiator's application does (RFC 6581, section 9.2). Default false. It implies {@link #enhanced()}.
     */
    public boolean peerToPeer() {
        return peerToPeer;
    }

    /** Returns the kinds of ready-to-receive message that this end can send and accept. Default all. Unmodifiable. */
    public Set<ReadyToReceive> readyToReceive() {
        return readyToReceive;
    }

    /**
     * Returns how long an initiator waits between the Reply and its first FPDU, 0 (default) to 10 s. The siw of Linux,
     * as responder, can overlook an FPDU that arrives within some milliseconds after its Reply, until another FPDU
     * follows. A delay of 10 ms avoids this. An FPDU of the peer ends the delay.
     */
    public Duration firstFpduDelay() {
        return firstFpduDelay;
    }

    /**
     * Returns how long the rest of an FPDU may take to arrive after its first byte, 1 ms to 24 h, default 1 min; or 0
     * for no limit. Then the stream ends, after at most twice the time. Time during which this end does not read,
     * because a message waits for a receive, does not count.
     */
    public Duration fpduTimeout() {
        return fpduTimeout;
    }

    private Map<String, Object> values() {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("requestMarkers", requestMarkers);
        values.put("crc", crc);
        values.put("start", start);
        values.put("startupTimeout", startupTimeout);
        values.put("emss", emss);
        values.put("maximumUlpdu", maximumUlpdu);
        values.put("refuseEarlyFpdus", refuseEarlyFpdus);
        values.put("revision", revision);
        values.put("enhanced", enhanced);
        values.put("ird", ird);
        values.put("ord", ord);
        values.put("negotiateDepths", negotiateDepths);
        values.put("peerToPeer", peerToPeer);
        values.put("readyToReceive", readyToReceive);
        values.put("firstFpduDelay", firstFpduDelay);
        values.put("fpduTimeout", fpduTimeout);
        return values;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof MpaSettings that && values().equals(that.values());
    }

    @Override
    public int hashCode() {
        return values().hashCode();
    }

    /** Returns all settings with their names, in one line. */
    @Override
    public String toString() {
        return "MpaSettings" + values();
    }

    /** Collects settings. {@link #build()} checks them. Not thread-safe. */
    public static final class Builder {
        private boolean requestMarkers;
        private boolean crc = true;
        private StartMode start = StartMode.REQUEST_REPLY;
        private Duration startupTimeout = Duration.ofSeconds(10);
        private int emss;
        private int maximumUlpdu = MAX_MULPDU;
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

        /** Sets {@link MpaSettings#readyToReceive()}, at least one kind; default all. */
        public Builder readyToReceive(Set<ReadyToReceive> readyToReceive) {
            this.readyToReceive = readyToReceive;
            return this;
        }

        /** Sets {@link MpaSettings#firstFpduDelay()}, 0 to 10 s; default 0. */
        public Builder firstFpduDelay(Duration firstFpduDelay) {
            this.firstFpduDelay = firstFpduDelay;
            return this;
        }

        /** Sets {@link MpaSettings#fpduTimeout()}, 1 ms to 24 h, or 0 for none; default 1 min. */
        public Builder fpduTimeout(Duration fpduTimeout) {
            this.fpduTimeout = fpduTimeout;
            return this;
        }

        /**
         * Returns the settings.
         *
         * @throws IllegalArgumentException if one is out of its range, or two contradict each other
         */
        public MpaSettings build() {
            return new MpaSettings(this);
        }
    }
}
