package io.iwarp.mpa;

import io.iwarp.internal.Setting;
import io.iwarp.internal.Settings;
import io.iwarp.internal.mpa.EnhancedSetup;
import io.iwarp.internal.mpa.MpaRevisions;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The MPA settings of an endpoint. Create them with {@link #builder()}. Immutable; any number of connections may share
 * it.
 */
public final class MpaSettings {
    /** Smallest value of {@link #mulpdu()} in bytes, the smallest MULPDU that MPA may offer (RFC 5044 section 3). */
    public static final int MIN_MULPDU = 128;

    /** Largest value of {@link #mulpdu()} in bytes, the largest possible ULPDU (RFC 5044 section 3). */
    public static final int MAX_MULPDU = 64768;

    /** Largest value of {@link #emss()} in bytes: what TCP's 16-bit MSS option can express. */
    public static final int MAX_EMSS = 65535;

    /** The default settings: CRC on, no markers requested, Request and Reply exchanged. */
    public static final MpaSettings DEFAULT = new MpaSettings(Settings.DEFAULT);

    private static final Logger LOGGER = LoggerFactory.getLogger(MpaSettings.class);
    /** Whether the warning was logged: once, although settings may be created for each connection. */
    private static final AtomicBoolean WARNED_OF_CRC_OFF = new AtomicBoolean();

    private final Settings values;

    private MpaSettings(Settings values) {
        this.values = values;
    }

    /** Returns a builder with every default. */
    public static Builder builder() {
        return DEFAULT.toBuilder();
    }

    /** Returns a builder that starts with these settings. */
    public Builder toBuilder() {
        return new Builder(values);
    }

    /**
     * Returns these settings with plain connection requests of revision 1 and without the peer-to-peer model, for
     * another attempt on a new connection after a peer that does not know the enhanced set-up.
     */
    public MpaSettings withoutEnhancedSetup() {
        return toBuilder().enhanced(false).peerToPeer(false).build();
    }

    private static final Setting<Boolean> REQUEST_MARKERS = Setting.of("requestMarkers", false);

    /**
     * Returns whether the peer is asked to put markers into what it sends, the M bit of this end (RFC 5044 section
     * 7.1.1). Default false. The peer decides whether this end sends markers. Over a socket, a receiver gains nothing
     * from markers and has to remove them. With {@link StartMode#PREAGREED} the setting applies to both directions.
     */
    public boolean requestMarkers() {
        return values.get(REQUEST_MARKERS);
    }

    private static final Setting<Boolean> CRC = Setting.of("crc", true);

    /**
     * Returns whether this end requests CRC32C, the C bit. Default true. CRC32C is on in both directions if either side
     * requests it.
     *
     * <p>Turn it off only if something as strong protects the bytes from end to end, such as TLS. TCP's checksum misses
     * errors that CRC32C finds, and those errors would reach registered memory (RFC 5044 section 4.4). The first
     * settings of a process that turn it off log a warning.
     */
    public boolean crc() {
        return values.get(CRC);
    }

    private static final Setting<StartMode> START = Setting.of("start", StartMode.REQUEST_REPLY);

    /** Returns how Full Operation is entered. Default {@link StartMode#REQUEST_REPLY}. */
    public StartMode start() {
        return values.get(START);
    }

    private static final Setting<Duration> STARTUP_TIMEOUT =
            Setting.within("startupTimeout", Duration.ofSeconds(10), Duration.ofMillis(1), Duration.ofHours(24));

    /**
     * Returns how long the whole start-up may take, including the decision about a connection request: 1 ms to 24 h,
     * default 10 s. It limits how long a silent peer holds a connection.
     */
    public Duration startupTimeout() {
        return values.get(STARTUP_TIMEOUT);
    }

    private static final Setting<Integer> EMSS = Setting.within("emss", 0, 0, MAX_EMSS);

    /** Returns the EMSS to derive the MULPDU from, 1 to 65535 bytes; or 0, the default, for the transport's own. */
    public int emss() {
        return values.get(EMSS);
    }

    private static final Setting<Integer> MULPDU = Setting.within("mulpdu", MAX_MULPDU, MIN_MULPDU, MAX_MULPDU);

    /** Returns the upper limit of the MULPDU in bytes, 128 to 64768 (default), whatever the EMSS. */
    public int mulpdu() {
        return values.get(MULPDU);
    }

    private static final Setting<Boolean> REFUSE_EARLY_FPDUS = Setting.of("refuseEarlyFpdus", false);

    /**
     * Returns whether an initiator treats bytes that arrive directly after the MPA Reply Frame as a protocol error.
     * Default false: it handles them as FPDUs. RFC 5044 section 7.1.2, rule 4 forbids a responder to send them, but
     * some responders do.
     */
    public boolean refuseEarlyFpdus() {
        return values.get(REFUSE_EARLY_FPDUS);
    }

    private static final Setting<Integer> REVISION =
            Setting.within("revision", MpaRevisions.ENHANCED, MpaRevisions.PLAIN, MpaRevisions.ENHANCED);

    /**
     * Returns the highest MPA revision that this end supports, 1 or 2 (default). A responder with 2 replies to plain
     * requests with plain replies and enhanced requests with enhanced replies (RFC 6581 section 10). With 1 it closes
     * the connection on an enhanced request.
     */
    public int revision() {
        return values.get(REVISION);
    }

    private static final Setting<Boolean> ENHANCED = Setting.of("enhanced", false);

    /**
     * Returns whether an initiator requests the enhanced set-up of revision 2, which negotiates {@link #ird()} and
     * {@link #ord()}. Default false: a plain request of revision 1. The enhanced set-up takes four bytes of the private
     * data.
     */
    public boolean enhanced() {
        return values.get(ENHANCED);
    }

    private static final Setting<Integer> IRD = Setting.within("ird", 128, 0, EnhancedSetup.MAX_DEPTH);

    /**
     * Returns the maximum number of RDMA Reads and atomics of the peer that this end accepts at a time, 0 to 16382,
     * default 128. With the enhanced set-up, a responder accepts no more than the initiator requests, and an initiator
     * ends the connection if the responder requests more.
     */
    public int ird() {
        return values.get(IRD);
    }

    private static final Setting<Integer> ORD = Setting.within("ord", 128, 0, EnhancedSetup.MAX_DEPTH);

    /**
     * Returns the maximum number of RDMA Reads and atomics that this end has outstanding, 0 to 16382, default 128. With
     * the enhanced set-up it is lowered to the peer's IRD. With a plain set-up the ULPs have to agree.
     */
    public int ord() {
        return values.get(ORD);
    }

    private static final Setting<Boolean> NEGOTIATE_DEPTHS = Setting.of("negotiateDepths", true);

    /**
     * Returns whether an initiator's enhanced request states {@link #ird()} and {@link #ord()}. Default true. Otherwise
     * it leaves them to the ULPs ({@link MpaParameters#NOT_NEGOTIATED}).
     */
    public boolean negotiateDepths() {
        return values.get(NEGOTIATE_DEPTHS);
    }

    private static final Setting<Boolean> PEER_TO_PEER = Setting.of("peerToPeer", false);

    /**
     * Returns whether an initiator requests the peer-to-peer model, in which the responder may send before the
     * initiator's application does (RFC 6581 section 9.2). Default false. It implies {@link #enhanced()}.
     */
    public boolean peerToPeer() {
        return values.get(PEER_TO_PEER);
    }

    private static final Setting<Set<ReadyToReceive>> READY_TO_RECEIVE = Setting.of(
            "readyToReceive",
            copy(EnumSet.allOf(ReadyToReceive.class)),
            "at least one kind",
            kinds -> !kinds.isEmpty());

    /** Returns the kinds of ready-to-receive message that this end can send and accept. Default all. Unmodifiable. */
    public Set<ReadyToReceive> readyToReceive() {
        return values.get(READY_TO_RECEIVE);
    }

    private static final Setting<Duration> FIRST_FPDU_DELAY =
            Setting.within("firstFpduDelay", Duration.ZERO, Duration.ZERO, Duration.ofSeconds(10));

    /**
     * Returns how long an initiator waits between the Reply and its first FPDU, 0 (default) to 10 s. The siw of Linux,
     * as responder, can overlook an FPDU that arrives within some milliseconds after its Reply, until another FPDU
     * follows. A delay of 10 ms avoids this. An FPDU of the peer ends the delay.
     */
    public Duration firstFpduDelay() {
        return values.get(FIRST_FPDU_DELAY);
    }

    private static final Setting<Duration> FPDU_TIMEOUT =
            Setting.within("fpduTimeout", Duration.ofMinutes(1), Duration.ofMillis(1), Duration.ofHours(24));

    /**
     * Returns how long the rest of an FPDU may take to arrive after its first byte, 1 ms to 24 h, default 1 min. The
     * stream ends when this time has passed, at the latest after twice the time. Time during which this end does not
     * read, because a message waits for a receive or an FPDU for memory of the device, does not count. An application
     * that turns {@code autoRead} off in the middle of an FPDU has this time to turn it on again.
     */
    public Duration fpduTimeout() {
        return values.get(FPDU_TIMEOUT);
    }

    private static Set<ReadyToReceive> copy(Set<ReadyToReceive> kinds) {
        Set<ReadyToReceive> copy = EnumSet.noneOf(ReadyToReceive.class);
        copy.addAll(kinds);
        return Collections.unmodifiableSet(copy);
    }

    /** Refuses settings that contradict each other, and warns of those that endanger data. */
    private void check() {
        if (enhanced() && revision() < MpaRevisions.ENHANCED) {
            throw new IllegalArgumentException("the enhanced set-up and the peer-to-peer model need revision "
                    + MpaRevisions.ENHANCED + ", but revision is " + revision());
        }
        if (enhanced() && start() == StartMode.PREAGREED) {
            throw new IllegalArgumentException("a pre-agreed start sends no frame that could carry the enhanced set-up;"
                    + " use REQUEST_REPLY, or turn enhanced and peerToPeer off");
        }
        if (!crc() && WARNED_OF_CRC_OFF.compareAndSet(false, true)) {
            LOGGER.warn("The settings of a connection turn CRC32C off. TCP's checksum misses errors, which then reach"
                    + " registered memory. Use crc(true), the default, unless something as strong protects the bytes"
                    + " from end to end, such as TLS (RFC 5044 section 4.4).");
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof MpaSettings that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    /** Returns the settings that differ from their defaults, with their names, in one line. */
    @Override
    public String toString() {
        return "MpaSettings" + values;
    }

    /**
     * Collects settings. Each method throws {@link IllegalArgumentException} if the value is outside its range. Not
     * thread-safe.
     */
    public static final class Builder {
        private Settings values;

        private Builder(Settings values) {
            this.values = values;
        }

        private <T> Builder set(Setting<T> setting, T value) {
            values = values.with(setting, value);
            return this;
        }

        /** Sets {@link MpaSettings#requestMarkers()}. */
        public Builder requestMarkers(boolean on) {
            return set(REQUEST_MARKERS, on);
        }

        /** Sets {@link MpaSettings#crc()}. */
        public Builder crc(boolean on) {
            return set(CRC, on);
        }

        /** Sets {@link MpaSettings#start()}. */
        public Builder start(StartMode mode) {
            return set(START, mode);
        }

        /** Sets {@link MpaSettings#startupTimeout()}. */
        public Builder startupTimeout(Duration time) {
            return set(STARTUP_TIMEOUT, time);
        }

        /** Sets {@link MpaSettings#emss()}. */
        public Builder emss(int bytes) {
            return set(EMSS, bytes);
        }

        /** Sets {@link MpaSettings#mulpdu()}. */
        public Builder mulpdu(int bytes) {
            return set(MULPDU, bytes);
        }

        /** Sets {@link MpaSettings#refuseEarlyFpdus()}. */
        public Builder refuseEarlyFpdus(boolean on) {
            return set(REFUSE_EARLY_FPDUS, on);
        }

        /** Sets {@link MpaSettings#revision()}. */
        public Builder revision(int revision) {
            return set(REVISION, revision);
        }

        /** Sets {@link MpaSettings#enhanced()}. */
        public Builder enhanced(boolean on) {
            return set(ENHANCED, on);
        }

        /** Sets {@link MpaSettings#ird()}. */
        public Builder ird(int depth) {
            return set(IRD, depth);
        }

        /** Sets {@link MpaSettings#ord()}. */
        public Builder ord(int depth) {
            return set(ORD, depth);
        }

        /** Sets {@link MpaSettings#negotiateDepths()}. */
        public Builder negotiateDepths(boolean on) {
            return set(NEGOTIATE_DEPTHS, on);
        }

        /** Sets {@link MpaSettings#peerToPeer()}. */
        public Builder peerToPeer(boolean on) {
            return set(PEER_TO_PEER, on);
        }

        /** Sets {@link MpaSettings#readyToReceive()}. */
        public Builder readyToReceive(Set<ReadyToReceive> kinds) {
            return set(READY_TO_RECEIVE, copy(kinds));
        }

        /** Sets {@link MpaSettings#firstFpduDelay()}. */
        public Builder firstFpduDelay(Duration time) {
            return set(FIRST_FPDU_DELAY, time);
        }

        /** Sets {@link MpaSettings#fpduTimeout()}. */
        public Builder fpduTimeout(Duration time) {
            return set(FPDU_TIMEOUT, time);
        }

        /**
         * Returns the settings.
         *
         * @throws IllegalArgumentException if two contradict each other
         */
        public MpaSettings build() {
            MpaSettings settings = new MpaSettings(values.get(PEER_TO_PEER) ? values.with(ENHANCED, true) : values);
            settings.check();
            return settings;
        }
    }
}
