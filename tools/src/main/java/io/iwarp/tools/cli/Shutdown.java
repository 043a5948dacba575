package io.iwarp.tools.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The shutdown of a command, triggered by Ctrl-C, by the command itself, or by an interrupt of its thread. The process
 * exits after the command has cleaned up.
 */
public final class Shutdown implements AutoCloseable {
    private static final long CLEANUP_SECONDS = 15;

    private final CountDownLatch wanted = new CountDownLatch(1);
    private final CountDownLatch cleanedUp = new CountDownLatch(1);
    private final Thread hook = new Thread(this::onExit, "shutdown");

    private final @Nullable Thread client;

    private Shutdown(@Nullable Thread client) {
        this.client = client;
    }

    /** Registers the shutdown hook of a server. Close this object after all other clean-up. */
    public static Shutdown install() {
        return install(null);
    }

    /** Registers a shutdown hook that interrupts this thread. Close this object after all other clean-up. */
    public static Shutdown interruptingThisThread() {
        return install(Thread.currentThread());
    }

    private static Shutdown install(@Nullable Thread client) {
        Shutdown shutdown = new Shutdown(client);
        Runtime.getRuntime().addShutdownHook(shutdown.hook);
        return shutdown;
    }

    /** Ends the wait. */
    public void want() {
        wanted.countDown();
    }

    /** Waits until a shutdown is requested. */
    public void await() {
        try {
            wanted.await();
        } catch (InterruptedException e) {
            // An interrupt requests the shutdown, so it is handled.
            want();
        }
    }

    private void onExit() {
        want();
        if (client != null) {
            client.interrupt();
        }
        try {
            cleanedUp.await(CLEANUP_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        cleanedUp.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process is exiting: the hook runs already, and has just been released.
        }
    }
}
