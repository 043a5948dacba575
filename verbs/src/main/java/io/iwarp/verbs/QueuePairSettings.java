package io.iwarp.verbs;

import io.iwarp.ddp.DdpSettings;
import io.iwarp.metrics.IwarpMetrics;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.rdmap.RdmapSettings;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a queue pair and of the layers below it. Create them with {@link #builder()}. Immutable; any number of
 * queue pairs may share them.
 */
public final class QueuePairSettings {
    private static final Duration MIN_PAUSE = Duration.ofMillis(1);
    private static final Duration MAX_RECEIVE_WAIT = Duration.ofMinutes(1);
    private static final int MAX_DEPTH = 65_536;
    private static final int MAX_WAITING_POSTS = 1 << 20;
    private static final int MAX_SETUPS = 1 << 20;
    private static final Duration MAX_QUIET = Duration.ofHours(24);

    /** The default settings. */
    public static final QueuePairSettings DEFAULT = builder().build();

    private final int sendQueueDepth;
    private final int maximumWaitingPosts;
    private final int receiveQueueDepth;
    private final int managedReceiveBytes;
    private final long maximumOutstandingBytes;
    private final int maximumSetups;
    private final Duration receiveWait;
    private final boolean closeWithPeer;
    private final Duration idleTimeout;
    private final Duration keepAliveInterval;
    private final MpaSettings mpa;
    private final DdpSettings ddp;
    private final RdmapSettings rdmap;
    private final @Nullable IwarpMetrics metrics;

    private QueuePairSettings(Builder builder) {
        sendQueueDepth = builder.sendQueueDepth;
        maximumWaitingPosts = builder.maximumWaitingPosts;
        receiveQueueDepth = builder.receiveQueueDepth;
        managedReceiveBytes = builder.managedReceiveBytes;
        maximumOutstandingBytes = builder.maximumOutstandingBytes;
        maximumSetups = builder.maximumSetups;
        receiveWait = builder.receiveWait;
        closeWithPeer = builder.closeWithPeer;
        idleTimeout = builder.idleTimeout;
        keepAliveInterval = builder.keepAliveInterval;
        mpa = Objects.requireNonNull(builder.mpa, "mpa");
        ddp = Objects.requireNonNull(builder.ddp, "ddp");
        rdmap = Objects.requireNonNull(builder.rdmap, "rdmap");
        metrics = builder.metrics;
        checkDepth("sendQueueDepth", sendQueueDepth);
        checkDepth("receiveQueueDepth", receiveQueueDepth);
        if (maximumWaitingPosts < 0 || maximumWaitingPosts > MAX_WAITING_POSTS) {
            throw new IllegalArgumentException(
                    "maximumWaitingPosts " + maximumWaitingPosts + " is outside 0 to " + MAX_WAITING_POSTS);
        }
        if (managedReceiveBytes < 0) {
            throw new IllegalArgumentException("managedReceiveBytes " + managedReceiveBytes
                    + " is negative: give the length of the longest message, or 0 to post receives");
        }
        if (maximumOutstandingBytes < 1) {
            throw new IllegalArgumentException(
                    "maximumOutstandingBytes " + maximumOutstandingBytes + " is outside 1 to " + Long.MAX_VALUE);
        }
        if (maximumSetups < 1 || maximumSetups > MAX_SETUPS) {
            throw new IllegalArgumentException("maximumSetups " + maximumSetups + " is outside 1 to " + MAX_SETUPS);
        }
        checkPause("receiveWait", receiveWait, MAX_RECEIVE_WAIT);
        checkPause("idleTimeout", idleTimeout, MAX_QUIET);
        checkPause("keepAliveInterval", keepAliveInterval, MAX_QUIET);
    }

    private static void checkPause(String name, Duration pause, Duration longest) {
        if (!pause.isZero() && (pause.compareTo(MIN_PAUSE) < 0 || pause.compareTo(longest) > 0)) {
            throw new IllegalArgumentException(
                    name + " " + pause + " is neither 0 nor within " + MIN_PAUSE + " to " + longest);
        }
    }

    private static void checkDepth(String name, int depth) {
        if (depth < 1 || depth > MAX_DEPTH) {
            throw new IllegalArgumentException(name + " " + depth + " is outside 1 to " + MAX_DEPTH);
        }
    }

    /** Returns a builder with every default. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns a builder that starts with these settings. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /**
     * Returns the maximum number of posted requests that have not completed, not counting receives: 1 to 65,536,
     * default 128. Each costs about 100 bytes once used.
     */
    public int sendQueueDepth() {
        return sendQueueDepth;
    }

    /**
     * Returns how many posts may wait beyond {@link #sendQueueDepth()}, not counting receives: 0 to 1,048,576. With 0, the
     * default, such a post fails. A waiting post goes on when an earlier request has completed. All posts have one order. {@link QueuePair#close} sends the waiting ones as
     * well. At the end of the stream they are flushed behind the others, with the same cause.
     * {@link #maximumOutstandingBytes()} limits their bytes. A completion queue needs
     * room for them. A place costs about 12 bytes, and about 100 more once used.
     */
    public int maximumWaitingPosts() {
        return maximumWaitingPosts;
    }

    /** Returns the maximum number of posted receives that have not completed, 1 to 65,536, default 128. */
    public int receiveQueueDepth() {
        return receiveQueueDepth;
    }

    /**
     * Returns 0, the default, if the application posts the buffers of its receives. Otherwise it is the maximum message
     * length, 1 to 2^31 - 1 bytes, and the queue pair allocates a buffer for each message from the channel's allocator.
     * The application gets the buffer with the completion and must release it. The receive queue depth limits the
     * number of messages that are incomplete or wait in a completion queue. A buffer grows with what arrives, and
     * {@link io.iwarp.memory.IwarpDevice#maximumManagedReceiveBytes} limits those of messages that are not delivered. An
     * idle queue pair holds no buffer.
     */
    public int managedReceiveBytes() {
        return managedReceiveBytes;
    }

    /**
     * Returns the maximum number of bytes of all Sends, Writes, Reads and atomics that have not completed, 1 to 2^63 -
     * 1. The default is 2^63 - 1, so that only the queue depth limits. The setting limits how much local memory a slow
     * peer can tie up.
     */
    public long maximumOutstandingBytes() {
        return maximumOutstandingBytes;
    }

    /**
     * Returns the maximum number of connections of one responder ({@code IwarpChannelInitializer}) in set-up at a time,
     * 1 to 1,048,576, default 16,384. The responder closes further connections at once. This limits the cost of silent
     * peers until the start-up timeout: a channel and a queue pair each.
     */
    public int maximumSetups() {
        return maximumSetups;
    }

    /**
     * Returns how long a message without a posted receive waits for one, 1 ms to 1 min; or 0, the default, which ends
     * the stream at once, as RFC 5041 section 7.1 requires.
     *
     * <p>During a wait the connection is not read. TCP flow control stops everything that the peer sends, including
     * answers to Reads. If no receive is posted in time, the stream ends. If the peer disconnects during the wait, this
     * side detects it after the wait.
     */
    public Duration receiveWait() {
        return receiveWait;
    }

    /**
     * Returns whether to close in order when the peer closes its half of the connection. Default true. Otherwise the
     * queue pair stays open for sending until the application closes it.
     */
    public boolean closeWithPeer() {
        return closeWithPeer;
    }

    /**
     * Returns the time after which a stream without any sent or received FPDU ends in order, 1 ms to 24 h; or 0, the
     * default, for never. It is detected after at most twice the time. A quiet peer needs a shorter
     * {@link #keepAliveInterval()}.
     */
    public Duration idleTimeout() {
        return idleTimeout;
    }

    /**
     * Returns the time after which an RDMA Write of 0 bytes is sent if nothing else was, 1 ms to 24 h; or 0, the
     * default, for never. The protocols have no message for this purpose, and this one changes nothing at the peer.
     * TCP then notices when the peer is gone. The channel option {@code SO_KEEPALIVE} does the same in TCP.
     */
    public Duration keepAliveInterval() {
        return keepAliveInterval;
    }

    /** Returns the settings of MPA: markers, CRC, start-up. */
    public MpaSettings mpa() {
        return mpa;
    }

    /** Returns the settings of DDP: how many bytes may be in flight. */
    public DdpSettings ddp() {
        return ddp;
    }

    /**
     * Returns the settings of RDMAP: how long an orderly close and an answer may take, and whether the extensions are
     * enabled.
     */
    public RdmapSettings rdmap() {
        return rdmap;
    }

    /** Returns the collector of metrics, or null, the default. Without a collector, metrics have no cost. */
    public @Nullable IwarpMetrics metrics() {
        return metrics;
    }

    private Map<String, @Nullable Object> values() {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        values.put("sendQueueDepth", sendQueueDepth);
        values.put("maximumWaitingPosts", maximumWaitingPosts);
        values.put("receiveQueueDepth", receiveQueueDepth);
        values.put("managedReceiveBytes", managedReceiveBytes);
        values.put("maximumOutstandingBytes", maximumOutstandingBytes);
        values.put("maximumSetups", maximumSetups);
        values.put("receiveWait", receiveWait);
        values.put("closeWithPeer", closeWithPeer);
        values.put("idleTimeout", idleTimeout);
        values.put("keepAliveInterval", keepAliveInterval);
        values.put("mpa", mpa);
        values.put("ddp", ddp);
        values.put("rdmap", rdmap);
        values.put("metrics", metrics);
        return values;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof QueuePairSettings that && values().equals(that.values());
    }

    @Override
    public int hashCode() {
        return values().hashCode();
    }

    /** Returns all settings with their names, in one line. */
    @Override
    public String toString() {
        return "QueuePairSettings" + values();
    }

    /** Collects settings. {@link #build()} checks them. Not thread-safe. */
    public static final class Builder {
        private static final int DEFAULT_DEPTH = 128;
        private static final int DEFAULT_SETUPS = 16_384;

        private int sendQueueDepth = DEFAULT_DEPTH;
        private int maximumWaitingPosts;
        private int receiveQueueDepth = DEFAULT_DEPTH;
        private int managedReceiveBytes;
        private long maximumOutstandingBytes = Long.MAX_VALUE;
        private int maximumSetups = DEFAULT_SETUPS;
        private Duration receiveWait = Duration.ZERO;
        private boolean closeWithPeer = true;
        private Duration idleTimeout = Duration.ZERO;
        private Duration keepAliveInterval = Duration.ZERO;
        private MpaSettings mpa = MpaSettings.DEFAULT;
        private DdpSettings ddp = DdpSettings.DEFAULT;
        private RdmapSettings rdmap = RdmapSettings.DEFAULT;
        private @Nullable IwarpMetrics metrics;

        private Builder() {}

        private Builder(QueuePairSettings settings) {
            sendQueueDepth = settings.sendQueueDepth;
            maximumWaitingPosts = settings.maximumWaitingPosts;
            receiveQueueDepth = settings.receiveQueueDepth;
            managedReceiveBytes = settings.managedReceiveBytes;
            maximumOutstandingBytes = settings.maximumOutstandingBytes;
            maximumSetups = settings.maximumSetups;
            receiveWait = settings.receiveWait;
            closeWithPeer = settings.closeWithPeer;
            idleTimeout = settings.idleTimeout;
            keepAliveInterval = settings.keepAliveInterval;
            mpa = settings.mpa;
            ddp = settings.ddp;
            rdmap = settings.rdmap;
            metrics = settings.metrics;
        }

        /** Sets {@link QueuePairSettings#sendQueueDepth()}. */
        public Builder sendQueueDepth(int sendQueueDepth) {
            this.sendQueueDepth = sendQueueDepth;
            return this;
        }

        /** Sets {@link QueuePairSettings#maximumWaitingPosts()}. */
        public Builder maximumWaitingPosts(int maximumWaitingPosts) {
            this.maximumWaitingPosts = maximumWaitingPosts;
            return this;
        }

        /** Sets {@link QueuePairSettings#receiveQueueDepth()}. */
        public Builder receiveQueueDepth(int receiveQueueDepth) {
            this.receiveQueueDepth = receiveQueueDepth;
            return this;
        }

        /** Sets {@link QueuePairSettings#managedReceiveBytes()}. */
        public Builder managedReceiveBytes(int managedReceiveBytes) {
            this.managedReceiveBytes = managedReceiveBytes;
            return this;
        }

        /** Sets {@link QueuePairSettings#maximumOutstandingBytes()}. */
        public Builder maximumOutstandingBytes(long maximumOutstandingBytes) {
            this.maximumOutstandingBytes = maximumOutstandingBytes;
            return this;
        }

        /** Sets {@link QueuePairSettings#maximumSetups()}. */
        public Builder maximumSetups(int maximumSetups) {
            this.maximumSetups = maximumSetups;
            return this;
        }

        /** Sets {@link QueuePairSettings#receiveWait()}. */
        public Builder receiveWait(Duration receiveWait) {
            this.receiveWait = receiveWait;
            return this;
        }

        /** Sets {@link QueuePairSettings#closeWithPeer()}. */
        public Builder closeWithPeer(boolean closeWithPeer) {
            this.closeWithPeer = closeWithPeer;
            return this;
        }

        /** Sets {@link QueuePairSettings#idleTimeout()}. */
        public Builder idleTimeout(Duration idleTimeout) {
            this.idleTimeout = idleTimeout;
            return this;
        }

        /** Sets {@link QueuePairSettings#keepAliveInterval()}. */
        public Builder keepAliveInterval(Duration keepAliveInterval) {
            this.keepAliveInterval = keepAliveInterval;
            return this;
        }

        /** Sets {@link QueuePairSettings#mpa()}. */
        public Builder mpa(MpaSettings mpa) {
            this.mpa = mpa;
            return this;
        }

        /** Sets {@link QueuePairSettings#ddp()}. */
        public Builder ddp(DdpSettings ddp) {
            this.ddp = ddp;
            return this;
        }

        /** Sets {@link QueuePairSettings#rdmap()}. */
        public Builder rdmap(RdmapSettings rdmap) {
            this.rdmap = rdmap;
            return this;
        }

        /** Sets {@link QueuePairSettings#metrics()}. */
        public Builder metrics(IwarpMetrics metrics) {
            this.metrics = metrics;
            return this;
        }

        /**
         * Returns the settings.
         *
         * @throws IllegalArgumentException if a setting is out of range; the message names setting, value and range
         */
        public QueuePairSettings build() {
            return new QueuePairSettings(this);
        }
    }
}
