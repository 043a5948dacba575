package io.iwarp.simulation;

import java.util.EnumSet;
import java.util.Set;

/**
 * Rare kinds of trouble. Half of the runs have none, most others have one. The choices come from dice of their own, so
 * a seed without such trouble does not change when a kind is added.
 */
final class Trouble {
    private static final long OWN_DICE = 0x5eed_0f_7e0b1eL;

    enum Kind {
        /** The process of one side is stopped, and continues much later. */
        FREEZE,
        /** Completion queues are polled late. */
        LATE_POLLS,
        /** The event loop of one side is shut down. */
        LOOP_ENDS,
        /** Callbacks throw anything, checked exceptions and errors too. */
        ANY_THROWABLE,
        /** Messages arrive in other pieces, in another order, and twice. */
        PIECES,
        /** A piece of a message never arrives. */
        HOLES,
        /** The wire ends within an FPDU. */
        HALF_FPDU,
        /** Peers write to memory while it is sent. */
        SHARED_SOURCES,
        /** Peers write through windows, invalidate them, and get new ones. */
        WINDOWS,
        /** IRD and ORD are 0 or 1. */
        FEW_READS,
        /** Each kind of ready-to-receive message. */
        READY_TO_RECEIVE,
        /** The streams of a shared receive queue are on loops of different speed. */
        SLOW_LOOPS,
        /** From some moment on no response to a Read or atomic arrives, and all else does. */
        NO_RESPONSES,
        /** The application closes the channel, past the queue pair. */
        CHANNEL_CLOSES,
        /** Other streams of the device hold all memory for incomplete input, again and again. */
        HOARDERS,
        /** From some moment on one side takes a few bytes at a time, or none for long. */
        SLOW_PEER
    }

    final Dice dice;
    private final Set<Kind> kinds = EnumSet.noneOf(Kind.class);

    Trouble(long seed) {
        dice = new Dice(seed ^ OWN_DICE);
        if (dice.permille(550)) {
            kinds.add(dice.oneOf(Kind.values()));
            if (dice.permille(200)) {
                kinds.add(dice.oneOf(Kind.values()));
            }
        }
    }

    boolean has(Kind kind) {
        return kinds.contains(kind);
    }

    /** Returns whether a middlebox handles the bytes between both sides. */
    boolean onTheWire() {
        return has(Kind.PIECES) || has(Kind.HOLES) || has(Kind.HALF_FPDU) || has(Kind.NO_RESPONSES);
    }

    /** Returns whether messages wait for receives while something else has a time limit. */
    boolean shortOfReceives() {
        return has(Kind.HALF_FPDU) || has(Kind.NO_RESPONSES);
    }

    @Override
    public String toString() {
        return kinds.isEmpty() ? "none" : kinds.toString();
    }
}
