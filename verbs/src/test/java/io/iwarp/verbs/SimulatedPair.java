package io.iwarp.verbs;

import io.iwarp.memory.ProtectionDomain;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Two whole stacks in one thread, on a wire that carries bytes when the test says so, under virtual time. The pair is
 * connected when it was created.
 */
final class SimulatedPair implements AutoCloseable {
    final End initiator;
    final End responder;

    SimulatedPair(ProtectionDomain domain, QueuePairSettings settings, Consumer<QueuePair> prepareResponder) {
        this(domain, settings, settings, qp -> {}, prepareResponder);
    }

    SimulatedPair(
            ProtectionDomain domain,
            QueuePairSettings initiatorSettings,
            QueuePairSettings responderSettings,
            Consumer<QueuePair> prepareInitiator,
            Consumer<QueuePair> prepareResponder) {
        initiator =
                new End(IwarpChannelInitializer.initiator(domain, initiatorSettings, new byte[0], prepareInitiator));
        responder = new End(IwarpChannelInitializer.responder(domain, responderSettings, request -> {
            prepareResponder.accept(request.queuePair());
            request.accept();
        }));
        run();
    }

    /** Carries everything in both directions, and runs tasks, until nothing moves. */
    void run() {
        boolean carried;
        do {
            initiator.runTasks();
            responder.runTasks();
            carried = carry(initiator, responder);
            carried |= carry(responder, initiator);
        } while (carried);
    }

    /**
     * Carries what one end has sent.
     *
     * @return whether there was anything
     */
    boolean carry(End from, End to) {
        from.runTasks();
        boolean carried = carryBytes(from, to);
        if (to.isOpen() && from.outboundMessages().isEmpty() && from.finished && !to.sawFinish) {
            to.sawFinish = true;
            carried = true;
            to.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        }
        if (to.isOpen()
                && !from.isOpen()
                && from.outboundMessages().isEmpty()
                && to.config().isAutoRead()) {
            carried = true;
            to.connectionEnds();
        }
        to.runTasks();
        return carried;
    }

    /**
     * Carries the bytes that one end has sent, as long as the other one takes them.
     *
     * @return whether there was anything
     */
    static boolean carryBytes(End from, End to) {
        boolean carried = false;
        while (to.isOpen()
                && to.config().isAutoRead()
                && !from.outboundMessages().isEmpty()) {
            ByteBuf bytes = from.readOutbound();
            carried = true;
            if (bytes.isReadable()) {
                to.writeInbound(bytes);
            } else {
                bytes.release();
            }
        }
        return carried;
    }

    /** Lets time pass for both ends; what they send meanwhile stays on the wire. */
    void pass(Duration time) {
        for (End end : new End[] {initiator, responder}) {
            end.advanceTimeBy(time.toNanos(), TimeUnit.NANOSECONDS);
            end.runTasks();
        }
    }

    /** Lets time pass for both ends, then {@linkplain #run carries} everything. */
    void advance(Duration time) {
        pass(time);
        run();
    }

    @Override
    public void close() {
        initiator.finishAndReleaseAll();
        responder.finishAndReleaseAll();
    }

    /** A channel that can be half closed. */
    static class End extends EmbeddedChannel implements DuplexChannel {
        private boolean finished;
        private boolean sawFinish;
        private long allowance = Long.MAX_VALUE;

        End(IwarpChannelInitializer initializer) {
            freezeTime();
            pipeline().addLast(initializer);
        }

        QueuePair queuePair() {
            QueuePair queuePair = IwarpChannelInitializer.queuePair(this);
            if (queuePair == null) {
                throw new AssertionError("no queue pair yet");
            }
            return queuePair;
        }

        /**
         * The transport takes this number of bytes of what is sent, and no more until the next call.
         *
         * @return how many it has taken at once
         */
        long takes(long bytes) {
            allowance = bytes;
            unsafe().flush();
            runTasks();
            return bytes - allowance;
        }

        @Override
        protected void doWrite(ChannelOutboundBuffer queue) throws Exception {
            if (allowance == Long.MAX_VALUE) {
                super.doWrite(queue);
                return;
            }
            while (queue.current() instanceof ByteBuf next && (allowance > 0 || !next.isReadable())) {
                int taken = (int) Math.min(allowance, next.readableBytes());
                outboundMessages().add(next.retainedSlice(next.readerIndex(), taken));
                allowance -= taken;
                if (taken == next.readableBytes()) {
                    queue.remove();
                } else {
                    queue.removeBytes(taken);
                }
            }
        }

        /** Runs everything that is due, and what that leads to. */
        void runTasks() {
            do {
                runPendingTasks();
            } while (runScheduledPendingTasks() == 0);
        }

        /** The peer closes the connection, and the transport closes the channel. */
        void connectionEnds() {
            unsafe().close(voidPromise());
        }

        @Override
        public boolean isInputShutdown() {
            return sawFinish;
        }

        @Override
        public boolean isOutputShutdown() {
            return finished;
        }

        @Override
        public boolean isShutdown() {
            return finished && sawFinish;
        }

        @Override
        public ChannelFuture shutdownOutput() {
            return shutdownOutput(newPromise());
        }

        @Override
        public ChannelFuture shutdownOutput(ChannelPromise promise) {
            finished = true;
            pipeline().fireUserEventTriggered(ChannelOutputShutdownEvent.INSTANCE);
            return promise.setSuccess();
        }

        @Override
        public ChannelFuture shutdownInput() {
            throw new UnsupportedOperationException();
        }

        @Override
        public ChannelFuture shutdownInput(ChannelPromise promise) {
            throw new UnsupportedOperationException();
        }

        @Override
        public ChannelFuture shutdown() {
            throw new UnsupportedOperationException();
        }

        @Override
        public ChannelFuture shutdown(ChannelPromise promise) {
            throw new UnsupportedOperationException();
        }
    }
}
