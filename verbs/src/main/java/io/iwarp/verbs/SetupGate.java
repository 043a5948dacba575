package io.iwarp.verbs;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Lets only so many connections of a responder be in set-up at a time. Any thread may call any method. */
final class SetupGate {
    private final int limit;
    private final AtomicInteger inside = new AtomicInteger();

    SetupGate(int limit) {
        this.limit = limit;
    }

    /** Returns the ticket of one more connection, or null if there are as many as may be. */
    @Nullable
    Ticket enter() {
        int before = inside.get();
        while (before < limit) {
            if (inside.compareAndSet(before, before + 1)) {
                return new Ticket();
            }
            before = inside.get();
        }
        return null;
    }

    /** One connection in set-up, until {@link #leave} or the end of the channel to which this listens. */
    final class Ticket implements ChannelFutureListener {
        private final AtomicBoolean left = new AtomicBoolean();

        private Ticket() {}

        @Override
        public void operationComplete(ChannelFuture closing) {
            leave();
        }

        /** The set-up is over; it does no harm to say so again. */
        void leave() {
            if (left.compareAndSet(false, true)) {
                inside.decrementAndGet();
            }
        }
    }
}
