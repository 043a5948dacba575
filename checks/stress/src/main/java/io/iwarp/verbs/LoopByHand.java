package io.iwarp.verbs;

import io.iwarp.Role;
import io.iwarp.memory.ProtectionDomain;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.Promise;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** An event loop that runs its tasks when an actor of a case says so, and a channel on it without any handler. */
final class LoopByHand {
    private enum Life {
        RUNNING,
        SHUTTING_DOWN,
        SHUT_DOWN
    }

    private static final ProtectionDomain DOMAIN = ProtectionDomain.create();
    /** Without any handler. */
    private static final Object PIPELINE = proxy(ChannelPipeline.class, (self, method, arguments) -> null);

    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final EventLoop loop =
            (EventLoop) proxy(EventLoop.class, (self, method, arguments) -> answer(method.getName(), arguments));
    private @Nullable Promise<Void> termination;
    private volatile Life life = Life.RUNNING;
    private volatile @Nullable Thread runner;

    private static Object proxy(Class<?> type, InvocationHandler handler) {
        return Proxy.newProxyInstance(LoopByHand.class.getClassLoader(), new Class<?>[] {type}, handler);
    }

    EventLoop loop() {
        return loop;
    }

    /** Returns a queue pair on this loop whose stream is never established. */
    QueuePair queuePair(QueuePairSettings settings) {
        Channel[] channel = new Channel[1];
        channel[0] = (Channel) proxy(Channel.class, (self, method, arguments) -> switch (method.getName()) {
            case "eventLoop" -> loop;
            case "isOpen" -> false;
            case "pipeline" -> PIPELINE;
            case "closeFuture" -> new DefaultChannelPromise(channel[0], loop);
            case "toString" -> "channel";
            default -> throw new UnsupportedOperationException(method.toString());
        });
        return new QueuePair(channel[0], DOMAIN, settings, Role.RESPONDER, null);
    }

    private @Nullable Object answer(String method, Object[] arguments) {
        return switch (method) {
            case "inEventLoop" -> runner == Thread.currentThread();
            case "isShuttingDown" -> life != Life.RUNNING;
            case "terminationFuture" -> termination;
            case "execute" -> {
                accept((Runnable) arguments[0]);
                yield null;
            }
            case "schedule" -> null;
            case "hashCode" -> System.identityHashCode(this);
            default -> throw new UnsupportedOperationException(method);
        };
    }

    private void accept(Runnable task) {
        if (life == Life.SHUT_DOWN) {
            throw new RejectedExecutionException("shut down");
        }
        tasks.add(task);
    }

    /** Names the loop whose thread is told of the termination of this one. */
    LoopByHand tellsOfItsEnd(LoopByHand other) {
        termination = new DefaultPromise<>(other.loop);
        return this;
    }

    /** Runs all tasks that are there, and those that follow. */
    void run() {
        runner = Thread.currentThread();
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            try {
                task.run();
            } catch (NullPointerException e) {
                // A message that waited is passed again by a handler, and there is none.
                if (!"the handler is not in a pipeline".equals(e.getMessage())) {
                    throw e;
                }
            }
        }
        runner = null;
    }

    void run(Runnable task) {
        runner = Thread.currentThread();
        task.run();
        runner = null;
    }

    /**
     * Shuts down: runs what is there, and a last task, as Netty's loops do while they reject others already. What comes
     * too late for the last look is dropped.
     */
    void end(Runnable last) {
        run();
        life = Life.SHUTTING_DOWN;
        run();
        life = Life.SHUT_DOWN;
        run(last);
        if (termination != null) {
            termination.setSuccess(null);
        }
    }
}
