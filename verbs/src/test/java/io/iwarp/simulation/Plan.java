package io.iwarp.simulation;

import io.iwarp.ddp.DdpHandler;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.mpa.ReadyToReceive;
import io.iwarp.verbs.QueuePairSettings;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/**
 * What kind of run a seed makes. Each run has few kinds of trouble: a run that has all of them ends before anything
 * rare can happen.
 */
final class Plan {
    enum Receives {
        OWN,
        SHARED,
        MANAGED
    }

    private static final long MILLI = 1_000_000L;
    static final int SEND_LIMIT = 1500;
    private static final int DEEP = 32;
    private static final int MANY = 60;

    final int connections;
    final boolean oneLoop;
    final int interruptionPermille;
    final int stallPermille;
    final int outOfMemoryPermille;
    final boolean exhaustions;
    final int throwingPermille;
    final int pipeCapacity;
    final long slowestWire;
    final boolean cuts;
    final int threads;
    final int actions;
    final int restPermille;
    final long longestRest;
    final long longestSettling;
    final long keepAlive;
    final int closePermille;
    final int futurePermille;
    final boolean completionQueue;
    final boolean solicitedEvents;
    final Receives receives;
    final int initialReceives;
    final long receiveDelay;
    final long receiveTimeout;
    final int callbackPostPermille;
    final int pausePermille;
    final boolean revokes;
    final boolean resets;
    final boolean silences;
    final boolean aborts;
    final boolean rejects;
    final boolean readsOnly;
    final int largest;
    /**
     * The responses to many long Reads wait for the transmit window, while their side has no memory: what it has sent
     * is all that lets it continue.
     */
    final boolean fullWindows;

    private final Set<ReadyToReceive> readyToReceive;
    final Trouble trouble;
    final QueuePairSettings initiator;
    final QueuePairSettings responder;

    Plan(Dice dice, Trouble trouble) {
        this.trouble = trouble;
        fullWindows = dice.permille(40);
        int several = dice.permille(250) ? 2 + dice.below(2) : 1;
        boolean slow = trouble.has(Trouble.Kind.SLOW_LOOPS) && !trouble.has(Trouble.Kind.HOARDERS);
        boolean few = slow || trouble.shortOfReceives();
        connections = slow ? 3 : several;
        oneLoop = dice.permille(300)
                && !slow
                && !trouble.has(Trouble.Kind.FREEZE)
                && !trouble.has(Trouble.Kind.LOOP_ENDS);
        interruptionPermille = dice.oneOf(0, 0, 20, 100, 300);
        stallPermille = dice.oneOf(0, 0, 50, 300);
        outOfMemoryPermille = !fullWindows && dice.permille(120) ? dice.oneOf(2, 10, 50) : 0;
        exhaustions = !fullWindows && dice.permille(120);
        throwingPermille = dice.permille(150) || trouble.has(Trouble.Kind.ANY_THROWABLE) ? 100 : 0;
        pipeCapacity = fullWindows ? 1 << 14 : dice.oneOf(1 << 11, 1 << 14, 1 << 16);
        slowestWire = fullWindows ? dice.oneOf(50_000L, 3 * MILLI) : dice.oneOf(0L, 50_000L, 3 * MILLI);
        boolean cut = dice.permille(700);
        cuts = cut && !trouble.has(Trouble.Kind.HALF_FPDU);
        boolean rests = trouble.shortOfReceives() && !fullWindows;
        int most = 1 + dice.below(3);
        threads = rests ? 1 : most;
        actions = fullWindows ? 30 : rests ? MANY : 2 + dice.below(30);
        restPermille = rests ? 700 : fullWindows ? 0 : dice.oneOf(0, 50, 200);
        longestRest = rests ? 50 * MILLI : dice.oneOf(MILLI, 100 * MILLI, 4000 * MILLI);
        keepAlive = dice.permille(300) ? dice.oneOf(20 * MILLI, 300 * MILLI) : 0;
        longestSettling = keepAlive == 0 ? 70_000 * MILLI : 12 * keepAlive;
        closePermille = fullWindows || rests ? 0 : dice.oneOf(0, 20, 100);
        completionQueue = dice.permille(300) || trouble.has(Trouble.Kind.LATE_POLLS);
        solicitedEvents = completionQueue && dice.permille(400);
        futurePermille = completionQueue && !trouble.has(Trouble.Kind.LATE_POLLS) ? 0 : dice.oneOf(0, 0, 500);
        int mode = dice.below(10);
        receives = trouble.has(Trouble.Kind.HOARDERS)
                ? Receives.MANAGED
                : slow ? Receives.SHARED : mode < 6 ? Receives.OWN : mode < 8 ? Receives.SHARED : Receives.MANAGED;
        long wait = dice.permille(receives == Receives.OWN ? 600 : 950)
                ? dice.oneOf(20 * MILLI, 2000 * MILLI, 20_000 * MILLI)
                : 0;
        receiveTimeout = few ? Math.max(wait, 2000 * MILLI) : wait;
        initialReceives = receiveTimeout == 0 ? 16 : few ? 1 + dice.below(slow ? 3 : 1) : dice.below(9);
        long delay = dice.oneOf(0L, 10 * MILLI, receiveTimeout * 3 / 4, receiveTimeout * 3 / 4);
        receiveDelay = slow ? Math.min(delay, 1 * MILLI) : few ? 20 * MILLI : delay;
        callbackPostPermille = dice.oneOf(0, 0, 200);
        pausePermille = dice.permille(250) ? 100 : 0;
        revokes = dice.permille(150);
        resets = dice.permille(100);
        silences = dice.permille(80);
        aborts = dice.permille(80);
        rejects = dice.permille(20);
        readsOnly = dice.permille(100) || fullWindows;
        largest = fullWindows ? 30_000 : dice.oneOf(100, 2000, 30_000);
        boolean withoutResponses = trouble.has(Trouble.Kind.NO_RESPONSES) && trouble.dice.permille(500);
        boolean startsAnyhow = trouble.has(Trouble.Kind.READY_TO_RECEIVE) || withoutResponses;
        boolean enhanced = dice.permille(300) || startsAnyhow || trouble.has(Trouble.Kind.FEW_READS);
        boolean peerToPeer = (enhanced && dice.permille(500)) || startsAnyhow;
        readyToReceive =
                EnumSet.of(withoutResponses ? ReadyToReceive.READ : trouble.dice.oneOf(ReadyToReceive.values()));
        initiator = settings(dice, enhanced, peerToPeer, startsAnyhow);
        responder = settings(dice, enhanced, peerToPeer, startsAnyhow);
    }

    private QueuePairSettings settings(Dice dice, boolean enhanced, boolean peerToPeer, boolean startsAnyhow) {
        int depth = 1 << dice.below(4);
        boolean fewReads = trouble.has(Trouble.Kind.FEW_READS);
        MpaSettings mpa = MpaSettings.builder()
                .requestMarkers(dice.permille(200) && !trouble.onTheWire())
                .mulpdu(longestUlpdu(dice))
                .enhanced(enhanced)
                .peerToPeer(peerToPeer)
                .ird(fewReads ? trouble.dice.below(2) : depthOf(enhanced, depth))
                .ord(fewReads ? trouble.dice.below(2) : depthOf(enhanced, depth))
                .readyToReceive(startsAnyhow ? readyToReceive : MpaSettings.DEFAULT.readyToReceive())
                .fpduTimeout(
                        trouble.has(Trouble.Kind.HALF_FPDU)
                                ? Duration.ofNanos(trouble.dice.oneOf(100 * MILLI, 1000 * MILLI))
                                : MpaSettings.DEFAULT.fpduTimeout())
                .firstFpduDelay(Duration.ofNanos(dice.oneOf(0L, 0L, MILLI)))
                .build();
        Duration closeTimeout = Duration.ofNanos(dice.oneOf(shortestClose(), 1000 * MILLI, 5000 * MILLI));
        Duration responseTimeout = Duration.ofNanos(dice.oneOf(1000 * MILLI, 60_000 * MILLI));
        Duration transmitTimeout = QueuePairSettings.DEFAULT.transmitTimeout();
        if (trouble.has(Trouble.Kind.FREEZE)) {
            transmitTimeout = Duration.ofNanos(trouble.dice.oneOf(1000 * MILLI, 10_000 * MILLI, 60_000 * MILLI));
        }
        if (trouble.has(Trouble.Kind.NO_RESPONSES)) {
            responseTimeout = Duration.ofNanos(trouble.dice.oneOf(50 * MILLI, 1000 * MILLI));
        }
        QueuePairSettings.Builder builder = QueuePairSettings.builder();
        if (receives != Receives.SHARED) {
            builder.receiveQueueDepth(16);
        }
        return builder.sendQueueDepth(fullWindows ? DEEP : dice.oneOf(1, 2, 8, DEEP))
                .maxPendingPosts(pendingPosts())
                .managedReceiveBytes(receives == Receives.MANAGED ? 4096 : 0)
                .maxOutstandingBytes(dice.permille(200) ? 40_000 : Long.MAX_VALUE)
                .receiveTimeout(Duration.ofNanos(receiveTimeout))
                .closeWithPeer(dice.permille(850))
                .idleTimeout(Duration.ofNanos(dice.permille(100) ? 3000 * MILLI : 0))
                .keepAliveInterval(Duration.ofNanos(dice.permille(700) ? keepAlive : 0))
                .mpa(mpa)
                .transmitWindow(DdpHandler.MIN_TRANSMIT_WINDOW)
                .closeTimeout(closeTimeout)
                .responseTimeout(responseTimeout)
                .transmitTimeout(transmitTimeout)
                .build();
    }

    /** Takes no dice of its own, so that other seeds make the same runs as before. */
    private int pendingPosts() {
        return switch (actions % 5) {
            case 0 -> 1 + threads;
            case 1 -> 100;
            default -> 0;
        };
    }

    private int longestUlpdu(Dice dice) {
        return fullWindows || trouble.has(Trouble.Kind.SHARED_SOURCES)
                ? dice.oneOf(8000, MpaSettings.MAX_MULPDU)
                : dice.oneOf(128, 1000, 1460, 8000, MpaSettings.MAX_MULPDU);
    }

    /** Long enough for a full transmit window, within which no side sees that bytes move. */
    private long shortestClose() {
        return slowestWire > MILLI ? 1000 * MILLI : 100 * MILLI;
    }

    /** A plain set-up tells neither side how many Reads may be asked for at a time, so both sides take as many. */
    private int depthOf(boolean enhanced, int depth) {
        return fullWindows ? DEEP : enhanced ? depth : 8;
    }

    @Override
    public String toString() {
        return connections + " connections, " + (oneLoop ? "one loop" : "two loops") + ", " + threads + " threads of "
                + actions + " actions on each side, receives " + receives + " (" + initialReceives
                + " at first, others after " + receiveDelay / 1000 + " us)"
                + ", wait " + receiveTimeout / 1000 + " us, completions "
                + (completionQueue ? solicitedEvents ? "solicited" : "polled" : "called back") + ", pipe "
                + pipeCapacity
                + " bytes, " + slowestWire / 1000 + " us" + (cuts ? ", cut" : "") + ", interruptions "
                + interruptionPermille
                + ", stalls " + stallPermille + ", out of memory " + outOfMemoryPermille
                + (exhaustions ? " and for a while" : "") + ", throwing " + throwingPermille
                + (revokes ? ", revokes" : "") + (resets ? ", resets" : "") + (silences ? ", silences" : "")
                + (aborts ? ", aborts" : "") + (fullWindows ? ", full windows" : "") + (rejects ? ", rejects" : "")
                + ", trouble " + trouble
                + "\ninitiator " + initiator
                + "\nresponder "
                + responder;
    }
}
