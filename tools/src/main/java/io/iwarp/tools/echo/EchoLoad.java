package io.iwarp.tools.echo;

import io.iwarp.Operation;
import io.iwarp.tools.cli.BytePattern;
import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.Load;
import io.iwarp.tools.cli.Meter;
import io.iwarp.verbs.CompletionView;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;

/** Sends messages to an echo server, one at a time, and compares each reply. */
final class EchoLoad extends Load {
    private final Meter meter;
    // Heap buffers: the garbage collector frees them, however the connection ends.
    private final ByteBuf message;
    private final ByteBuf reply;

    private long number;
    private boolean sent;
    private boolean received;
    private long sentAt;

    EchoLoad(QueuePair queuePair, Meter meter, int size, long count) {
        super(queuePair, count, 0);
        this.meter = meter;
        message = Unpooled.buffer(size, size);
        reply = Unpooled.buffer(size, size);
        new BytePattern(size).append(message, size);
    }

    @Override
    protected void onBegin() {
        sendNext();
    }

    private void sendNext() {
        if (stopping()) {
            finish();
            return;
        }
        number = next() + 1;
        if (message.capacity() >= Long.BYTES) {
            message.setLong(0, number);
        }
        sent = false;
        received = false;
        queuePair().receiveQueue().receive(number, reply.clear());
        sentAt = System.nanoTime();
        queuePair().sendQueue().send(number, message);
    }

    @Override
    protected void onStop() {
        // The message that is under way is the last one.
    }

    @Override
    protected void onDone(CompletionView completion) {
        sent |= completion.operation() == Operation.SEND;
        sendIfDone();
    }

    @Override
    protected void onReceived(CompletionView completion) {
        meter.took(System.nanoTime() - sentAt);
        if (!ByteBufUtil.equals(message, reply)) {
            fail(new CommandFailedException(
                    "message " + number + " came back changed: the echo server, or something on the way, is faulty"));
            return;
        }
        meter.done(1);
        received = true;
        sendIfDone();
    }

    private void sendIfDone() {
        if (sent && received) {
            sendNext();
        }
    }
}
