package io.iwarp.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Lets users in and out until it is closed, and lets the one who closes it wait until all users are out.
 *
 * <p>The state is one int: the sign bit says closed, the other bits count the users that are inside. Whoever finds the
 * gate closed has raised the count for a moment and lowers it again, which closers that wait do not mind. A user stays
 * inside for one copy of at most a segment, never calls out and never closes a gate meanwhile, so waiting is short and
 * cannot deadlock, also on an event loop.
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

    /** Goes in; the caller must {@link #leave} soon. False when the gate is closed; then the caller is not inside. */
    boolean enter() {
        if ((int) STATE.getAndAdd(this, 1) < 0) {
            leave();
            return false;
        }
        return true;
    }

    /** Goes out again after {@link #enter} returned true. */
    void leave() {
        STATE.getAndAdd(this, -1);
    }

    /** Whether the gate is closed. A gate that is open may be closed the next moment. */
    boolean isClosed() {
        return state < 0;
    }

    /**
     * Closes the gate for good and returns when nobody is inside. Any thread may call this, any number of times; each
     * call returns only when nobody is inside.
     */
    @SuppressWarnings("ThreadPriorityCheck") // Whoever is inside may need this core to get on with its copy.
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
