package io.iwarp.verbs;

import io.iwarp.ddp.DdpHandler;
import io.iwarp.internal.Setting;
import io.iwarp.internal.Settings;
import io.iwarp.metrics.IwarpMetrics;
import io.iwarp.mpa.MpaSettings;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a queue pair and of the layers below it. Create them with {@link #builder()}. Immutable; any number of
 * queue pairs may share them.
 */
public final class QueuePairSettings {
    /** The default settings. */
    public static final QueuePairSettings DEFAULT = new QueuePairSettings(Settings.DEFAULT);

    private final Settings values;

    private QueuePairSettings(Settings values) {
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

    private static final Setting<Integer> SEND_QUEUE_DEPTH = Setting.within("sendQueueDepth", 128, 1, 65_536);

    /**
     * Returns the maximum number of posted requests that have not completed, not counting receives: 1 to 65,536,
     * default 128. Each costs about 100 bytes once used.
     */
    public int sendQueueDepth() {
        return values.get(SEND_QUEUE_DEPTH);
    }

    private static final Setting<Integer> MAX_PENDING_POSTS =
            Setting.within("maxPendingPosts", 16_384, 0, PendingPosts.MAX_POSTS);

    /**
     * Returns how many posts with a future may be pending beyond {@link #sendQueueDepth()}, not counting receives: 0 to
     * 1,048,576, default 16,384. They enter the send queue in their order when earlier requests have completed, and are
     * flushed last at the end of the stream. {@link QueuePair#close} sends them as well. Beyond the limit a future
     * fails with {@link QueueFullException}. A pending post costs about 300 bytes.
     */
    public int maxPendingPosts() {
        return values.get(MAX_PENDING_POSTS);
    }

    private static final Setting<Long> MAX_PENDING_BYTES =
            Setting.within("maxPendingBytes", 64L << 20, 0L, PendingPosts.MAX_BYTES);

    /**
     * Returns the maximum number of bytes of all {@linkplain #maxPendingPosts() pending posts}, which keep the local
     * memory: 0 to 2^40, default 64 MiB. A longer request is taken if no other is pending.
     */
    public long maxPendingBytes() {
        return values.get(MAX_PENDING_BYTES);
    }

    private static final Setting<Integer> RECEIVE_QUEUE_DEPTH = Setting.within("receiveQueueDepth", 128, 1, 65_536);

    /**
     * Returns the maximum number of posted receives that have not completed, 1 to 65,536, default 128. Do not set it
     * for a queue pair with a {@link QueuePair#setSharedReceiveQueue shared receive queue}, which has a depth of its
     * own.
     */
    public int receiveQueueDepth() {
        return values.get(RECEIVE_QUEUE_DEPTH);
    }

    /** Returns whether {@link #receiveQueueDepth} was set, also to its default. */
    boolean setsReceiveQueueDepth() {
        return values.isSet(RECEIVE_QUEUE_DEPTH);
    }

    private static final Setting<Integer> MANAGED_RECEIVE_BYTES = Setting.atLeast("managedReceiveBytes", 0, 0);

    /**
     * Returns 0, the default, if the application posts the buffers of its receives. Otherwise it is the maximum message
     * length, 1 to 2^31 - 1 bytes, and the queue pair allocates a buffer for each message from the channel's allocator.
     * The application gets the buffer with the completion and must release it. The receive queue depth limits the
     * number of messages that are incomplete or wait in a completion queue. A buffer grows with what arrives, and
     * {@link io.iwarp.memory.IwarpDevice#maxManagedReceiveBytes} limits those of messages that are not delivered. When
     * it is delivered, it has at most twice the capacity that its message needs. An idle queue pair holds no buffer.
     *
     * <p>Segments of a message must arrive in ascending order without gaps, and messages one after the other, as each
     * sender over TCP sends them. Otherwise the stream ends.
     */
    public int managedReceiveBytes() {
        return values.get(MANAGED_RECEIVE_BYTES);
    }

    private static final Setting<Long> MAX_OUTSTANDING_BYTES =
            Setting.atLeast("maxOutstandingBytes", Long.MAX_VALUE, 1L);

    /**
     * Returns the maximum number of bytes of all Sends, Writes, Reads and atomics that have not completed, 1 to 2^63 -
     * 1. The default is 2^63 - 1, so that the queue depth is the only limit. The setting limits how much local memory a
     * slow peer can tie up.
     */
    public long maxOutstandingBytes() {
        return values.get(MAX_OUTSTANDING_BYTES);
    }

    private static final Setting<Integer> TRANSMIT_WINDOW = Setting.within(
            "transmitWindow", DdpHandler.DEFAULT_TRANSMIT_WINDOW, DdpHandler.MIN_TRANSMIT_WINDOW, 1 << 30);

    /**
     * Returns the maximum number of bytes of segments in MPA and the transport's queue that the kernel has not taken
     * yet: 128 KiB to 1 GiB, default 1 MiB. It limits the memory that a slow peer can tie up, whatever the length of
     * the messages. A larger window helps only if the event loop is often busy elsewhere for longer than the socket
     * needs to drain.
     */
    public int transmitWindow() {
        return values.get(TRANSMIT_WINDOW);
    }

    private static final Setting<Duration> RECEIVE_TIMEOUT =
            Setting.orZero("receiveTimeout", Duration.ZERO, Duration.ofMinutes(1));

    /**
     * Returns how long a message without a posted receive waits for one, 1 ms to 1 min; or 0, the default, which ends
     * the stream at once, as RFC 5041 section 7.1 requires.
     *
     * <p>During a wait the connection is not read. TCP flow control stops everything that the peer sends, including
     * responses to Reads. If no receive is posted in time, the stream ends. If the peer disconnects during the wait,
     * this side detects it after the wait.
     */
    public Duration receiveTimeout() {
        return values.get(RECEIVE_TIMEOUT);
    }

    private static final Setting<Boolean> CLOSE_WITH_PEER = Setting.of("closeWithPeer", true);

    /**
     * Returns whether to close gracefully when the peer closes its half of the connection. Default true. Otherwise the
     * queue pair stays open for sending until the application closes it.
     */
    public boolean closeWithPeer() {
        return values.get(CLOSE_WITH_PEER);
    }

    private static final Setting<Duration> CLOSE_TIMEOUT =
            Setting.within("closeTimeout", Duration.ofSeconds(5), Duration.ofMillis(1), Duration.ofHours(1));

    /**
     * Returns how long an orderly close, or the close after a Terminate, waits without progress before it closes the
     * connection: 1 ms to 1 h, default 5 s. A longer time gives a slow peer more time to read the last messages, but
     * the connection and its buffers may live that much longer.
     */
    public Duration closeTimeout() {
        return values.get(CLOSE_TIMEOUT);
    }

    private static final Setting<Duration> RESPONSE_TIMEOUT =
            Setting.within("responseTimeout", Duration.ofMinutes(1), Duration.ofMillis(1), Duration.ofHours(24));

    /**
     * Returns how long outstanding Reads or atomics may wait without receiving any part of a response before the stream
     * ends: 1 ms to 24 h, default 60 s. The timeout is detected after at most twice this time.
     */
    public Duration responseTimeout() {
        return values.get(RESPONSE_TIMEOUT);
    }

    private static final Setting<Duration> TRANSMIT_TIMEOUT =
            Setting.within("transmitTimeout", Duration.ofMinutes(1), Duration.ofMillis(1), Duration.ofHours(24));

    /**
     * Returns how long messages of this side may wait without the transport taking any byte before the stream ends: 1
     * ms to 24 h, default 60 s. The transport takes nothing while the peer does not read, for example because its
     * process is stopped. The timeout is detected after at most twice this time.
     */
    public Duration transmitTimeout() {
        return values.get(TRANSMIT_TIMEOUT);
    }

    private static final Setting<Duration> MESSAGE_TIMEOUT =
            Setting.within("messageTimeout", Duration.ofMinutes(1), Duration.ofMillis(1), Duration.ofHours(24));

    /**
     * Returns how long a Send may be incomplete, from its first segment on, before the stream ends: 1 ms to 24 h,
     * default 60 s. Each byte of the message extends this by the time that it takes at 64 KiB/s; nothing else that the
     * peer sends does. A wait for a receive does not count.
     */
    public Duration messageTimeout() {
        return values.get(MESSAGE_TIMEOUT);
    }

    private static final Setting<Duration> IDLE_TIMEOUT =
            Setting.orZero("idleTimeout", Duration.ZERO, Duration.ofHours(24));

    /**
     * Returns the time after which a stream is closed gracefully if no byte has been sent or received, 1 ms to 24 h; or
     * 0, the default, for never. It is detected after at most twice the time. While this side does not read, the stream
     * is not idle: the time limit of what it waits for runs instead, such as {@link #receiveTimeout()}, and none if the
     * application has turned {@code autoRead} off. A quiet peer needs a shorter {@link #keepAliveInterval()}.
     */
    public Duration idleTimeout() {
        return values.get(IDLE_TIMEOUT);
    }

    private static final Setting<Duration> KEEP_ALIVE_INTERVAL =
            Setting.orZero("keepAliveInterval", Duration.ZERO, Duration.ofHours(24));

    /**
     * Returns the time after which an RDMA Write of 0 bytes is sent if nothing else was, 1 ms to 24 h; or 0, the
     * default, for never. The protocols have no message for this purpose, and this one changes nothing at the peer. TCP
     * then notices when the peer is gone. The channel option {@code SO_KEEPALIVE} does the same in TCP.
     */
    public Duration keepAliveInterval() {
        return values.get(KEEP_ALIVE_INTERVAL);
    }

    private static final Setting<Boolean> EXTENSIONS = Setting.of("extensions", true);

    /**
     * Returns whether Atomic Operations and Immediate Data (RFC 7306) are enabled. Default true. If disabled, this end
     * refuses to post them. If a peer sends one, the stream ends with error 0/2/06, as with a peer that does not know
     * RFC 7306.
     */
    public boolean extensions() {
        return values.get(EXTENSIONS);
    }

    private static final Setting<MpaSettings> MPA = Setting.of("mpa", MpaSettings.DEFAULT);

    /** Returns the settings of MPA: markers, CRC, start-up. */
    public MpaSettings mpa() {
        return values.get(MPA);
    }

    private static final Setting<@Nullable IwarpMetrics> METRICS = Setting.optional("metrics");

    /** Returns the collector of metrics, or null, the default. Without a collector, metrics have no cost. */
    public @Nullable IwarpMetrics metrics() {
        return values.get(METRICS);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof QueuePairSettings that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    /** Returns the settings that differ from their defaults, with their names, in one line. */
    @Override
    public String toString() {
        return "QueuePairSettings" + values;
    }

    /**
     * Collects settings. Each method throws {@link IllegalArgumentException} if the value is outside its range; the
     * message names setting, value and range. Not thread-safe.
     */
    public static final class Builder {
        private Settings values;

        private Builder(Settings values) {
            this.values = values;
        }

        private <T extends @Nullable Object> Builder set(Setting<T> setting, T value) {
            values = values.with(setting, value);
            return this;
        }

        /** Sets {@link QueuePairSettings#sendQueueDepth()}. */
        public Builder sendQueueDepth(int requests) {
            return set(SEND_QUEUE_DEPTH, requests);
        }

        /** Sets {@link QueuePairSettings#maxPendingPosts()}. */
        public Builder maxPendingPosts(int posts) {
            return set(MAX_PENDING_POSTS, posts);
        }

        /** Sets {@link QueuePairSettings#maxPendingBytes()}. */
        public Builder maxPendingBytes(long bytes) {
            return set(MAX_PENDING_BYTES, bytes);
        }

        /** Sets {@link QueuePairSettings#receiveQueueDepth()}. */
        public Builder receiveQueueDepth(int receives) {
            return set(RECEIVE_QUEUE_DEPTH, receives);
        }

        /** Sets {@link QueuePairSettings#managedReceiveBytes()}. */
        public Builder managedReceiveBytes(int bytes) {
            return set(MANAGED_RECEIVE_BYTES, bytes);
        }

        /** Sets {@link QueuePairSettings#maxOutstandingBytes()}. */
        public Builder maxOutstandingBytes(long bytes) {
            return set(MAX_OUTSTANDING_BYTES, bytes);
        }

        /** Sets {@link QueuePairSettings#transmitWindow()}. */
        public Builder transmitWindow(int bytes) {
            return set(TRANSMIT_WINDOW, bytes);
        }

        /** Sets {@link QueuePairSettings#receiveTimeout()}. */
        public Builder receiveTimeout(Duration time) {
            return set(RECEIVE_TIMEOUT, time);
        }

        /** Sets {@link QueuePairSettings#closeWithPeer()}. */
        public Builder closeWithPeer(boolean on) {
            return set(CLOSE_WITH_PEER, on);
        }

        /** Sets {@link QueuePairSettings#closeTimeout()}. */
        public Builder closeTimeout(Duration time) {
            return set(CLOSE_TIMEOUT, time);
        }

        /** Sets {@link QueuePairSettings#responseTimeout()}. */
        public Builder responseTimeout(Duration time) {
            return set(RESPONSE_TIMEOUT, time);
        }

        /** Sets {@link QueuePairSettings#transmitTimeout()}. */
        public Builder transmitTimeout(Duration time) {
            return set(TRANSMIT_TIMEOUT, time);
        }

        /** Sets {@link QueuePairSettings#messageTimeout()}. */
        public Builder messageTimeout(Duration time) {
            return set(MESSAGE_TIMEOUT, time);
        }

        /** Sets {@link QueuePairSettings#idleTimeout()}. */
        public Builder idleTimeout(Duration time) {
            return set(IDLE_TIMEOUT, time);
        }

        /** Sets {@link QueuePairSettings#keepAliveInterval()}. */
        public Builder keepAliveInterval(Duration time) {
            return set(KEEP_ALIVE_INTERVAL, time);
        }

        /** Sets {@link QueuePairSettings#extensions()}. */
        public Builder extensions(boolean on) {
            return set(EXTENSIONS, on);
        }

        /** Sets {@link QueuePairSettings#mpa()}. */
        public Builder mpa(MpaSettings settings) {
            return set(MPA, settings);
        }

        /** Sets {@link QueuePairSettings#metrics()}. */
        public Builder metrics(IwarpMetrics collector) {
            return set(METRICS, collector);
        }

        /** Returns the settings. */
        public QueuePairSettings build() {
            return new QueuePairSettings(values);
        }
    }
}
