package io.iwarp.simulation;

import io.iwarp.internal.InputBudget;
import io.iwarp.internal.memory.StreamAssociation;

/**
 * Another stream of the device of one end. It reserves all memory for incomplete input for a moment, releases it, and
 * begins again.
 */
final class Hoarder {
    static final long MANAGED_LIMIT = 1;
    static final long INPUT_LIMIT = 1 << 20;
    private static final long LONGEST = 10_000_000L;
    private static final int STEPS = 500;

    private final End end;
    private final InputBudget.Reservation managed;
    private final InputBudget.Reservation input;
    private boolean holds;
    private int stepsLeft = STEPS;

    Hoarder(End end) {
        this.end = end;
        try (StreamAssociation stream = StreamAssociation.open(end.domain)) {
            managed = stream.managedReceiveBudget().reservation(() -> {});
            input = stream.inputBudget().reservation(() -> {});
        }
        again();
    }

    private void again() {
        end.world.after(end.plan.trouble.dice.between(1, LONGEST), "hoarder", this::step);
    }

    /** Returns whether it holds memory that others may wait for. It bounds their wait. */
    boolean holds() {
        return holds;
    }

    private void step() {
        managed.release();
        input.release();
        if (end.over() || --stepsLeft == 0) {
            holds = false;
            return;
        }
        holds = !holds;
        if (holds) {
            managed.reserveOrWait(MANAGED_LIMIT);
            input.reserveOrWait(INPUT_LIMIT);
        }
        again();
    }
}
