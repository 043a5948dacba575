package io.iwarp.internal.memory;

import io.iwarp.memory.MemoryRegion;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Lets users enter and leave until it is closed. Closing waits until all users have left.
 *
 * <p>The state is one int: the sign bit means closed, the other bits count the users inside. {@link #enter} increments
 * before it checks, so a rejected caller only makes {@link #close} spin slightly longer. A user stays inside for one
 * copy, makes no callbacks and closes no other gate while inside, so waiting cannot deadlock, even on an event loop.
 * The wait is short: one copy has at most a segment, or the argument of {@link MemoryRegion#setBytes}.
 */
final class Gate {
    private static final int CLOSED = 1 << 31;
    private static final int SPINS_BEFORE_YIELD = 128;
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Gate.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile int state;

    /**
     * Enters. The caller must {@link #leave} soon. Returns false if the gate is closed; then the caller is not inside.
     */
    boolean enter() {
        if ((int) STATE.getAndAdd(this, 1) < 0) {
            leave();
            return false;
        }
        return true;
    }

    /** Leaves, after {@link #enter} returned true. */
    void leave() {
        STATE.getAndAdd(this, -1);
    }

    /** Returns whether the gate is closed. An open gate may be closed at any moment. */
    boolean isClosed() {
        return state < 0;
    }

    /**
     * Closes the gate permanently, and waits until all threads have left it. Any thread may call this, any number of
     * times.
     */
    @SuppressWarnings("ThreadPriorityCheck") // A user inside may need this core to finish its copy.
    void close() {
        STATE.getAndBitwiseOr(this, CLOSED);
        for (int spins = 0; state != CLOSED; spins++) {
            if (spins < SPINS_BEFORE_YIELD) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
        }
    }
}
