package io.iwarp.simulation;

import io.iwarp.ConnectionState;
import io.iwarp.Counter;
import io.iwarp.Counters;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What one side waits for, looked at whenever no context has anything to do. */
final class Waits {
    private static final long LONG_REST = 20_000_000L;

    private final End end;
    private final World world;
    private final Plan plan;
    /** The sum of all limits in nanoseconds. Most count twice: a deadline that sees progress starts again once. */
    private final long longestWait;

    private final long longestClose;
    private boolean pausedLong;
    private long heldNanos;
    private long movedBeforeClose;
    private long nanosWithoutProgress;
    private long stuckSince;
    private long movedBefore;
    private long quietSince;
    private long writtenBefore = -1;
    private long timeWithoutResponse;
    private long unfinished;

    Waits(End end) {
        this.end = end;
        this.world = end.world;
        this.plan = end.plan;
        Duration looksTwice = end.settings
                .mpa()
                .fpduTimeout()
                .plus(end.settings.closeTimeout())
                .plus(end.settings.responseTimeout())
                .plus(end.settings.transmitTimeout());
        longestWait = end.settings.mpa().startupTimeout().toNanos() + 2 * looksTwice.toNanos() + plan.receiveTimeout;
        longestClose = 3 * end.settings.closeTimeout().toNanos();
    }

    void start() {
        stuckSince = world.now();
        quietSince = world.now();
    }

    /** The plan has stopped this side to read, or its process. */
    void paused() {
        pausedLong = true;
    }

    boolean pausedLong() {
        return pausedLong;
    }

    /** No context has anything to do for a while: then nothing may wait that could continue. */
    void onRest(long nanos, boolean disturbed) {
        if (end.loop().frozen()) {
            pausedLong = true;
        }
        if (holdsInput() && nanos != Context.NEVER) {
            heldNanos += nanos;
        }
        if (end.channel.pausedByApplication()) {
            pausedLong = true;
        }
        end.checkHoldings();
        checkTimer(nanos);
        checkClose(nanos);
        checkWire(nanos);
        if (nanos == Context.NEVER) {
            return;
        }
        boolean both = end.ready()
                && end.other().ready()
                && !end.closing()
                && !end.other().closing();
        if (nanos < LONG_REST || !both || disturbed) {
            noteWritten();
            return;
        }
        boolean paused =
                end.channel.pausedByApplication() || end.other().channel.pausedByApplication();
        if (holdsInput() && !end.channel.pausedByApplication() && polled() && hasFreeReceives()) {
            world.violated("what came is read", end + " holds a message back beside free receives");
        }
        boolean held = holdsInput() || end.other().waits.holdsInput();
        boolean unpolled = !polled() || !end.other().waits.polled();
        if (!paused && !held && !unpolled && end.requests.pending()) {
            for (Post post : end.requests.posts) {
                if (post.returned && !post.completed && post.kind != Post.Kind.RECEIVE) {
                    world.violated("what can continue does", end + " " + post + " waits and nothing holds it up");
                    return;
                }
            }
        }
        checkKeepAlive(paused || held);
    }

    /**
     * No context has anything to do, and none may ever have: the peer and the wire need not do any more. So what waits
     * here has a timer.
     */
    private void checkTimer(long nanos) {
        if (!end.channel.isOpen() || world.interrupting() || end.loop().frozen()) {
            stuckSince = world.now() + (nanos == Context.NEVER ? 0 : nanos);
            return;
        }
        String waits = waits();
        long moved = end.channel.in().taken() + end.channel.out().written() + end.completions.count();
        if (waits == null) {
            stuckSince = world.now() + (nanos == Context.NEVER ? 0 : nanos);
        } else if (moved != movedBefore) {
            stuckSince = world.now();
        }
        movedBefore = moved;
        if (waits != null && end.loop().runnableAt() == Context.NEVER) {
            world.violated("what waits has a timer", end + " " + waits + ", and nothing is scheduled");
        } else if (world.now() - stuckSince > longestWait) {
            world.violated(
                    "a wait ends", end + " " + waits + " since " + (world.now() - stuckSince) / 1_000_000 + " ms");
        }
    }

    /**
     * A close without progress ends. It looks twice, and then waits as long for its FIN or Terminate. No stall stops
     * its clock.
     */
    private void checkClose(long nanos) {
        if (!end.channel.isOpen() || end.queuePair().state() != ConnectionState.DRAINING) {
            nanosWithoutProgress = 0;
            return;
        }
        long moved = end.channel.out().written()
                + end.completions.sendOrder.size()
                + (awaitsResponses() ? end.channel.in().taken() : 0);
        if (moved != movedBeforeClose || end.loop().frozen() || pausedLong || world.interrupting()) {
            movedBeforeClose = moved;
            nanosWithoutProgress = 0;
        }
        if (nanosWithoutProgress > longestClose) {
            world.violated(
                    "a close ends in its time",
                    end + " makes no progress for " + nanosWithoutProgress / 1_000_000 + " ms");
        }
        if (nanos != Context.NEVER) {
            nanosWithoutProgress += nanos;
        }
    }

    /**
     * What the wire has lost has a time limit. A message that waits for a receive stops its clock, and starts no other.
     */
    private void checkWire(long nanos) {
        Middlebox wire = end.middlebox;
        if (wire == null || end.queuePair().state() != ConnectionState.READY) {
            return;
        }
        boolean stopped = holdsInput() || end.loop().frozen() || world.interrupting() || nanos == Context.NEVER;
        long passed = stopped ? 0 : nanos;
        if (wire.lostResponse()) {
            // The clock of a response starts when the transport has taken the whole burst of its request.
            timeWithoutResponse += end.channel.pendingOutput() > 0 ? 0 : passed;
            requireEnd(timeWithoutResponse, end.settings.responseTimeout(), "a Read gets no response");
        }
        if (beginningOfFpdu()) {
            unfinished += passed;
            requireEnd(unfinished, end.settings.mpa().fpduTimeout(), "an FPDU is not completed");
        }
    }

    /** A deadline that sees progress starts again once. */
    private void requireEnd(long nanos, Duration limit, String what) {
        if (nanos > 2 * limit.toNanos() + LONG_REST) {
            world.violated(
                    "a wait ends in its time",
                    end + " " + what + " for " + nanos / 1_000_000 + " ms, the limit is " + limit.toMillis() + " ms");
        }
    }

    private boolean beginningOfFpdu() {
        Middlebox wire = end.middlebox;
        return wire != null
                && wire.endsWithinFpdu()
                && end.channel.in().readable() == 0
                && !end.channel.in().moving()
                && !end.channel.in().dead();
    }

    /** Returns whether a Read or an atomic awaits its response; the ready-to-receive Read is no post. */
    private boolean awaitsResponses() {
        Counters counters = end.queuePair().counters();
        if (counters.get(Counter.READS_REQUESTED) > counters.get(Counter.READS_COMPLETED)) {
            return true;
        }
        for (Post post : end.requests.posts) {
            if (post.returned && !post.completed && post.kind.hasResponse()) {
                return true;
            }
        }
        return false;
    }

    /** Returns what the stream waits for, other than its application or a peer that may be silent; or null. */
    private @Nullable String waits() {
        ConnectionState state = end.queuePair().state();
        if (state == ConnectionState.ESTABLISHED) {
            // A responder whose initiator may be silent for as long as it wants.
            return null;
        }
        if (state != ConnectionState.READY) {
            return "is " + state;
        }
        // While another stream holds the memory for incomplete FPDUs, its deadline bounds the waits for input.
        if (!end.lacksInputMemory()) {
            if (end.channel.inputWaits() && end.channel.config().isAutoRead()) {
                return "holds input back";
            }
            if (beginningOfFpdu()) {
                return "has the beginning of an FPDU";
            }
        }
        if (!polled() || !end.requests.pending()) {
            return null;
        }
        for (Post post : end.requests.posts) {
            if (post.returned && !post.completed && post.kind != Post.Kind.RECEIVE) {
                return post + " is not completed";
            }
        }
        return null;
    }

    /** Returns whether a message waits for a receive here, as far as the simulation can see. */
    boolean forReceive() {
        return end.prepared()
                && end.queuePair().state() == ConnectionState.READY
                && !end.channel.config().isAutoRead()
                && !pausedLong;
    }

    /** Returns whether a message waits for a receive here, or the application has stopped to read. */
    boolean holdsInput() {
        return end.channel.isOpen()
                && (end.channel.inputWaits() || !end.channel.config().isAutoRead());
    }

    private boolean hasFreeReceives() {
        if (end.pool != null) {
            return end.pool.queue().available() > 0;
        }
        if (plan.receives == Plan.Receives.MANAGED) {
            return true;
        }
        for (Post post : end.requests.posts) {
            if (post.kind == Post.Kind.RECEIVE && post.returned && !post.completed) {
                return true;
            }
        }
        return false;
    }

    private void noteWritten() {
        long written = end.channel.out().written();
        if (written != writtenBefore || !end.ready()) {
            writtenBefore = written;
            quietSince = world.now();
        }
    }

    private void checkKeepAlive(boolean excused) {
        noteWritten();
        long interval = end.settings.keepAliveInterval().toNanos();
        if (excused) {
            quietSince = world.now();
        } else if (interval > 0 && world.now() - quietSince > 3 * interval + LONG_REST) {
            world.violated(
                    "keep-alive keeps on",
                    end + " has sent nothing for " + (world.now() - quietSince) / 1_000_000 + " ms, the interval is "
                            + end.settings.keepAliveInterval());
        }
    }

    boolean polled() {
        return (end.sends == null || end.sends.size() == 0) && (end.gets == null || end.gets.size() == 0);
    }

    boolean heldLong() {
        return heldNanos > 10_000_000L;
    }
}
