package io.iwarp.verbs;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Limits the number of connections of a responder in set-up. Any thread may call any method. */
final class SetupGate {
    private final int limit;
    private final AtomicInteger ticketCount = new AtomicInteger();

    SetupGate(int limit) {
        this.limit = limit;
    }

    int limit() {
        return limit;
    }

    /** Returns a ticket for one connection, or null if the limit is reached. */
    @Nullable
    Ticket enter() {
        int before = ticketCount.get();
        while (before < limit) {
            if (ticketCount.compareAndSet(before, before + 1)) {
                return new Ticket();
            }
            before = ticketCount.get();
        }
        return null;
    }

    /** One connection in set-up, until {@link #leave} is called or the channel is closed. */
    final class Ticket implements ChannelFutureListener {
        private final AtomicBoolean isReleased = new AtomicBoolean();

        private Ticket() {}

        @Override
        public void operationComplete(ChannelFuture closing) {
            leave();
        }

        /** Ends the set-up. May be called again. */
        void leave() {
            if (isReleased.compareAndSet(false, true)) {
                ticketCount.decrementAndGet();
            }
        }
    }
}
