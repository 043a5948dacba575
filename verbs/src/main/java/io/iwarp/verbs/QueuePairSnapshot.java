package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.Counter;
import io.iwarp.Counters;
import io.iwarp.Role;
import io.iwarp.mpa.MpaParameters;
import io.netty.channel.Channel;
import java.net.SocketAddress;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where a queue pair stands, for people who look for what is wrong: {@link #toString} tells all of it in some lines.
 *
 * <p>Its parts were read one after the other while the connection went on, so two of them need not be of the same moment.
 *
 * @param channel the short identity of the channel, as log lines show it
 * @param role what this side was in the set-up
 * @param state where it is in its life
 * @param localAddress this side's address; null if there is none (yet)
 * @param remoteAddress the peer's address; null if there is none (yet)
 * @param parameters what the set-up agreed on; null before that
 * @param sendRequests requests posted and not completed, receives left out
 * @param queuedSendRequests of those, the ones that the event loop has not taken yet
 * @param sendQueueDepth how many requests may be posted and not completed
 * @param receiveRequests receives posted and not used
 * @param receiveQueueDepth how many receives may be posted and not used
 * @param outstandingReads Reads and atomics of this side that wait for an answer; at most the ORD of {@code parameters}
 * @param outstandingPeerReads Reads and atomics of the peer that are being answered; at most the IRD of {@code parameters}
 * @param counters all counters. Unmodifiable.
 * @param closeReason why the stream ended; null while it has not
 */
public record QueuePairSnapshot(
        String channel,
        Role role,
        QueuePairState state,
        @Nullable SocketAddress localAddress,
        @Nullable SocketAddress remoteAddress,
        @Nullable MpaParameters parameters,
        int sendRequests,
        int queuedSendRequests,
        int sendQueueDepth,
        int receiveRequests,
        int receiveQueueDepth,
        long outstandingReads,
        long outstandingPeerReads,
        Map<Counter, Long> counters,
        @Nullable CloseReason closeReason) {
    private static final int COUNTERS_IN_A_LINE = 3;

    /** Copies the counters. */
    public QueuePairSnapshot {
        counters = Map.copyOf(counters);
    }

    static QueuePairSnapshot of(
            Channel channel,
            Role role,
            StreamLife life,
            PostRing<WorkRequest> sends,
            CompletionBound receives,
            Counters counted) {
        Map<Counter, Long> counters = new EnumMap<>(Counter.class);
        // From the last counter to the first, so that what was answered is read before what was asked.
        Counter[] all = Counter.values();
        for (int i = all.length - 1; i >= 0; i--) {
            counters.put(all[i], counted.get(all[i]));
        }
        return new QueuePairSnapshot(
                channel.id().asShortText(),
                role,
                life.state(),
                channel.localAddress(),
                channel.remoteAddress(),
                life.parameters(),
                sends.uncompleted(),
                sends.untaken(),
                sends.depth(),
                receives.uncompleted(),
                receives.depth(),
                difference(counters, Counter.READS_REQUESTED, Counter.READS_ANSWERED),
                difference(counters, Counter.PEER_READS_ACCEPTED, Counter.PEER_READS_ANSWERED),
                counters,
                life.closeReason());
    }

    private static long difference(Map<Counter, Long> counters, Counter begun, Counter done) {
        return counters.getOrDefault(begun, 0L) - counters.getOrDefault(done, 0L);
    }

    /** All of it in some lines, without a line break at the end. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("queue pair ").append(channel);
        text.append(" is ").append(state).append(", ").append(role);
        text.append("\n  addresses  ").append(address(localAddress)).append(" here, ");
        text.append(address(remoteAddress)).append(" there");
        text.append("\n  agreed     ").append(parameters == null ? "nothing yet" : parameters);
        text.append("\n  send       ").append(sendRequests).append(" of ").append(sendQueueDepth);
        text.append(" posted, ").append(queuedSendRequests).append(" of them not taken by the event loop yet");
        text.append("\n  receive    ").append(receiveRequests).append(" of ").append(receiveQueueDepth);
        text.append(" posted");
        text.append("\n  Reads      ").append(outstandingReads);
        text.append(parameters == null ? "" : " of " + parameters.ord()).append(" outstanding, ");
        text.append(outstandingPeerReads);
        text.append(parameters == null ? "" : " of " + parameters.ird()).append(" of the peer being answered");
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
