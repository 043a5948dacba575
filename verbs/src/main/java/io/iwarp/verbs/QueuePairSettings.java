package io.iwarp.verbs;

import io.iwarp.ddp.DdpSettings;
import io.iwarp.metrics.IwarpMetrics;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.rdmap.RdmapSettings;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a queue pair and of the layers below it. Make one with {@link #builder}.
 *
 * @param sendQueueDepth the most requests other than receives posted and not completed, 1 to 65,536; default 128. Each
 *     costs about 100 bytes once used.
 * @param receiveQueueDepth the most receives posted and not completed, 1 to 65,536; default 128
 * @param managedReceiveBytes 0, the default, if the application posts the buffers of its receives. Otherwise the queue pair
 *     takes a buffer from the channel's allocator for each message, which may have that many bytes, up to 2^31 - 1; the
 *     application gets the buffer with the completion, and has to release it. As many messages as the receive queue is
 *     deep may be incomplete, or wait in a completion queue; an idle queue pair holds no buffer.
 * @param maximumOutstandingBytes the most bytes that all Sends, Writes, Reads and atomics posted and not completed may
 *     have together, 1 to 2^63 - 1; default 2^63 - 1, which is no limit but that of the depth. It bounds how much local memory
 *     a peer can tie up that takes or answers slowly.
 * @param maximumSetups the most connections of one responder ({@code IwarpChannelInitializer}) that may be in set-up at a
 *     time, 1 to 1,048,576; default 16,384. One more is closed at once. It bounds what silent peers cost until the start-up
 *     timeout: a channel and a queue pair each.
 * @param receiveWait how long a message of the peer that finds no receive waits for one, 1 ms to 1 min, or 0. With 0, the
 *     default, it ends the stream at once, as RFC 5041 section 7.1 has it. During a wait nothing is read from the connection:
 *     what was read already is kept, and TCP makes the peer wait with all it sends, answers to Reads included; if no receive
 *     is posted in time, the stream ends. A peer that is cut off meanwhile is noticed after the wait.
 * @param closeWithPeer whether to close in order when the peer closes its half of the connection; default true. Without
 *     it a queue pair whose peer has gone in order stays open for sending until the application closes it.
 * @param idleTimeout ends the stream in order when no FPDU was sent or received for this time, 1 ms to 24 h, or 0 (default)
 *     for never. It takes up to twice as long to be noticed. A peer that lives and has nothing to say needs a shorter {@code
 *     keepAliveInterval}.
 * @param keepAliveInterval sends an RDMA Write of no bytes when nothing was sent for this time, 1 ms to 24 h, or 0
 *     (default) for never. The protocols have no message for it, and this one changes nothing at the peer. A peer that is
 *     gone is then noticed when TCP gives up sending; the channel option {@code SO_KEEPALIVE} does the same below.
 * @param mpa settings of MPA: markers, CRC, start-up
 * @param ddp settings of DDP: how much may be on its way
 * @param rdmap settings of RDMAP: how long an orderly close and an answer may take, whether the extensions are offered
 * @param metrics where its queue pairs are counted; default null, which is nowhere and costs nothing
 */
public record QueuePairSettings(
        int sendQueueDepth,
        int receiveQueueDepth,
        int managedReceiveBytes,
        long maximumOutstandingBytes,
        int maximumSetups,
        Duration receiveWait,
        boolean closeWithPeer,
        Duration idleTimeout,
        Duration keepAliveInterval,
        MpaSettings mpa,
        DdpSettings ddp,
        RdmapSettings rdmap,
        @Nullable IwarpMetrics metrics) {
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(1);
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);
    private static final int GREATEST_DEPTH = 65_536;
    private static final int GREATEST_SETUPS = 1 << 20;
    private static final Duration LONGEST_QUIET = Duration.ofHours(24);

    /** The default settings. */
    public static final QueuePairSettings DEFAULT = builder().build();

    /** Checks the ranges. */
    public QueuePairSettings {
        checkDepth("sendQueueDepth", sendQueueDepth);
        checkDepth("receiveQueueDepth", receiveQueueDepth);
        if (managedReceiveBytes < 0) {
            throw new IllegalArgumentException("managedReceiveBytes " + managedReceiveBytes
                    + " is negative: give the length of the longest message, or 0 to post receives");
        }
        if (maximumOutstandingBytes < 1) {
            throw new IllegalArgumentException(
                    "maximumOutstandingBytes " + maximumOutstandingBytes + " is outside 1 to " + Long.MAX_VALUE);
        }
        if (maximumSetups < 1 || maximumSetups > GREATEST_SETUPS) {
            throw new IllegalArgumentException(
                    "maximumSetups " + maximumSetups + " is outside 1 to " + GREATEST_SETUPS);
        }
        checkPause("receiveWait", receiveWait, LONGEST_WAIT);
        checkPause("idleTimeout", idleTimeout, LONGEST_QUIET);
        checkPause("keepAliveInterval", keepAliveInterval, LONGEST_QUIET);
    }

    private static void checkPause(String name, Duration pause, Duration longest) {
        if (!pause.isZero() && (pause.compareTo(SHORTEST_PAUSE) < 0 || pause.compareTo(longest) > 0)) {
            throw new IllegalArgumentException(
                    name + " " + pause + " is neither 0 nor within " + SHORTEST_PAUSE + " to " + longest);
        }
    }

    private static void checkDepth(String name, int depth) {
        if (depth < 1 || depth > GREATEST_DEPTH) {
            throw new IllegalArgumentException(name + " " + depth + " is outside 1 to " + GREATEST_DEPTH);
        }
    }

    /** {@return these settings with others for MPA} */
    QueuePairSettings withMpa(MpaSettings settings) {
        return new QueuePairSettings(
                sendQueueDepth,
                receiveQueueDepth,
                managedReceiveBytes,
                maximumOutstandingBytes,
                maximumSetups,
                receiveWait,
                closeWithPeer,
                idleTimeout,
                keepAliveInterval,
                settings,
                ddp,
                rdmap,
                metrics);
    }

    /** {@return a builder that holds the defaults} */
    public static Builder builder() {
        return new Builder();
    }

    /** Collects settings; not safe for use by several threads. */
    public static final class Builder {
        private static final int DEFAULT_DEPTH = 128;
        private static final int DEFAULT_SETUPS = 16_384;

        private int sendQueueDepth = DEFAULT_DEPTH;
        private int receiveQueueDepth = DEFAULT_DEPTH;
        private int managedReceiveBytes;
        private long maximumOutstandingBytes = Long.MAX_VALUE;
        private int maximumSetups = DEFAULT_SETUPS;
        private Duration receiveWait = Duration.ZERO;
        private boolean closeWithPeer = true;
        private Duration idleTimeout = Duration.ZERO;
        private Duration keepAliveInterval = Duration.ZERO;
        private MpaSettings mpa = MpaSettings.defaults();
        private DdpSettings ddp = DdpSettings.DEFAULT;
        private RdmapSettings rdmap = RdmapSettings.DEFAULT;

        private @Nullable IwarpMetrics metrics;

        private Builder() {}

        /** Sets {@link QueuePairSettings#sendQueueDepth}. */
        public Builder sendQueueDepth(int depth) {
            sendQueueDepth = depth;
            return this;
        }

        /** Sets {@link QueuePairSettings#receiveQueueDepth}. */
        public Builder receiveQueueDepth(int depth) {
            receiveQueueDepth = depth;
            return this;
        }

        /** Sets {@link QueuePairSettings#managedReceiveBytes}. */
        public Builder managedReceiveBytes(int bytes) {
            managedReceiveBytes = bytes;
            return this;
        }

        /** Sets {@link QueuePairSettings#maximumOutstandingBytes}. */
        public Builder maximumOutstandingBytes(long bytes) {
            maximumOutstandingBytes = bytes;
            return this;
        }

        /** Sets {@link QueuePairSettings#maximumSetups}. */
        public Builder maximumSetups(int setups) {
            maximumSetups = setups;
            return this;
        }

        /** Sets {@link QueuePairSettings#receiveWait}. */
        public Builder receiveWait(Duration wait) {
            receiveWait = wait;
            return this;
        }

        /** Sets {@link QueuePairSettings#closeWithPeer}. */
        public Builder closeWithPeer(boolean close) {
            closeWithPeer = close;
            return this;
        }

        /** Sets {@link QueuePairSettings#idleTimeout}. */
        public Builder idleTimeout(Duration timeout) {
            idleTimeout = timeout;
            return this;
        }

        /** Sets {@link QueuePairSettings#keepAliveInterval}. */
        public Builder keepAliveInterval(Duration interval) {
            keepAliveInterval = interval;
            return this;
        }

        /** Sets {@link QueuePairSettings#mpa}. */
        public Builder mpa(MpaSettings settings) {
            mpa = settings;
            return this;
        }

        /** Sets {@link QueuePairSettings#ddp}. */
        public Builder ddp(DdpSettings settings) {
            ddp = settings;
            return this;
        }

        /** Sets {@link QueuePairSettings#rdmap}. */
        public Builder rdmap(RdmapSettings settings) {
            rdmap = settings;
            return this;
        }

        /** Sets {@link QueuePairSettings#metrics}. */
        public Builder metrics(IwarpMetrics collector) {
            metrics = collector;
            return this;
        }

        /**
         * {@return the settings}
         *
         * @throws IllegalArgumentException if one is out of its range
         */
        public QueuePairSettings build() {
            return new QueuePairSettings(
                    sendQueueDepth,
                    receiveQueueDepth,
                    managedReceiveBytes,
                    maximumOutstandingBytes,
                    maximumSetups,
                    receiveWait,
                    closeWithPeer,
                    idleTimeout,
                    keepAliveInterval,
                    mpa,
                    ddp,
                    rdmap,
                    metrics);
        }
    }
}
