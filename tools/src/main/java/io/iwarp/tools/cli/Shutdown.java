package io.iwarp.tools.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The shutdown of a server, triggered by Ctrl-C, by the server itself, or by an interrupt of its thread. The process
 * exits after the server has cleaned up.
 */
public final class Shutdown implements AutoCloseable {
    private static final long CLEANUP_SECONDS = 15;

    private final CountDownLatch wanted = new CountDownLatch(1);
    private final CountDownLatch cleanedUp = new CountDownLatch(1);
    private final Thread hook = new Thread(this::onExit, "shutdown");

    private Shutdown() {}

    /** Registers the shutdown hook. Close this object after all other clean-up. */
    public static Shutdown install() {
        Shutdown shutdown = new Shutdown();
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
            want();
        }
    }
}
