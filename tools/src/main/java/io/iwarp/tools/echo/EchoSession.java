package io.iwarp.tools.echo;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.EndedBy;
import io.iwarp.Operation;
import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.ErrorLines;
import io.iwarp.tools.cli.ListenOptions;
import io.iwarp.tools.cli.Output;
import io.iwarp.verbs.CompletionView;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairListener;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * One client of the echo server. It has a few buffers; each is posted either as a receive or as the Send of what it
 * received, so at the end each comes back exactly once to be released. Everything runs on the event loop.
 */
final class EchoSession implements QueuePairListener {
    /** The maximum number of messages in flight. */
    static final int DEPTH = 8;

    private final QueuePair queuePair;
    private final ByteBuf[] buffers = new ByteBuf[DEPTH];
    private final Output out;
    private final String client;
    private long echoed;

    EchoSession(QueuePair queuePair, int maximumSize, Output out) {
        this.queuePair = queuePair;
        this.out = out;
        this.client = ListenOptions.addressText(queuePair.remoteAddress());
        // One allocation, which is released with the last of its slices.
        ByteBuf memory = ByteBufAllocator.DEFAULT.directBuffer(DEPTH * maximumSize, DEPTH * maximumSize);
        for (int slot = 0; slot < DEPTH; slot++) {
            buffers[slot] =
                    memory.retainedSlice(slot * maximumSize, maximumSize).clear();
        }
        memory.release();
    }

    /** Posts the receives; call it before the connection is accepted. */
    void begin() {
        queuePair.setListener(this);
        queuePair.setCompletionListener(this::onCompletion);
        for (int slot = 0; slot < DEPTH; slot++) {
            queuePair.receiveQueue().receive(slot, buffers[slot]);
        }
    }

    private void onCompletion(QueuePair source, CompletionView completion) {
        int slot = (int) completion.workRequestId();
        if (!completion.successful()) {
            buffers[slot].release();
            return;
        }
        try {
            if (completion.operation() == Operation.RECEIVE) {
                source.sendQueue().send(slot, buffers[slot]);
            } else {
                echoed++;
                source.receiveQueue().receive(slot, buffers[slot].clear());
            }
        } catch (ConnectionClosedException e) {
            // The stream is ending. A buffer that is not posted does not complete, so release it.
            buffers[slot].release();
        }
    }

    @Override
    public void onClosed(QueuePair source, CloseReason reason) {
        String end = reason.endedBy() == EndedBy.PEER_CLOSED ? "" : "; " + ErrorLines.describe(reason);
        out.line(client + " had " + Bytes.count(echoed, "message") + " echoed" + end);
    }
}
