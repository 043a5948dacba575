package io.iwarp.verbs;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The single entry point for callbacks into the application: listeners and handlers. Catches everything they throw,
 * including undeclared checked exceptions of other languages, so that an application failure cannot leave a stream in
 * an inconsistent state.
 *
 * <p>{@link CompletionQueue#poll} and the methods of a future differ: there the application is the caller, so it gets
 * the exceptions of its own callbacks.
 */
final class Callbacks {
    private static final Logger LOGGER = LoggerFactory.getLogger(LoggerNames.QUEUE_PAIR);

    private Callbacks() {}

    /**
     * Calls a listener and logs what it throws.
     *
     * @param owner the channel or queue of the listener, for the log
     */
    static void notify(Object owner, Runnable call) {
        Throwable thrown = call(call);
        if (thrown != null) {
            log(owner, thrown);
        }
    }

    /** Calls code of the application. Returns what it throws, or null. */
    static @Nullable Throwable call(Runnable call) {
        try {
            call.run();
            return null;
        } catch (Throwable thrown) {
            return thrown;
        }
    }

    private static void log(Object owner, Throwable thrown) {
        LOGGER.error("{} a listener threw an exception; it is ignored", owner, thrown);
    }
}
