package io.iwarp.verbs;

import io.iwarp.memory.ProtectionDomain;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Two queue pairs that are connected without a socket: one thread, virtual time, and nothing moves but in {@link #run}. */
final class EmbeddedPair implements AutoCloseable {
    private final EmbeddedChannel initiatorChannel = new EmbeddedChannel();
    private final EmbeddedChannel responderChannel = new EmbeddedChannel();

    EmbeddedPair(
            ProtectionDomain domain,
            QueuePairSettings initiator,
            QueuePairSettings responder,
            Consumer<QueuePair> prepareInitiator,
            Consumer<QueuePair> prepareResponder) {
        initiatorChannel.freezeTime();
        responderChannel.freezeTime();
        responderChannel.pipeline().addLast(IwarpChannelInitializer.responder(domain, responder, request -> {
            prepareResponder.accept(request.queuePair());
            request.accept();
        }));
        initiatorChannel
                .pipeline()
                .addLast(IwarpChannelInitializer.initiator(domain, initiator, new byte[0], prepareInitiator));
        initiatorChannel.pipeline().fireChannelActive();
        responderChannel.pipeline().fireChannelActive();
        run();
    }

    QueuePair initiator() {
        return IwarpChannelInitializer.queuePair(initiatorChannel);
    }

    QueuePair responder() {
        return IwarpChannelInitializer.queuePair(responderChannel);
    }

    /** Adds a handler between the initiator and its socket. */
    void addFirstToInitiator(ChannelHandler handler) {
        initiatorChannel.pipeline().addFirst(handler);
    }

    /** Runs all tasks that are due and carries all octets over, until nothing moves any more. */
    void run() {
        boolean moved = true;
        while (moved) {
            initiatorChannel.runPendingTasks();
            responderChannel.runPendingTasks();
            moved = carry(initiatorChannel, responderChannel);
            moved |= carry(responderChannel, initiatorChannel);
        }
    }

    /** As the socket of a channel that does not read, an end that holds back leaves the octets where they are. */
    private static boolean carry(EmbeddedChannel from, EmbeddedChannel to) {
        boolean moved = false;
        while (to.isOpen()
                && to.config().isAutoRead()
                && !from.outboundMessages().isEmpty()) {
            to.writeInbound(from.<ByteBuf>readOutbound());
            moved = true;
        }
        if (!from.isOpen()
                && from.outboundMessages().isEmpty()
                && to.isOpen()
                && to.config().isAutoRead()) {
            to.close();
            moved = true;
        }
        return moved;
    }

    void advance(Duration time) {
        initiatorChannel.advanceTimeBy(time.toNanos(), TimeUnit.NANOSECONDS);
        responderChannel.advanceTimeBy(time.toNanos(), TimeUnit.NANOSECONDS);
        run();
    }

    @Override
    public void close() {
        initiatorChannel.finishAndReleaseAll();
        responderChannel.finishAndReleaseAll();
    }
}
