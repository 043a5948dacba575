package io.iwarp.tools.perf;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.Counter;
import io.iwarp.EndedBy;
import io.iwarp.Operation;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.ErrorLines;
import io.iwarp.tools.cli.ListenOptions;
import io.iwarp.tools.cli.Load;
import io.iwarp.verbs.CompletionView;
import io.iwarp.verbs.ImmediateData;
import io.iwarp.verbs.PostOptions;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairListener;
import io.iwarp.verbs.SendQueue;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.function.Consumer;

/**
 * One connection of a measurement, at the server. In bandwidth mode it has a load of its own. In latency mode it
 * answers Sends and Writes; Reads and atomics need no server code. Everything runs on the event loop.
 */
final class PerfSession implements QueuePairListener {
    private final QueuePair queuePair;
    private final PerfTask task;
    private final PerfMemory memory;
    private final Consumer<String> log;
    private final String client;
    private final long beganAt = System.nanoTime();
    private long received;
    private byte mark;

    /** @param memory closed when the connection is */
    PerfSession(QueuePair queuePair, PerfTask task, PerfMemory memory, Consumer<String> log) {
        this.queuePair = queuePair;
        this.task = task;
        this.log = log;
        this.client = ListenOptions.addressText(queuePair.remoteAddress());
        this.memory = memory;
    }

    /** Returns the bytes of a connection on the wire, in both directions. */
    static long wireBytes(QueuePair queuePair) {
        return queuePair.counters().get(Counter.BYTES_RECEIVED)
                + queuePair.counters().get(Counter.BYTES_SENT);
    }

    /** Returns the right of the client in the server's memory. */
    static AccessRight right(PerfOperation operation) {
        return switch (operation) {
            case SEND -> AccessRight.LOCAL_WRITE;
            case WRITE, WRITE_IMMEDIATE -> AccessRight.REMOTE_WRITE;
            case READ -> AccessRight.REMOTE_READ;
            case FETCH_ADD, COMPARE_SWAP -> AccessRight.REMOTE_ATOMIC;
        };
    }

    /** Begins to serve; call it before the connection is accepted. */
    void begin() {
        queuePair.setListener(this);
        if (task.mode() == PerfMode.BANDWIDTH) {
            Load load = new BandwidthLoad(queuePair, memory, task.memory(), null, new PerfLoad.Work(task, 0, 0));
            load.finished().exceptionally(failure -> {
                queuePair.abort();
                return null;
            });
            load.beginNow();
            return;
        }
        queuePair.setCompletionListener(this::onCompletion);
        queuePair.receiveQueue().receive(0, memory.nextPlace());
        if (task.operation() == PerfOperation.WRITE) {
            queuePair.channel().pipeline().addFirst(new MemoryWatch(this::answerWrite));
        }
    }

    /** Returns the advertisement of the memory for the client. It needs no release. */
    ByteBuf encodedMemory() {
        ByteBuf out = Unpooled.buffer(RemoteBuffer.ENCODED_LENGTH, RemoteBuffer.ENCODED_LENGTH);
        memory.remoteBuffer().encode(out);
        return out;
    }

    private void onCompletion(QueuePair source, CompletionView completion) {
        if (completion.operation() != Operation.RECEIVE || !completion.successful()) {
            return;
        }
        received++;
        try {
            queuePair.receiveQueue().receive(received, memory.nextPlace());
            answer();
        } catch (ConnectionClosedException e) {
            // The connection has ended. onClosed reports the reason.
        }
    }

    private void answer() {
        SendQueue sends = queuePair.sendQueue();
        ByteBuf source = memory.source();
        if (task.operation() == PerfOperation.SEND) {
            sends.send(received, source);
        } else {
            sends.writeWithImmediate(received, source, task.memory(), new ImmediateData(received), PostOptions.NONE);
        }
    }

    private void answerWrite() {
        byte seen = memory.marked();
        if (seen == mark || queuePair.closeReason() != null) {
            return;
        }
        mark = seen;
        memory.mark(seen);
        try {
            queuePair.sendQueue().write(seen, memory.source(), task.memory());
        } catch (ConnectionClosedException e) {
            // The connection has ended. onClosed reports the reason.
        }
    }

    @Override
    public void onClosed(QueuePair source, CloseReason reason) {
        memory.close();
        long nanos = System.nanoTime() - beganAt;
        long bytes = wireBytes(queuePair);
        log.accept(
                reason.endedBy() == EndedBy.PEER_CLOSED
                        ? client + " was served: " + task.operation() + task.direction() + ", "
                                + Bytes.size(task.size()) + ", on the wire " + Bytes.exactly(bytes) + " in the "
                                + Bytes.time(nanos) + " of its connection, " + Bytes.rate(bytes, nanos)
                        : client + " disconnected before it finished: " + ErrorLines.describe(reason));
    }
}
