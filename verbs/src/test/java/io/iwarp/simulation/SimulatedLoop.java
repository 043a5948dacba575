package io.iwarp.simulation;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.AbstractScheduledEventExecutor;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Promise;
import io.netty.util.concurrent.Ticker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An event loop without a thread. Each step is one task, one timer or one event of one socket; which of them comes
 * first is a matter of chance, as it is for a loop that can be late with anything. Tasks stay in their order.
 */
final class SimulatedLoop extends AbstractScheduledEventExecutor implements EventLoop, Context {
    private final World world;
    private final String name;
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final List<SimulatedChannel> channels = new ArrayList<>();
    private final List<SimulatedChannel> ready = new ArrayList<>();
    private final Ticker ticker;
    private long stepTime;
    private long busyUntil;
    private boolean frozen;
    private @Nullable Promise<Void> termination;
    private boolean ending;
    private boolean leavesChannels;
    private boolean ended;

    SimulatedLoop(World world, String name) {
        this.world = world;
        this.name = name;
        this.ticker = new Ticker() {
            @Override
            public long initialNanoTime() {
                return world.start();
            }

            @Override
            public long nanoTime() {
                return world.now();
            }

            @Override
            public void sleep(long delay, TimeUnit unit) {
                throw new UnsupportedOperationException("no thread sleeps here");
            }
        };
        world.add(this);
    }

    void add(SimulatedChannel channel) {
        channels.add(channel);
    }

    /** Sets how long each step takes. */
    void slow(long nanos) {
        stepTime = nanos;
    }

    /** The process is stopped, or continues. */
    void freeze(boolean stopped) {
        frozen = stopped;
    }

    boolean frozen() {
        return frozen;
    }

    @Override
    public Ticker ticker() {
        return ticker;
    }

    @Override
    public long runnableAt() {
        long next = nextStep();
        return frozen || next == NEVER ? NEVER : Math.max(next, busyUntil);
    }

    private long nextStep() {
        if (ending) {
            return ended ? NEVER : 0;
        }
        if (!tasks.isEmpty()) {
            return 0;
        }
        for (SimulatedChannel channel : channels) {
            if (channel.hasInput() || channel.hasRoom()) {
                return 0;
            }
        }
        long deadline = nextScheduledTaskDeadlineNanos();
        return deadline == -1 ? NEVER : deadline;
    }

    /** Returns whether it has nothing to do but to wait for timers and sockets. */
    boolean idle() {
        return tasks.isEmpty();
    }

    @Override
    public void step() {
        busyUntil = world.now() + stepTime;
        if (ending) {
            endOn();
            return;
        }
        ready.clear();
        for (SimulatedChannel channel : channels) {
            if (channel.hasInput() || channel.hasRoom()) {
                ready.add(channel);
            }
        }
        long deadline = nextScheduledTaskDeadlineNanos();
        boolean due = deadline != -1 && deadline <= world.now();
        int choices = ready.size() + (tasks.isEmpty() ? 0 : 2) + (due ? 1 : 0);
        int chosen = world.dice.below(choices);
        if (chosen < ready.size()) {
            ready.get(chosen).onSelected();
        } else if (due && chosen == choices - 1) {
            run(pollScheduledTask(world.now()), "timer");
        } else {
            run(tasks.remove(), "task");
        }
    }

    private void run(Runnable task, String kind) {
        world.trace().add(world, kind, new Lazy(task));
        try {
            task.run();
        } catch (Throwable e) {
            if (e instanceof Violation violation) {
                throw violation;
            }
            world.swallowed("a task of the event loop", e);
        }
    }

    /** The name of a lambda has a number that differs between runs. */
    private record Lazy(Runnable task) {
        @Override
        public String toString() {
            String text = task.getClass().getSimpleName();
            int lambda = text.indexOf("$$");
            return lambda < 0 ? text : text.substring(0, lambda);
        }
    }

    /** Returns what is left to be done, now or later. */
    String left() {
        List<String> timers = new ArrayList<>();
        tasks.forEach(task -> timers.add("task " + task));
        for (Runnable task = pollScheduledTask(Long.MAX_VALUE);
                task != null;
                task = pollScheduledTask(Long.MAX_VALUE)) {
            timers.add("timer " + task);
        }
        return String.join(", ", timers);
    }

    @Override
    public void execute(Runnable task) {
        if (ended) {
            throw new RejectedExecutionException(this + " has been shut down");
        }
        tasks.add(Objects.requireNonNull(task));
    }

    @Override
    public boolean inEventLoop() {
        return world.current() == this;
    }

    @Override
    public boolean inEventLoop(Thread thread) {
        return world.current() == this;
    }

    @Override
    public EventLoop next() {
        return this;
    }

    @Override
    public EventLoopGroup parent() {
        return this;
    }

    @Override
    public ChannelFuture register(Channel channel) {
        return register(new DefaultChannelPromise(channel, this));
    }

    @Override
    public ChannelFuture register(ChannelPromise promise) {
        promise.channel().unsafe().register(this, promise);
        return promise;
    }

    @Override
    @SuppressWarnings("deprecation") // of Netty's interface
    public ChannelFuture register(Channel channel, ChannelPromise promise) {
        channel.unsafe().register(this, promise);
        return promise;
    }

    /** It will {@linkplain #end end} before its world. */
    void mayEnd() {
        termination = new DefaultPromise<>(ImmediateEventExecutor.INSTANCE);
    }

    /**
     * Shuts down. What is queued is still done.
     *
     * @param busy whether it comes to no poll any more, and leaves its channels as they are
     */
    void end(boolean busy) {
        ending = true;
        leavesChannels = busy;
        frozen = false;
    }

    private void endOn() {
        cancelScheduledTasks();
        if (!leavesChannels) {
            leavesChannels = true;
            for (SimulatedChannel channel : channels) {
                channel.unsafe().close(channel.unsafe().voidPromise());
            }
        } else if (!tasks.isEmpty()) {
            run(tasks.remove(), "task");
        } else {
            ended = true;
            world.after(0, "loop terminated", () -> termination().setSuccess(null));
        }
    }

    private Promise<Void> termination() {
        if (termination == null) {
            throw new UnsupportedOperationException("the loop lives as long as its world");
        }
        return termination;
    }

    @Override
    public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
        throw new UnsupportedOperationException("only the simulation ends a loop");
    }

    @Override
    public Future<?> terminationFuture() {
        return termination();
    }

    @Override
    @Deprecated
    public void shutdown() {
        throw new UnsupportedOperationException("only the simulation ends a loop");
    }

    @Override
    public boolean isShuttingDown() {
        return ending;
    }

    @Override
    public boolean isShutdown() {
        return ended;
    }

    @Override
    public boolean isTerminated() {
        return ended && termination().isDone();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return isTerminated();
    }

    @Override
    public String toString() {
        return name;
    }
}
