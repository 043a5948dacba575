package io.iwarp.transports;

import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.AbstractScheduledEventExecutor;
import io.netty.util.concurrent.EventExecutor;
import java.lang.reflect.Field;
import java.util.Queue;

/** Looks for timers that were not cancelled. */
final class Timers {
    private Timers() {}

    /** Returns how many tasks the event loops of a group are to carry out later. */
    static int of(EventLoopGroup group) throws Exception {
        int timers = 0;
        for (EventExecutor loop : group) {
            // What a channel that has just closed leaves to the loop comes first.
            loop.submit(() -> {}).sync();
            timers += loop.submit(() -> scheduled(loop)).get();
        }
        return timers;
    }

    private static int scheduled(EventExecutor loop) throws ReflectiveOperationException {
        Field queue = AbstractScheduledEventExecutor.class.getDeclaredField("scheduledTaskQueue");
        queue.setAccessible(true);
        Object tasks = queue.get(loop);
        return tasks == null ? 0 : ((Queue<?>) tasks).size();
    }
}
