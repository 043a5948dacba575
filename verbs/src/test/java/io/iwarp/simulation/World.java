package io.iwarp.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Virtual time, and whose turn it is. All in one thread: a context that is interrupted at a point continues when those
 * that went first have finished their steps.
 */
final class World {
    private static final long START = 1_000_000_000L;
    private static final long MAX_INTERRUPTION = 5_000_000;
    private static final int DEEPEST_INTERRUPTION = 3;
    private static final int MAX_STEPS = 400_000;
    private static final int STEPS_IN_AN_INTERRUPTION = 24;

    private record Event(long time, long number, String name, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return time == other.time ? Long.compare(number, other.number) : Long.compare(time, other.time);
        }
    }

    /** Looks at everything before time passes, when no context has anything to do. */
    interface Rest {
        void before(long nanos);
    }

    final Dice dice;
    private final Trace trace;
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final List<Context> contexts = new ArrayList<>();
    private final Deque<Context> interrupted = new ArrayDeque<>();
    private final List<Context> choice = new ArrayList<>();
    private final int interruptionPermille;
    private final int stallPermille;
    private @Nullable Context current;
    private Rest rest = nanos -> {};
    private long now = START;
    private long eventNumber;
    private int pointsUntilInterruption;
    private int steps;
    private boolean quiet;
    private @Nullable Violation violation;

    World(Dice dice, Trace trace, int interruptionPermille, int stallPermille) {
        this.dice = dice;
        this.trace = trace;
        this.interruptionPermille = interruptionPermille;
        this.stallPermille = stallPermille;
        planInterruption();
    }

    void add(Context context) {
        contexts.add(context);
    }

    void onRest(Rest watcher) {
        rest = watcher;
    }

    long now() {
        return now;
    }

    long start() {
        return START;
    }

    @Nullable
    Context current() {
        return current;
    }

    Trace trace() {
        return trace;
    }

    /** Something happens by itself, at a time: bytes arrive, a cable is cut. */
    void after(long nanos, String name, Runnable action) {
        events.add(new Event(now + Math.max(0, nanos), eventNumber++, name, action));
    }

    /** Keeps the first violation; the run ends with the step that found it. */
    void violated(String invariant, String detail) {
        if (violation == null) {
            violation = new Violation(invariant, detail);
            trace.add(this, "VIOLATED", violation.getMessage());
        }
    }

    void check() {
        if (violation != null) {
            throw violation;
        }
    }

    /** A failure that is not reported, as far as the code's caller can see. */
    void swallowed(String where, Throwable failure) {
        if (!SimulatedFailure.planned(failure)) {
            trace.add(this, "failure", failure);
            violated("no exception is lost", where + ": " + failure + " " + at(failure));
        }
    }

    private static String at(Throwable failure) {
        StackTraceElement[] stack = failure.getStackTrace();
        return stack.length == 0 ? "" : "at " + stack[0];
    }

    /** No more interruptions: the run is being judged. */
    void quiet() {
        quiet = true;
    }

    /** Returns whether a context is between two steps, and continues without being woken. */
    boolean interrupting() {
        return !interrupted.isEmpty();
    }

    private void planInterruption() {
        pointsUntilInterruption =
                interruptionPermille == 0 ? Integer.MAX_VALUE : 1 + dice.below(2000 / interruptionPermille);
    }

    /** The running context is between two of its accesses to what others use as well. */
    void point() {
        if (current == null || quiet || --pointsUntilInterruption > 0) {
            return;
        }
        planInterruption();
        if (interrupted.size() >= DEEPEST_INTERRUPTION) {
            return;
        }
        Context mine = current;
        interrupted.push(mine);
        trace.add(this, "interrupted");
        current = null;
        try {
            int length = 1 + dice.below(STEPS_IN_AN_INTERRUPTION);
            long until = now + dice.oneOf(0L, 1_000L, 200_000L, MAX_INTERRUPTION);
            for (int i = 0; i < length && (stepOne() || fireNext(until, until)); i++) {
                steps++;
            }
        } finally {
            interrupted.pop();
            current = mine;
            trace.add(this, "continues");
        }
    }

    private boolean stepOne() {
        choice.clear();
        for (Context context : contexts) {
            if (context.runnableAt() <= now && !interrupted.contains(context)) {
                choice.add(context);
            }
        }
        if (choice.isEmpty()) {
            return false;
        }
        current = choice.get(dice.below(choice.size()));
        try {
            current.step();
        } finally {
            current = null;
        }
        return true;
    }

    /** Returns what a context has to tell of itself. */
    <T> T as(Context context, Supplier<T> asked) {
        current = context;
        try {
            return asked.get();
        } finally {
            current = null;
        }
    }

    /** Runs until nothing is left to be done before a time, or the condition holds. */
    void run(long until, BooleanSupplier done) {
        while (!done.getAsBoolean()) {
            check();
            if (++steps > MAX_STEPS) {
                throw new Violation("a run ends", MAX_STEPS + " steps were not enough");
            }
            boolean stalled = stallPermille > 0 && dice.permille(stallPermille);
            if ((stalled && fireNext(until, now + 1_000_000)) || stepOne()) {
                continue;
            }
            if (!fireNext(until, NEVER)) {
                break;
            }
        }
        check();
    }

    private static final long NEVER = Context.NEVER;

    /** Time advances to the next thing that happens; false if there is none before the limits. */
    private boolean fireNext(long until, long limit) {
        long next = NEVER;
        for (Context context : contexts) {
            if (!interrupted.contains(context)) {
                next = Math.min(next, context.runnableAt());
            }
        }
        Event event = events.peek();
        boolean eventFirst = event != null && event.time() <= next;
        next = eventFirst ? event.time() : next;
        if (next == NEVER && limit == NEVER) {
            rest.before(NEVER);
        }
        if (next == NEVER || next > until || next > limit) {
            return false;
        }
        if (next > now) {
            rest.before(next - now);
            now = next;
        }
        if (eventFirst) {
            events.remove();
            trace.add(this, "wire", event.name());
            event.action().run();
        }
        return eventFirst || next > now - 1;
    }
}
