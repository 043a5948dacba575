package io.iwarp.simulation;

import static io.iwarp.verbs.CompareSwap.compare;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionState;
import io.iwarp.EndedBy;
import io.iwarp.Operation;
import io.iwarp.ProtocolError;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.Completion;
import io.iwarp.verbs.CompletionQueue;
import io.iwarp.verbs.PostOptions;
import io.iwarp.verbs.QueueFullException;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairClosedException;
import io.iwarp.verbs.QueuePairListener;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.buffer.ByteBuf;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One side of a connection: its queue pair, its memory, what its application did, and what has to be true of that. */
final class End {
    private static final int REGION_BYTES = 32 * 1024;
    private static final byte[] ZEROS = new byte[REGION_BYTES];
    private static final byte[] SOURCE = new byte[REGION_BYTES];
    private static final int NUMBERS = 8;
    private static final int RECEIVE_BYTES = 2048;
    /** The longest Read into a part of a region. */
    private static final int SINK_BYTES = 2000;

    private static final int SINKS = REGION_BYTES / SINK_BYTES;
    /** Ids from here on are those of the shared receive queue. */
    static final int SHARED_IDS = 1_000_000;

    static {
        for (int i = 0; i < SOURCE.length; i++) {
            SOURCE[i] = (byte) (i * 7 + (i >>> 8) * 13);
        }
    }

    private static final long LONG_REST = 20_000_000L;

    final World world;
    final Plan plan;
    final String name;
    final QueuePairSettings settings;
    final SimulatedChannel channel;
    final SimulatedAllocator allocator;
    final @Nullable SharedPool pool;
    final ProtectionDomain domain = ProtectionDomain.create();
    private final ByteBuf targetMemory;
    private final ByteBuf sourceMemory;
    private final ByteBuf numberMemory;
    private final ByteBuf localMemory;
    private final MemoryRegion target;
    private final MemoryRegion source;
    private final MemoryRegion numbers;
    private final MemoryRegion local;
    private final Sharing sharing;
    private @Nullable Middlebox middlebox;
    private final boolean ownReceives;
    private final RemoteBuffer targetAddress;
    private final RemoteBuffer sourceAddress;
    private final RemoteBuffer numbersAddress;
    private final List<Post> posts = new ArrayList<>();
    private final List<Post> sendOrder = new ArrayList<>();
    private final List<Post> receiveOrder = new ArrayList<>();
    private final List<Integer> received = new ArrayList<>();
    private final Map<Context, Integer> lastOfPoster = new HashMap<>();
    private @Nullable End peer;
    private @Nullable QueuePair queuePair;
    private @Nullable CompletionQueue sends;
    private @Nullable CompletionQueue gets;
    private boolean ready;
    private boolean failedSetup;
    private boolean closeCalled;
    private boolean readyAtClose;
    private boolean abortCalled;
    private boolean revoked;
    private boolean pausedLong;
    private long heldNanos;
    private boolean receiveFlushed;
    private boolean sendFlushed;
    private boolean orderUnknown;
    private @Nullable CloseReason closedReason;
    private long endedAt;
    private int closedCalls;
    private int owed;
    private int credits;
    private int lastSink;
    private long progressAt;
    /** When the application last saw that its completion queue was empty. */
    private long emptyAt;

    private long movedBeforeClose;
    private long closeStands;
    private long stuckSince;
    private long movedBefore;
    private int completions;
    private long quietSince;
    private long writtenBefore = -1;
    private byte @Nullable [] targetAtRevocation;
    private int receivedAtRevocation;

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
        targetMemory = zeros(REGION_BYTES);
        sourceMemory = zeros(REGION_BYTES);
        numberMemory = zeros(NUMBERS * Long.BYTES);
        localMemory = zeros(REGION_BYTES);
        sourceMemory.setBytes(0, SOURCE);
        target = domain.register(targetMemory, AccessRight.REMOTE_WRITE);
        source = domain.register(sourceMemory, AccessRight.REMOTE_READ);
        numbers = domain.register(numberMemory, AccessRight.REMOTE_ATOMIC);
        local = domain.register(localMemory, AccessRight.LOCAL_WRITE);
        sharing = new Sharing(this, target);
        ownReceives = plan.receives != Plan.Receives.MANAGED && pool == null;
        targetAddress = target.remoteBuffer();
        sourceAddress = source.remoteBuffer();
        numbersAddress = numbers.remoteBuffer();
        credits = plan.initialReceives;
    }

    private ByteBuf zeros(int bytes) {
        ByteBuf buffer = allocator.directBuffer(bytes, bytes);
        return buffer.writeBytes(ZEROS, 0, bytes);
    }

    void peer(End other) {
        peer = other;
    }

    private End other() {
        return Objects.requireNonNull(peer);
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
            prepared.sharedReceiveQueue(pool.queue());
        }
        if (plan.completionQueue) {
            CompletionQueue sendQueue = CompletionQueue.create(CompletionQueue.capacityFor(settings, 1));
            CompletionQueue getQueue = CompletionQueue.create(200);
            prepared.completionQueues(sendQueue, getQueue);
            sends = sendQueue;
            gets = getQueue;
            world.add(new Poller(world, this, sendQueue, name + "-poll", false, this::lateness, () -> {}));
            world.add(new Poller(
                    world, this, getQueue, name + "-get", plan.solicitedEvents, this::lateness, this::sawNothing));
        } else {
            prepared.completionListener((pair, completion) -> onCompletion(completion));
        }
        prepared.listener(new QueuePairListener() {
            @Override
            public void onReady(QueuePair pair) {
                ready = true;
                world.trace().add(world, "ready", End.this);
                mayThrow();
            }

            @Override
            public void onPeerClosedHalf(QueuePair pair) {
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
        });
        prepared.ready().exceptionally(failure -> {
            failedSetup = true;
            return prepared;
        });
        queuePair = prepared;
        sharing.bind();
        if (ownReceives) {
            for (int i = 0; i < plan.initialReceives; i++) {
                postReceive();
            }
        }
        progressAt = world.now();
        emptyAt = world.now();
        stuckSince = world.now();
        quietSince = world.now();
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

    /** One thing that an application does; by one of its threads, or within a callback. */
    void act() {
        if (world.dice.permille(plan.closePermille)) {
            close();
            return;
        }
        if (world.dice.permille(plan.pausePermille)) {
            pause();
            return;
        }
        if (plan.trouble.has(Trouble.Kind.SHARED_SOURCES) && world.dice.permille(400)) {
            postSharedWrite();
            return;
        }
        if (plan.trouble.has(Trouble.Kind.WINDOWS) && world.dice.permille(400)) {
            postThroughWindow();
            return;
        }
        int kind = plan.readsOnly ? 4 : world.dice.below(9);
        switch (kind) {
            case 0, 1 -> postSend(false);
            case 2 -> postWrite(false);
            case 3 -> postWrite(true);
            case 4, 5, 6, 7 -> {
                if (settings.mpa().ord() == 0 || other().settings.mpa().ird() == 0) {
                    // Nothing with a response: posting it is an error that ends the stream.
                    return;
                }
                if (kind < 6) {
                    postRead();
                } else {
                    postAtomic(kind == 6);
                }
            }
            default -> postSend(true);
        }
    }

    private void postSharedWrite() {
        int length = 1 + world.dice.below(Sharing.LONGEST);
        int at = world.dice.below(Sharing.BYTES - length);
        RemoteBuffer to = other().sharing.shared(world.dice.below(Sharing.BYTES - length), length);
        Post post = newPost(Post.Kind.SHARED_WRITE, length);
        postWithId(
                post,
                () -> queuePair().sendQueue().write(post.id, sharing.region(), at, length, to, 0, PostOptions.NONE));
    }

    /** A Write through the peer's window, and a Send that invalidates it. Then the peer binds another. */
    private void postThroughWindow() {
        if (!mayMessage()) {
            return;
        }
        RemoteBuffer window = other().sharing.takeWindow();
        if (window == null) {
            giveCreditBack();
            return;
        }
        Post write = newPost(Post.Kind.WRITE, world.dice.below(plan.largest));
        write.offset = world.dice.below(REGION_BYTES - write.length);
        ByteBuf bytes = payload(write, write.length);
        write.buffer = bytes;
        RemoteBuffer to = window.slice(write.offset, write.length);
        postWithId(write, () -> queuePair().sendQueue().write(write.id, bytes, to, 0, PostOptions.NONE));
        Post send = newPost(Post.Kind.SEND, 4 + world.dice.below(Plan.SEND_LIMIT));
        ByteBuf message = payload(send, send.length).setInt(0, send.id);
        send.buffer = message;
        PostOptions options = options();
        postWithId(send, () -> queuePair().sendQueue().sendWithInvalidate(send.id, message, window, options));
        if (send.refused) {
            other().sharing.offerWindow();
        }
    }

    private Post newPost(Post.Kind kind, int length) {
        Post post = new Post(posts.size(), kind, world.current());
        post.length = length;
        post.beforeClose = !closing();
        posts.add(post);
        world.trace().add(world, "posts", this, post);
        return post;
    }

    private ByteBuf payload(Post post, int length) {
        ByteBuf buffer = allocator.directBuffer(Math.max(1, length), Math.max(1, length));
        buffer.writeBytes(MemoryModel.pattern(post.id, 0, length));
        return buffer;
    }

    private PostOptions options() {
        boolean fenced = world.dice.permille(100);
        if (plan.solicitedEvents) {
            return fenced ? PostOptions.SOLICITED_AND_FENCED : PostOptions.SOLICITED;
        }
        return fenced ? PostOptions.FENCED : PostOptions.NONE;
    }

    /** Without a wait at the peer a message that finds no receive ends the stream, so the application counts them. */
    private boolean mayMessage() {
        if (plan.receiveWait > 0) {
            return true;
        }
        if (other().credits == 0 || !other().ownReceives) {
            return false;
        }
        other().credits--;
        return true;
    }

    private void giveCreditBack() {
        if (plan.receiveWait == 0) {
            other().credits++;
        }
    }

    private void postSend(boolean immediate) {
        if (!mayMessage()) {
            return;
        }
        Post post = newPost(
                immediate ? Post.Kind.IMMEDIATE : Post.Kind.SEND,
                immediate ? 8 : 4 + world.dice.below(Plan.SEND_LIMIT));
        PostOptions options = options();
        if (immediate) {
            post(
                    post,
                    () -> queuePair().sendQueue().sendImmediate(post.id, post.id, options),
                    () -> queuePair().futures().sendImmediate(post.id, options));
            return;
        }
        ByteBuf buffer = payload(post, post.length).setInt(0, post.id);
        post.buffer = buffer;
        post(
                post,
                () -> queuePair().sendQueue().send(post.id, buffer, options),
                () -> queuePair().futures().send(buffer, options));
    }

    private void postWrite(boolean immediate) {
        if (immediate && !mayMessage()) {
            return;
        }
        int length = world.dice.below(plan.largest);
        Post post = newPost(immediate ? Post.Kind.WRITE_WITH_IMMEDIATE : Post.Kind.WRITE, length);
        post.offset = world.dice.below(REGION_BYTES - length);
        ByteBuf buffer = payload(post, length);
        post.buffer = buffer;
        RemoteBuffer to = other().targetAddress.slice(post.offset, length);
        PostOptions options = options();
        if (immediate) {
            post(
                    post,
                    () -> queuePair().sendQueue().writeWithImmediate(post.id, buffer, to, 0, post.id, options),
                    () -> queuePair().futures().writeWithImmediate(buffer, to, post.id, options));
        } else {
            post(
                    post,
                    () -> queuePair().sendQueue().write(post.id, buffer, to, 0, options),
                    () -> queuePair().futures().write(buffer, to, options));
        }
    }

    private void postRead() {
        int length = plan.fullWindows ? plan.largest - world.dice.below(1000) : world.dice.below(plan.largest);
        Post post = newPost(Post.Kind.READ, length);
        post.offset = world.dice.below(REGION_BYTES - length);
        RemoteBuffer from = other().sourceAddress.slice(post.offset, length);
        PostOptions options = options();
        int at = length <= SINK_BYTES && local.isValid() && world.dice.permille(500) ? freeSink() : -1;
        if (at >= 0) {
            post.region = local;
            post.operand = at;
            post(
                    post,
                    () -> queuePair().sendQueue().read(post.id, local, at, length, from, 0, options),
                    () -> queuePair().futures().read(local, at, from, options));
            return;
        }
        ByteBuf sink = allocator.directBuffer(Math.max(1, length), Math.max(1, length));
        if (length == 0) {
            sink.writerIndex(1);
        }
        post.buffer = sink;
        postRead(post, sink, from, options);
        if (length == 0) {
            // Nothing of it is looked at later.
            post.letGo();
        }
    }

    private void postRead(Post post, ByteBuf sink, RemoteBuffer from, PostOptions options) {
        post(
                post,
                () -> queuePair().sendQueue().read(post.id, sink, sink.writableBytes(), from, 0, options),
                () -> queuePair().futures().read(sink, from, options));
    }

    /** {@return where in the local region there is room that no Read fills until its completion was looked at, or -1} */
    private int freeSink() {
        boolean[] taken = new boolean[SINKS];
        for (Post post : posts) {
            if (post.region != null && !post.completed && !post.refused) {
                taken[(int) post.operand / SINK_BYTES] = true;
            }
        }
        for (int i = 0; i < SINKS; i++) {
            lastSink = (lastSink + 1) % SINKS;
            if (!taken[lastSink]) {
                return lastSink * SINK_BYTES;
            }
        }
        return -1;
    }

    private void postAtomic(boolean add) {
        Post post = newPost(add ? Post.Kind.FETCH_ADD : Post.Kind.COMPARE_SWAP, Long.BYTES);
        post.offset = world.dice.below(NUMBERS) * Long.BYTES;
        post.operand = 1L + world.dice.below(5);
        post.expected = world.dice.below(5);
        RemoteBuffer at = other().numbersAddress.slice(post.offset, Long.BYTES);
        PostOptions options = options();
        if (add) {
            post(
                    post,
                    () -> queuePair().sendQueue().fetchAdd(post.id, at, 0, post.operand, 0, options),
                    () -> queuePair().futures().fetchAdd(at, post.operand, 0, options));
        } else {
            post(
                    post,
                    () -> queuePair()
                            .sendQueue()
                            .compareSwap(post.id, at, 0, compare(post.expected).swap(post.operand), options),
                    () -> queuePair()
                            .futures()
                            .compareSwap(at, compare(post.expected).swap(post.operand), options));
        }
    }

    private interface FuturePost {
        CompletableFuture<Completion> post();
    }

    private void post(Post post, Runnable withId, FuturePost withFuture) {
        if (world.dice.permille(plan.futurePermille)) {
            postFuture(post, withFuture);
            return;
        }
        postWithId(post, withId);
    }

    private void postWithId(Post post, Runnable withId) {
        try {
            withId.run();
        } catch (RuntimeException | OutOfMemoryError e) {
            refused(post, e);
            return;
        }
        returned(post);
    }

    /** On a queue pair that takes no requests the future has failed already, and nothing was posted. */
    private void postFuture(Post post, FuturePost withFuture) {
        boolean open = queuePair().state().compareTo(ConnectionState.READY) <= 0;
        CompletableFuture<Completion> future;
        try {
            future = withFuture.post();
        } catch (RuntimeException | OutOfMemoryError e) {
            refused(post, e);
            return;
        }
        if (future.isCompletedExceptionally()) {
            // Refused; or posted, perhaps sent, and flushed before the call had returned.
            orderUnknown |= open;
            world.trace().add(world, "refused or flushed", this, post);
            post.refused = true;
            post.letGo();
            return;
        }
        // What completes before anybody listens does so in an order that nobody sees.
        orderUnknown |= future.isDone();
        future.whenComplete((completion, failure) -> completed(post, failure == null, completion));
        returned(post);
    }

    private void returned(Post post) {
        post.returned = true;
        post.beforeClose &= !closing();
        if (post.completed) {
            return;
        }
        world.trace().add(world, "posted", this, post.id);
    }

    private void refused(Post post, Throwable why) {
        post.refused = true;
        world.trace().add(world, "refused", this, post, why);
        if (post.kind.message()) {
            giveCreditBack();
        }
        if (post.completed) {
            world.violated("what was not posted does not complete", this + " " + post);
        }
        boolean expected = why instanceof QueueFullException
                || why instanceof QueuePairClosedException
                || SimulatedFailure.planned(why)
                || (revoked && post.region != null)
                || (why instanceof IllegalArgumentException && post.length > settings.maximumOutstandingBytes());
        if (!expected) {
            world.violated("a post is refused for a reason", this + " " + post + ": " + why);
        }
        post.letGo();
    }

    void postReceive() {
        Post post = newPost(Post.Kind.RECEIVE, RECEIVE_BYTES);
        ByteBuf buffer = allocator.directBuffer(RECEIVE_BYTES, RECEIVE_BYTES);
        post.buffer = buffer;
        try {
            queuePair().receiveQueue().receive(post.id, buffer);
        } catch (RuntimeException | OutOfMemoryError e) {
            refused(post, e);
            return;
        }
        returned(post);
    }

    /** The application owes receives for messages it got. */
    boolean owesReceives() {
        return owed > 0 && !over();
    }

    void postOwed() {
        owed--;
        credits++;
        postReceive();
    }

    void onCompletion(Completion completion) {
        Operation operation = completion.operation();
        if (operation == Operation.RECEIVE) {
            onReceive(completion);
        } else {
            Post post = posts.get((int) completion.workRequestId());
            completed(post, completion.successful(), completion);
        }
        mayThrow();
        if (world.dice.permille(plan.callbackPostPermille)) {
            act();
        }
    }

    private void mayThrow() {
        if (world.dice.permille(plan.throwingPermille)) {
            world.trace().add(world, "throws", this);
            if (plan.trouble.has(Trouble.Kind.CHECKED_EXCEPTIONS)) {
                SimulatedFailure.<RuntimeException>throwChecked();
            }
            throw new SimulatedFailure();
        }
    }

    private boolean once(Post post) {
        completions++;
        world.trace().add(world, "completed", this, post);
        if (post.completed || post.refused) {
            world.violated("each post completes once", this + " " + post + " completes again");
            return false;
        }
        post.completed = true;
        return true;
    }

    private void completed(Post post, boolean successful, @Nullable Completion completion) {
        if (!once(post)) {
            return;
        }
        post.successful = successful;
        Integer before = post.poster == null ? null : lastOfPoster.put(post.poster, post.id);
        if (before != null && before > post.id) {
            world.violated("posts complete in order", this + " " + post + " completes behind " + posts.get(before));
        }
        if (successful && sendFlushed && !orderUnknown) {
            world.violated("posts complete in order", this + " " + post + " succeeds behind one that was flushed");
        }
        sendFlushed |= !successful;
        sendOrder.add(post);
        if (successful && completion != null) {
            post.original = completion.original();
            checkRead(post);
        }
        if (!successful && completion != null) {
            checkReason(completion.failure());
        }
        post.letGo();
    }

    private void checkReason(@Nullable CloseReason reason) {
        if (reason == null || !reason.equals(queuePair().closeReason())) {
            world.violated(
                    "flushed posts tell the first cause",
                    this + " tells " + reason + ", the stream " + queuePair().closeReason());
        }
    }

    private void checkRead(Post post) {
        if (post.kind != Post.Kind.READ || post.length == 0) {
            return;
        }
        ByteBuf sink = post.region == null ? Objects.requireNonNull(post.buffer) : localMemory;
        int at = post.region == null ? 0 : (int) post.operand;
        byte[] got = new byte[post.length];
        sink.getBytes(at, got);
        int different = Arrays.mismatch(got, 0, post.length, SOURCE, post.offset, post.offset + post.length);
        if (different >= 0) {
            world.violated("a Read gets what is there", this + " " + post + " differs at byte " + different);
        }
    }

    private void onReceive(Completion completion) {
        int id = (int) completion.workRequestId();
        boolean shared = id >= SHARED_IDS;
        ByteBuf buffer = completion.buffer();
        if (ownReceives && !shared) {
            Post post = posts.get(id);
            if (!once(post)) {
                return;
            }
            post.successful = completion.successful();
            receiveOrder.add(post);
            buffer = post.buffer;
        } else if (shared && pool != null) {
            buffer = pool.completed(this, id, completion.successful());
        }
        try {
            if (completion.successful()) {
                if (receiveFlushed) {
                    world.violated(
                            "posts complete in order",
                            this + " receive " + id + " succeeds behind one that was flushed");
                }
                onMessage(completion, buffer);
            } else {
                receiveFlushed = true;
                checkReason(completion.failure());
            }
        } finally {
            if (ownReceives) {
                posts.get(id).letGo();
            } else if (buffer != null) {
                buffer.release();
            }
        }
    }

    /** The completion queue has nothing now; what comes out of it next was delivered later. */
    private void sawNothing() {
        emptyAt = world.now();
    }

    private void onMessage(Completion completion, @Nullable ByteBuf buffer) {
        // The next message may wait since this one was delivered, which a polled completion tells later.
        progressAt = gets == null ? world.now() : emptyAt;
        if (ownReceives) {
            owed++;
        } else if (pool != null) {
            pool.owe();
        }
        int number;
        if (completion.hasImmediate()) {
            number = (int) completion.immediate();
        } else {
            int length = (int) completion.bytes();
            if (buffer == null || buffer.readableBytes() != length) {
                world.violated("a message is whole", this + " got " + buffer + " for " + length + " bytes");
                return;
            }
            number = buffer.getInt(0);
            checkMessage(number, buffer, length);
        }
        received.add(number);
        sharing.onMessage(completion.invalidatedStag());
    }

    private void checkMessage(int number, ByteBuf buffer, int length) {
        if (number < 0 || number >= other().posts.size() || other().posts.get(number).length != length) {
            world.violated("a message is whole", this + " got " + length + " bytes with number " + number);
            return;
        }
        byte[] text = new byte[length - Integer.BYTES];
        buffer.getBytes(Integer.BYTES, text);
        int different = Arrays.mismatch(text, MemoryModel.pattern(number, Integer.BYTES, text.length));
        if (different >= 0) {
            world.violated("a message is whole", this + " message " + number + " differs at byte " + different);
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
        // What was posted by anybody before this call is sent; what comes from now on may be.
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

    /** Plays with what Netty lets anybody do to a channel. */
    private void pause() {
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
            pausedLong = true;
        }
    }

    void revoke() {
        revoked = true;
        int which = world.dice.below(4);
        MemoryRegion region = which == 0 ? target : which == 1 ? source : which == 2 ? numbers : local;
        world.trace().add(world, "revokes", this, which);
        if (region == target) {
            target.invalidate();
            targetAtRevocation = bytesOf(targetMemory);
            receivedAtRevocation = received.size();
        } else {
            region.close();
        }
    }

    private static byte[] bytesOf(ByteBuf memory) {
        byte[] bytes = new byte[memory.capacity()];
        memory.getBytes(0, bytes);
        return bytes;
    }

    boolean revoked() {
        return revoked;
    }

    /** Nobody has anything to do for a while: then nothing may wait that could go on. */
    void onRest(long nanos, boolean disturbed) {
        if (queuePair == null) {
            return;
        }
        if (loop().frozen()) {
            pausedLong = true;
        }
        if (holdsInput() && nanos != Context.NEVER) {
            heldNanos += nanos;
        }
        if (channel.pausedByApplication()) {
            pausedLong = true;
        }
        checkTimer(nanos);
        checkClose(nanos);
        if (nanos == Context.NEVER) {
            return;
        }
        boolean both = ready && other().ready && !closing() && !other().closing();
        if (nanos < LONG_REST || !both || disturbed) {
            noteWritten();
            return;
        }
        boolean paused = channel.pausedByApplication() || other().channel.pausedByApplication();
        if (holdsInput() && !channel.pausedByApplication() && polled() && receiveWaits()) {
            world.violated("what came is read", this + " holds a message back beside free receives");
        }
        boolean held = holdsInput() || other().holdsInput();
        boolean unpolled = !polled() || !other().polled();
        if (!paused && !held && !unpolled) {
            for (Post post : posts) {
                if (post.returned && !post.completed && post.kind != Post.Kind.RECEIVE) {
                    world.violated("what can go on goes on", this + " " + post + " waits and nothing holds it up");
                    return;
                }
            }
        }
        checkKeepAlive(paused || held);
    }

    /**
     * Nobody has anything to do, and nobody may ever have: the peer and the wire need not do any more. So what waits here
     * has a timer.
     */
    private void checkTimer(long nanos) {
        if (!channel.isOpen() || world.interrupting() || loop().frozen()) {
            stuckSince = world.now() + (nanos == Context.NEVER ? 0 : nanos);
            return;
        }
        String waits = waits();
        long moved = channel.in().taken() + channel.out().written() + completions;
        if (waits == null || moved != movedBefore) {
            stuckSince = world.now();
            movedBefore = moved;
        }
        if (waits != null && loop().runnableAt() == Context.NEVER) {
            world.violated("what waits has a timer", this + " " + waits + ", and nothing is scheduled");
        } else if (world.now() - stuckSince > longestWait()) {
            world.violated(
                    "a wait ends", this + " " + waits + " since " + (world.now() - stuckSince) / 1_000_000 + " ms");
        }
    }

    /**
     * A close without progress ends. It looks twice, and then waits as long for its FIN or Terminate. Its clock stops
     * while a message waits for a receive, and does not start again.
     */
    private void checkClose(long nanos) {
        long moved = channel.out().written()
                + sendOrder.size()
                + (awaitsAnswers() ? channel.in().taken() : 0);
        boolean closes = channel.isOpen() && queuePair().state() == ConnectionState.DRAINING;
        if (!closes || moved != movedBeforeClose || loop().frozen() || pausedLong || world.interrupting()) {
            movedBeforeClose = moved;
            closeStands = 0;
        }
        if (closeStands > settings.rdmap().closeTimeout().multipliedBy(3).toNanos()) {
            world.violated(
                    "a close ends in its time", this + " makes no progress for " + closeStands / 1_000_000 + " ms");
        }
        if (closes && !holdsInput() && nanos != Context.NEVER) {
            closeStands += nanos;
        }
    }

    private boolean awaitsAnswers() {
        for (Post post : posts) {
            if (post.returned && !post.completed && post.kind.answered()) {
                return true;
            }
        }
        return false;
    }

    /** {@return in nanoseconds: each limit once after the other, and each may look twice} */
    private long longestWait() {
        return settings.mpa()
                        .startupTimeout()
                        .plus(settings.mpa().fpduTimeout().multipliedBy(2))
                        .plus(settings.rdmap().closeTimeout().multipliedBy(2))
                        .plus(settings.rdmap().responseTimeout().multipliedBy(2))
                        .plus(settings.rdmap().transmitTimeout().multipliedBy(2))
                        .toNanos()
                + plan.receiveWait;
    }

    /** {@return what the stream waits for, other than its application or a peer that may be silent; or null} */
    private @Nullable String waits() {
        ConnectionState state = queuePair().state();
        if (state == ConnectionState.ESTABLISHED) {
            // A responder whose initiator may be silent for as long as it wants.
            return null;
        }
        if (state != ConnectionState.READY) {
            return "is " + state;
        }
        if (channel.inputWaits() && channel.config().isAutoRead()) {
            return "holds input back";
        }
        if (middlebox != null
                && middlebox.endsWithinFpdu()
                && channel.in().readable() == 0
                && !channel.in().moving()) {
            return "has the beginning of an FPDU";
        }
        if (!polled()) {
            return null;
        }
        for (Post post : posts) {
            if (post.returned && !post.completed && post.kind != Post.Kind.RECEIVE) {
                return post + " is not completed";
            }
        }
        return null;
    }

    /** {@return whether a message waits for a receive here, or the application has stopped to read} */
    private boolean holdsInput() {
        return channel.isOpen() && (channel.inputWaits() || !channel.config().isAutoRead());
    }

    private boolean receiveWaits() {
        if (pool != null) {
            return pool.queue().available() > 0;
        }
        if (plan.receives == Plan.Receives.MANAGED) {
            return true;
        }
        for (Post post : posts) {
            if (post.kind == Post.Kind.RECEIVE && post.returned && !post.completed) {
                return true;
            }
        }
        return false;
    }

    private void noteWritten() {
        long written = channel.out().written();
        if (written != writtenBefore || !ready) {
            writtenBefore = written;
            quietSince = world.now();
        }
    }

    private void checkKeepAlive(boolean excused) {
        noteWritten();
        long interval = settings.keepAliveInterval().toNanos();
        if (excused) {
            quietSince = world.now();
        } else if (interval > 0 && world.now() - quietSince > 3 * interval + LONG_REST) {
            world.violated(
                    "keep-alive keeps on",
                    this + " has sent nothing for " + (world.now() - quietSince) / 1_000_000 + " ms, the interval is "
                            + settings.keepAliveInterval());
        }
    }

    boolean polled() {
        return (sends == null || sends.size() == 0) && (gets == null || gets.size() == 0);
    }

    private boolean heldLong() {
        return heldNanos > 10_000_000L;
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
        if (!other().orderUnknown) {
            judgeMemory();
            judgeNumbers();
        }
    }

    private void judgePosts(CloseReason reason) {
        boolean loopEnds = loop().isShuttingDown();
        boolean closedInOrder =
                readyAtClose && !loopEnds && reason.endedBy() == EndedBy.LOCAL_APPLICATION && !abortCalled;
        for (Post post : posts) {
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
        for (int i = 1; i < receiveOrder.size(); i++) {
            Post earlier = receiveOrder.get(i - 1);
            Post later = receiveOrder.get(i);
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
            long waited = endedAt - progressAt;
            if (waited < plan.receiveWait) {
                world.violated(
                        "a message waits as long as receiveWait says",
                        this + " ended after " + waited / 1000 + " us of " + plan.receiveWait / 1000);
            }
            return;
        }
        boolean bothReady = ready && other().ready;
        if (disturbed || !bothReady || revoked || other().revoked || abortCalled || other().abortCalled) {
            return;
        }
        if (reason.endedBy() == EndedBy.TIMEOUT) {
            boolean excused = pausedLong
                    || other().pausedLong
                    || other().heldLong()
                    || plan.trouble.has(Trouble.Kind.LATE_POLLS)
                    || !settings.idleTimeout().isZero();
            if (!excused && heldLong()) {
                world.violated("a close waits for a message that waits for a receive", this + " " + reason);
            } else if (!excused) {
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

    private void judgeMemory() {
        List<Post> messages = new ArrayList<>();
        for (Post post : other().sendOrder) {
            if (post.kind.message()) {
                messages.add(post);
            }
        }
        for (int i = 0; i < received.size(); i++) {
            if (i >= messages.size() || messages.get(i).id != received.get(i)) {
                // An Immediate in the form with a future carries the number too.
                world.violated(
                        "messages arrive in the order of their posts",
                        this + " message " + i + " is " + received.get(i) + ", posted was "
                                + (i < messages.size() ? messages.get(i) : "none"));
                return;
            }
        }
        byte[] bytes = targetAtRevocation == null ? bytesOf(targetMemory) : targetAtRevocation;
        int messagesSeen = targetAtRevocation == null ? received.size() : receivedAtRevocation;
        List<MemoryModel.Change> changes = new ArrayList<>();
        int arrived = 0;
        for (Post post : other().sendOrder) {
            if (post.kind.write()) {
                changes.add(new MemoryModel.Change(post.offset, post.length, post.id));
            }
            if (post.kind.message() && messagesSeen-- > 0) {
                arrived = changes.size();
            }
        }
        String wrong = MemoryModel.judge(bytes, changes, arrived, plan.trouble.has(Trouble.Kind.PIECES));
        if (wrong != null) {
            world.violated("memory is as the Writes left it", this + " " + wrong);
        }
        if (targetAtRevocation != null && !Arrays.equals(targetAtRevocation, bytesOf(targetMemory))) {
            world.violated("revoked memory stays as it is", this + " was written to after invalidate() had returned");
        }
        int different = Arrays.mismatch(bytesOf(sourceMemory), SOURCE);
        if (different >= 0) {
            world.violated(
                    "memory that nobody may write to stays as it is", this + " byte " + different + " of the source");
        }
    }

    /** Atomics are carried out in the order of their posts, each once, and tell the number before it. */
    private void judgeNumbers() {
        long[] model = new long[NUMBERS];
        boolean same = same(model);
        for (Post post : other().sendOrder) {
            if (post.kind != Post.Kind.FETCH_ADD && post.kind != Post.Kind.COMPARE_SWAP) {
                continue;
            }
            int index = post.offset / Long.BYTES;
            if (post.successful) {
                same = false;
                if (post.original != model[index]) {
                    world.violated(
                            "an atomic tells the number before it",
                            other() + " " + post + " tells " + post.original + ", it was " + model[index]);
                }
            }
            if (post.kind == Post.Kind.FETCH_ADD) {
                model[index] += post.operand;
            } else if (model[index] == post.expected) {
                model[index] = post.operand;
            }
            same |= same(model);
        }
        if (!same) {
            world.violated("numbers are as the atomics left them", this.toString());
        }
    }

    private boolean same(long[] model) {
        boolean little = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
        for (int i = 0; i < NUMBERS; i++) {
            long number = little ? numberMemory.getLongLE(i * Long.BYTES) : numberMemory.getLong(i * Long.BYTES);
            if (number != model[i]) {
                return false;
            }
        }
        return true;
    }

    /** Gives everything back; what cannot be is a violation. */
    void dispose() {
        for (Post post : posts) {
            post.letGo();
        }
        sharing.dispose();
        for (MemoryRegion region : List.of(target, source, numbers, local)) {
            region.close();
        }
        if (domain.regions() != 0) {
            world.violated("nothing is left", this + " has " + domain.regions() + " regions");
        }
        if (domain.device().windows() != 0) {
            world.violated("nothing is left", this + " has " + domain.device().windows() + " windows");
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
        targetMemory.release();
        sourceMemory.release();
        numberMemory.release();
        localMemory.release();
    }

    boolean setUp() {
        return ready || failedSetup;
    }

    @Override
    public String toString() {
        return name;
    }
}
