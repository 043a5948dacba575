package io.iwarp.tools;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The end of a server, whoever wants it: Ctrl-C, the server itself, or an interrupt of its thread. The process waits with
 * its exit until the server has cleaned up behind itself.
 */
final class Shutdown implements AutoCloseable {
    private static final long CLEANUP_SECONDS = 15;

    private final CountDownLatch wanted = new CountDownLatch(1);
    private final CountDownLatch cleanedUp = new CountDownLatch(1);
    private final Thread hook = new Thread(this::onExit, "shutdown");

    private Shutdown() {}

    /** Begins to listen for the end of the process; close it after everything else is cleaned up. */
    static Shutdown install() {
        Shutdown shutdown = new Shutdown();
        Runtime.getRuntime().addShutdownHook(shutdown.hook);
        return shutdown;
    }

    /** Ends the wait. */
    void want() {
        wanted.countDown();
    }

    /** Waits until somebody wants the server to end. */
    void await() {
        try {
            wanted.await();
        } catch (InterruptedException e) {
            // An interrupt is one of the ways to want the end, so it has been answered.
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
