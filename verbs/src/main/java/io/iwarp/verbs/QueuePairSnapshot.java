package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionState;
import io.iwarp.Counter;
import io.iwarp.Counters;
import io.iwarp.Role;
import io.iwarp.mpa.MpaParameters;
import io.netty.channel.Channel;
import java.net.SocketAddress;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The state of a queue pair at one moment, for troubleshooting. {@link #toString()} prints everything in several lines.
 *
 * <p>The parts are read one after the other while the connection continues, so they may differ slightly in time.
 */
public final class QueuePairSnapshot {
    private static final int COUNTERS_IN_A_LINE = 3;

    private final String channel;
    private final Role role;
    private final ConnectionState state;
    private final @Nullable SocketAddress localAddress;
    private final @Nullable SocketAddress remoteAddress;
    private final @Nullable MpaParameters parameters;
    private final int sendRequests;
    private final int queuedSendRequests;
    private final int sendQueueDepth;
    private final int receiveRequests;
    private final int receiveQueueDepth;
    private final String receiveUse;
    private final long outstandingReads;
    private final long outstandingPeerReads;
    private final Map<Counter, Long> counters;
    private final @Nullable CloseReason closeReason;

    static QueuePairSnapshot of(Channel channel, Role role, QueuePairEngine engine, Counters counted) {
        return new QueuePairSnapshot(channel, role, engine, counted);
    }

    private QueuePairSnapshot(Channel channel, Role role, QueuePairEngine engine, Counters counted) {
        PostedRequests sends = engine.requests();
        ReceiveSource receiveSource = engine.receiveSide().source();
        Map<Counter, Long> values = new EnumMap<>(Counter.class);
        // Read from the last counter to the first: responses are read before requests, so no difference is negative.
        Counter[] all = Counter.values();
        for (int i = all.length - 1; i >= 0; i--) {
            values.put(all[i], counted.get(all[i]));
        }
        this.channel = channel.id().asShortText();
        this.role = role;
        state = engine.state();
        localAddress = channel.localAddress();
        remoteAddress = channel.remoteAddress();
        parameters = engine.parameters();
        sendRequests = sends.outstanding();
        queuedSendRequests = sends.waitingCount();
        sendQueueDepth = sends.depth();
        receiveRequests = receiveSource.inUseCount();
        receiveQueueDepth = receiveSource.slots().depth();
        receiveUse = receiveSource.useDescription();
        outstandingReads = difference(values, Counter.READS_REQUESTED, Counter.READS_COMPLETED);
        outstandingPeerReads = difference(values, Counter.PEER_READS_ACCEPTED, Counter.PEER_READS_COMPLETED);
        counters = Collections.unmodifiableMap(values);
        closeReason = engine.closeReason();
    }

    /** Returns the short id of the channel, as log lines show it. */
    public String channel() {
        return channel;
    }

    /** Returns the role of this side in the set-up. */
    public Role role() {
        return role;
    }

    /** Returns the state of the queue pair. */
    public ConnectionState state() {
        return state;
    }

    /** Returns the address of this side, or null if there is none (yet). */
    public @Nullable SocketAddress localAddress() {
        return localAddress;
    }

    /** Returns the address of the peer, or null if there is none (yet). */
    public @Nullable SocketAddress remoteAddress() {
        return remoteAddress;
    }

    /** Returns what the set-up agreed on, or null before that. */
    public @Nullable MpaParameters parameters() {
        return parameters;
    }

    /** Returns the number of posted requests that have not completed, not counting receives. */
    public int sendRequests() {
        return sendRequests;
    }

    /**
     * Returns how many of {@link #sendRequests()} have not started: the event loop has not taken them yet, or they wait
     * for a place in the send queue, for the ORD or for a fence.
     */
    public int queuedSendRequests() {
        return queuedSendRequests;
    }

    /** Returns the depth of the send queue. Posts with a future may be pending beyond it. */
    public int sendQueueDepth() {
        return sendQueueDepth;
    }

    /**
     * Returns the number of receives that were posted and have not completed or whose completions were not polled. With
     * a shared receive queue, those that this queue pair holds; with managed receives, only those that were not polled.
     */
    public int receiveRequests() {
        return receiveRequests;
    }

    /** Returns the maximum of {@link #receiveRequests()}. */
    public int receiveQueueDepth() {
        return receiveQueueDepth;
    }

    /**
     * Returns the number of Reads and atomics of this side that wait for a response, at most the ORD of
     * {@link #parameters()}.
     */
    public long outstandingReads() {
        return outstandingReads;
    }

    /**
     * Returns the number of Reads and atomics of the peer without a response, at most the IRD of {@link #parameters()}.
     */
    public long outstandingPeerReads() {
        return outstandingPeerReads;
    }

    /** Returns all counters. Unmodifiable. */
    public Map<Counter, Long> counters() {
        return counters;
    }

    /** Returns why the stream ended, or null if it has not. */
    public @Nullable CloseReason closeReason() {
        return closeReason;
    }

    private static long difference(Map<Counter, Long> counters, Counter begun, Counter done) {
        return counters.getOrDefault(begun, 0L) - counters.getOrDefault(done, 0L);
    }

    /** Returns everything in several lines, without a line break at the end. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("queue pair ").append(channel);
        text.append(" is ").append(state).append(", ").append(role);
        text.append("\n  addresses  ").append(address(localAddress)).append(" here, ");
        text.append(address(remoteAddress)).append(" there");
        text.append("\n  agreed     ").append(parameters == null ? "nothing yet" : parameters);
        text.append("\n  send       ").append(sendRequests).append(" of ").append(sendQueueDepth);
        text.append(" posted, ").append(queuedSendRequests).append(" of them not started");
        text.append("\n  receive    ").append(receiveRequests).append(" of ").append(receiveQueueDepth);
        text.append(" ").append(receiveUse);
        text.append("\n  Reads      ").append(outstandingReads);
        text.append(parameters == null ? "" : " of " + parameters.ord()).append(" outstanding, ");
        text.append(outstandingPeerReads);
        text.append(parameters == null ? "" : " of " + parameters.ird()).append(" of the peer outstanding");
        appendCounters(text);
        text.append("\n  ended      ").append(closeReason == null ? "no" : closeReason);
        return text.toString();
    }

    private static Object address(@Nullable SocketAddress address) {
        return address == null ? "none" : address;
    }

    private void appendCounters(StringBuilder text) {
        int shown = 0;
        for (Counter counter : Counter.values()) {
            long value = counters.getOrDefault(counter, 0L);
            if (value != 0) {
                text.append(shown % COUNTERS_IN_A_LINE == 0 ? "\n  counted    " : ", ");
                text.append(counter.name()).append(' ').append(value);
                shown++;
            }
        }
    }
}
