package io.iwarp.simulation;

import io.iwarp.CloseReason;
import io.iwarp.Counter;
import io.iwarp.Counters;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.Role;
import io.iwarp.memory.IwarpDevice;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.verbs.CompletionQueue;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairListener;
import io.iwarp.verbs.QueuePairSettings;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One side of a connection: its queue pair, and how it begins and ends. What its application {@linkplain Requests
 * posts}, what {@linkplain Completions comes back}, its {@linkplain Regions memory} and what it {@linkplain Waits waits
 * for} have classes of their own.
 */
final class End {
    private static final long MAX_SENDING_BYTES = 1 << 20;

    final World world;
    final Plan plan;
    final String name;
    final QueuePairSettings settings;
    final SimulatedChannel channel;
    final SimulatedAllocator allocator;
    final @Nullable SharedPool pool;
    final ProtectionDomain domain;
    final boolean ownReceives;
    final Regions regions;
    final Sharing sharing;
    final Requests requests;
    final Completions completions;
    final Waits waits;

    @Nullable
    Middlebox middlebox;

    private @Nullable Hoarder hoarder;

    /** The completion queues of requests and of receives; null if a listener is called back. */
    @Nullable
    CompletionQueue sends;

    @Nullable
    CompletionQueue gets;

    private @Nullable End peer;
    private @Nullable QueuePair queuePair;
    private boolean ready;
    private boolean failedSetup;
    private boolean closeCalled;
    private boolean readyAtClose;
    private boolean abortCalled;
    private @Nullable CloseReason closedReason;
    private long endedAt;
    private int closedCalls;

    End(
            World world,
            Plan plan,
            String name,
            QueuePairSettings settings,
            SimulatedChannel channel,
            SimulatedAllocator allocator,
            @Nullable SharedPool pool) {
        this.world = world;
        this.plan = plan;
        this.name = name;
        this.settings = settings;
        this.channel = channel;
        this.allocator = allocator;
        this.pool = pool;
        domain = device(plan).createProtectionDomain();
        ownReceives = plan.receives != Plan.Receives.MANAGED && pool == null;
        regions = new Regions(this);
        sharing = new Sharing(this, regions.target);
        requests = new Requests(this);
        completions = new Completions(this);
        waits = new Waits(this);
    }

    private static IwarpDevice device(Plan plan) {
        IwarpDevice.Builder device = IwarpDevice.builder().maxSendingBytes(MAX_SENDING_BYTES);
        if (plan.trouble.has(Trouble.Kind.HOARDERS)) {
            device.maxManagedReceiveBytes(Hoarder.MANAGED_LIMIT).maxPartialFpduBytes(Hoarder.INPUT_LIMIT);
        }
        return device.build();
    }

    boolean ready() {
        return ready;
    }

    void peer(End other) {
        peer = other;
    }

    End other() {
        return Objects.requireNonNull(peer);
    }

    void hoarder(Hoarder onItsDevice) {
        hoarder = onItsDevice;
    }

    /** Returns whether another stream of the device holds the memory for incomplete FPDUs, for a limited time. */
    boolean lacksInputMemory() {
        return hoarder != null && hoarder.holds();
    }

    void middlebox(Middlebox beforeThis) {
        middlebox = beforeThis;
    }

    SimulatedLoop loop() {
        return channel.loop();
    }

    QueuePair queuePair() {
        return Objects.requireNonNull(queuePair);
    }

    boolean prepared() {
        return queuePair != null;
    }

    /** Before the connection: who is told of what, and the first receives. */
    void prepare(QueuePair prepared) {
        if (pool != null) {
            prepared.setSharedReceiveQueue(pool.queue());
        }
        if (plan.completionQueue) {
            CompletionQueue sendQueue = CompletionQueue.create(CompletionQueue.capacityFor(settings, 1));
            CompletionQueue getQueue = CompletionQueue.create(200);
            prepared.setCompletionQueues(sendQueue, getQueue);
            sends = sendQueue;
            gets = getQueue;
            world.add(new Poller(world, this, sendQueue, name + "-poll", false, this::lateness, () -> {}));
            world.add(new Poller(
                    world,
                    this,
                    getQueue,
                    name + "-get",
                    plan.solicitedEvents,
                    this::lateness,
                    completions::sawNothing));
        } else {
            prepared.setCompletionListener((pair, completion) -> completions.onCompletion(completion));
        }
        prepared.setListener(new QueuePairListener() {
            @Override
            public void onReady(QueuePair pair) {
                ready = true;
                world.trace().add(world, "ready", End.this);
                mayThrow();
            }

            @Override
            public void onInputShutdown(QueuePair pair) {
                world.trace().add(world, "peer closed its half", End.this);
                mayThrow();
            }

            @Override
            public void onClosed(QueuePair pair, CloseReason reason) {
                closedCalls++;
                mayThrow();
            }
        });
        prepared.closed().thenAccept(reason -> {
            closedReason = reason;
            endedAt = world.now();
            world.trace().add(world, "ended", End.this, reason);
            onEnded(reason);
        });
        prepared.ready().exceptionally(failure -> {
            failedSetup = true;
            return prepared;
        });
        queuePair = prepared;
        sharing.bind();
        if (ownReceives) {
            for (int i = 0; i < plan.initialReceives; i++) {
                requests.postReceive();
            }
        }
        completions.start();
        waits.start();
        if (plan.trouble.has(Trouble.Kind.ANY_THROWABLE)) {
            mayThrow();
        }
    }

    private void onEnded(CloseReason reason) {
        boolean rejected = plan.rejects && queuePair().snapshot().role() == Role.INITIATOR;
        if (reason.endedBy() == EndedBy.PEER_CLOSED
                && !rejected
                && !channel.in().ended()
                && !channel.failed()) {
            world.violated("every end has a cause", this + " " + reason + ", and the peer has not closed");
        }
        if (!world.interrupting()) {
            requests.checkFutures();
        }
    }

    private long lateness() {
        return plan.trouble.has(Trouble.Kind.LATE_POLLS)
                ? world.dice.between(0, world.dice.oneOf(1_000_000L, 300_000_000L, 20_000_000_000L))
                : 0;
    }

    boolean over() {
        return closedReason != null;
    }

    boolean closing() {
        return closeCalled || abortCalled || over();
    }

    void mayThrow() {
        if (world.dice.permille(plan.throwingPermille)) {
            world.trace().add(world, "throws", this);
            if (plan.trouble.has(Trouble.Kind.ANY_THROWABLE)) {
                SimulatedFailure.<RuntimeException>throwAny(plan.trouble.dice);
            }
            throw new SimulatedFailure();
        }
    }

    void close() {
        if (queuePair == null) {
            return;
        }
        world.trace().add(world, "closes", this);
        if (!closing()) {
            readyAtClose = ready;
        }
        // What was posted by any thread before this call is sent; what comes from now on may be.
        closeCalled = true;
        queuePair().close();
    }

    void abort() {
        if (queuePair != null) {
            world.trace().add(world, "aborts", this);
            abortCalled = true;
            queuePair().abort();
        }
    }

    /** Closes the channel, past the queue pair. */
    void closeChannel() {
        if (queuePair != null && !loop().isShutdown()) {
            world.trace().add(world, "closes the channel", this);
            abortCalled = true;
            channel.close();
        }
    }

    /** Plays with what Netty lets any code do to a channel. */
    void pause() {
        if (loop().isShuttingDown()) {
            return;
        }
        int what = world.dice.below(4);
        world.trace().add(world, "autoRead and read()", this, what);
        switch (what) {
            case 0 -> {
                channel.pausedByApplication(true);
                channel.config().setAutoRead(false);
                world.after(world.dice.between(0, plan.longestRest), "autoRead", () -> {
                    channel.pausedByApplication(false);
                    if (!loop().isShutdown()) {
                        loop().execute(() -> channel.config().setAutoRead(true));
                    }
                });
            }
            case 1 -> channel.config().setAutoRead(true);
            default -> channel.read();
        }
        if (what < 2) {
            waits.paused();
        }
    }

    /** The run is over: what has to be true of this side. */
    void judge(boolean disturbed) {
        if (queuePair == null) {
            return;
        }
        CloseReason reason = closedReason;
        if (reason == null) {
            world.violated(
                    "both ends learn of the end", this + " " + queuePair().snapshot());
            return;
        }
        if (closedCalls != 1) {
            world.violated("the end is told once", this + " was told " + closedCalls + " times");
        }
        if (channel.isOpen()) {
            world.violated("the connection is closed", this + " is open after the end: " + reason);
        }
        judgePosts(reason);
        judgeReason(reason, disturbed);
        if (!other().requests.orderUnknown()) {
            regions.judgeMemory();
            regions.judgeNumbers();
        }
    }

    private void judgePosts(CloseReason reason) {
        boolean loopEnds = loop().isShuttingDown();
        boolean closedInOrder = readyAtClose
                && !loopEnds
                && reason.endedBy() == EndedBy.LOCAL_APPLICATION
                && reason.cause() == null
                && !abortCalled;
        for (Post post : requests.posts) {
            if (post.returned && !post.completed) {
                world.violated("each post completes once", this + " " + post + " never completes");
            }
            if (closedInOrder
                    && post.completed
                    && !post.successful
                    && post.beforeClose
                    && post.kind != Post.Kind.RECEIVE) {
                world.violated("what was posted before close() is sent", this + " " + post + ", " + reason);
            }
        }
        for (int i = 1; i < completions.receiveOrder.size(); i++) {
            Post earlier = completions.receiveOrder.get(i - 1);
            Post later = completions.receiveOrder.get(i);
            if (earlier.poster == later.poster && earlier.id > later.id) {
                world.violated("posts complete in order", this + " " + later + " behind " + earlier);
            }
        }
    }

    private void judgeReason(CloseReason reason, boolean disturbed) {
        if (reason.error() == ProtocolError.MPA_CRC_MISMATCH) {
            world.violated("the bytes that are sent are those of the CRC", this + " " + reason);
        }
        if (reason.error() == ProtocolError.DDP_UNTAGGED_NO_BUFFER && reason.endedBy() == EndedBy.LOCAL_FAULT) {
            long waited = endedAt - completions.progressAt();
            if (waited < plan.receiveTimeout) {
                world.violated(
                        "a message waits as long as receiveTimeout says",
                        this + " ended after " + waited / 1000 + " us of " + plan.receiveTimeout / 1000);
            }
            return;
        }
        boolean bothReady = ready && other().ready;
        if (disturbed
                || !bothReady
                || regions.revoked()
                || other().regions.revoked()
                || abortCalled
                || other().abortCalled) {
            return;
        }
        if (reason.endedBy() == EndedBy.TIMEOUT) {
            boolean excused = waits.pausedLong()
                    || other().waits.pausedLong()
                    || waits.heldLong()
                    || other().waits.heldLong()
                    || plan.trouble.has(Trouble.Kind.LATE_POLLS)
                    || !settings.idleTimeout().isZero();
            if (!excused) {
                world.violated("a time limit ends what stands still, nothing else", this + " " + reason);
            }
        }
        boolean faulty = reason.endedBy() == EndedBy.LOCAL_FAULT;
        boolean told = reason.endedBy() == EndedBy.PEER_TERMINATE;
        boolean peerEnded = other().closedReason != null
                && (other().closedReason.endedBy() == EndedBy.TIMEOUT
                        || other().closedReason.endedBy() == EndedBy.LOCAL_FAULT);
        if ((faulty && !other().closeCalled) || (told && !peerEnded)) {
            world.violated("every end has a cause", this + " " + reason + ", the peer " + other().closedReason);
        }
    }

    /** What the peer can make this side hold stays within its limits. */
    void checkHoldings() {
        long sending = domain.device().sendingBytes();
        if (sending > MAX_SENDING_BYTES) {
            world.violated("what is held has a limit", this + " reserved " + sending + " bytes to send");
        }
        long queued = channel.pendingOutput();
        if (queued > 2L * settings.transmitWindow()) {
            world.violated("what is held has a limit", this + " has queued " + queued + " bytes");
        }
        Counters counters = queuePair().counters();
        long responses = counters.get(Counter.PEER_READS_ACCEPTED) - counters.get(Counter.PEER_READS_COMPLETED);
        if (ready && responses > 2L * queuePair().parameters().ird()) {
            world.violated("what is held has a limit", this + " holds " + responses + " responses");
        }
    }

    /** Gives everything back; what cannot be is a violation. */
    void dispose() {
        for (Post post : requests.posts) {
            post.letGo();
        }
        sharing.dispose();
        regions.close();
        if (domain.regionCount() != 0) {
            world.violated("nothing is left", this + " has " + domain.regionCount() + " regions");
        }
        long input = domain.device().managedReceiveBytes() + domain.device().partialFpduBytes();
        if (input != 0) {
            world.violated("nothing is left", this + " has " + input + " bytes of incomplete input");
        }
        if (domain.device().sendingBytes() != 0) {
            world.violated(
                    "nothing is left", this + " has " + domain.device().sendingBytes() + " bytes reserved to send");
        }
        if (domain.device().windowCount() != 0) {
            world.violated("nothing is left", this + " has " + domain.device().windowCount() + " windows");
        }
        for (CompletionQueue queue : new CompletionQueue[] {sends, gets}) {
            if (queue != null) {
                if (queue.reserved() != 0 || queue.size() != 0) {
                    world.violated("nothing is left", this + " " + queue);
                } else {
                    queue.close();
                }
            }
        }
        try {
            domain.close();
        } catch (IllegalStateException e) {
            world.violated("nothing is left", this + " " + e.getMessage());
        }
        regions.release();
    }

    boolean setUp() {
        return ready || failedSetup;
    }

    @Override
    public String toString() {
        return name;
    }
}
