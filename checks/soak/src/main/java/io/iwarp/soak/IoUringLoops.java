package io.iwarp.soak;

import io.iwarp.transport.IoUringShutdownGuard;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Starts and shuts down event loops of io_uring that have no channels, with Netty alone or with the guard. On one
 * processor Netty's own loops hang, or corrupt the heap until malloc aborts the process.
 */
public final class IoUringLoops {
    private static final int SKIPPED = 77;
    private static final int THREADS = 8;
    private static final long MAX_SHUTDOWN_SECONDS = 20;

    private final IoHandlerFactory handlers;
    private final long deadline;
    private final AtomicLong loops = new AtomicLong();
    private final AtomicLong hanging = new AtomicLong();

    private IoUringLoops(IoHandlerFactory handlers, long deadline) {
        this.handlers = handlers;
        this.deadline = deadline;
    }

    /**
     * Exits with 0 if all loops ended, 77 if there is no io_uring.
     *
     * @param args how many seconds, and whether with the guard: {@code true} or {@code false}
     */
    public static void main(String[] args) throws Exception {
        if (!IoUring.isAvailable()) {
            System.out.println("io_uring cannot be used here: " + IoUring.unavailabilityCause());
            System.exit(SKIPPED);
        }
        long nanos = TimeUnit.SECONDS.toNanos(Long.parseLong(args[0]));
        IoHandlerFactory netty = IoUringIoHandler.newFactory();
        IoHandlerFactory handlers = Boolean.parseBoolean(args[1]) ? new IoUringShutdownGuard(netty) : netty;
        IoUringLoops check = new IoUringLoops(handlers, System.nanoTime() + nanos);
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        List<Future<?>> running = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            running.add(threads.submit(() -> {
                check.run();
                return null;
            }));
        }
        for (Future<?> each : running) {
            each.get();
        }
        System.out.printf("%d loops were shut down, %d of them did not end%n", check.loops.get(), check.hanging.get());
        System.exit(check.hanging.get() == 0 ? 0 : 1);
    }

    private void run() throws InterruptedException {
        while (System.nanoTime() < deadline) {
            EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, handlers);
            EventLoop loop = group.next();
            // Netty prepares the end of the ring once more for a task that comes during the shutdown.
            loop.schedule(() -> {}, 1, TimeUnit.HOURS).addListener(cancelled -> loop.execute(() -> {}));
            loop.submit(() -> {}).sync();
            loops.incrementAndGet();
            if (!group.shutdownGracefully(1, TimeUnit.SECONDS.toMicros(MAX_SHUTDOWN_SECONDS), TimeUnit.MICROSECONDS)
                    .await(MAX_SHUTDOWN_SECONDS, TimeUnit.SECONDS)) {
                hanging.incrementAndGet();
            }
        }
    }
}
