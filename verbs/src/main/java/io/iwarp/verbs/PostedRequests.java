package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.Operation;
import io.iwarp.ProtocolFault;
import io.iwarp.ddp.DdpMessage;
import io.iwarp.internal.ByteBudget;
import io.iwarp.memory.ByteSpan;
import io.iwarp.memory.LocalBuffer;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.RegionClosedException;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.memory.StreamAssociation;
import io.iwarp.metrics.QueueLimit;
import io.iwarp.rdmap.RequestQueue;
import io.iwarp.rdmap.StreamState;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The posted requests of a queue pair, except receives, from the post to the completion. A {@link SendQueue} posts with
 * an id and a fixed target, a {@link QueuePair} with a future. A post retains the local memory, claims and fills a
 * slot, publishes it and wakes the event loop, which passes the request to RDMAP and completes it. Any thread may post.
 * A refused post has no effect.
 *
 * <p>Local memory is a {@link ByteBuf} or a {@link LocalBuffer}, which the {@link ByteSpan} of the slot covers. It is
 * retained before the claim of a slot, and released if there is none. Everything that can fail is done before the
 * claim; nothing throws between claim and publication. A claimed slot that is never published would block all later
 * slots.
 */
final class PostedRequests implements RequestQueue, QueueSlots {
    private static final String MESSAGE = "message";
    private static final String SOURCE = "source";
    private static final String SINK = "sink";

    /** Not 0, which some hardware rejects. */
    private static final int EMPTY_MESSAGE_STAG = 1;

    /** The position of a request that waits for a slot. */
    private static final long PENDING = -2;

    private final PostRing<WorkRequest> ring;
    /** The posts that wait for a slot; null as long as none has waited. */
    private final AtomicReference<@Nullable PendingPosts> pendingPosts = new AtomicReference<>();

    private final int maxPendingPosts;
    private final long maxPendingBytes;
    /** The number of Reads and atomics that are posted and not complete. */
    private final AtomicInteger outstandingReadCount = new AtomicInteger();

    private final Map<ByteBuf, ReadSink> sinks = ReadSink.newRegistry();
    private final Queue<RoomFuture> roomWaiters = new ConcurrentLinkedQueue<>();
    /** Null if bytes are not limited. */
    private final @Nullable ByteBudget budget;
    /** Whether atomics and Immediate Data may be posted. */
    private final boolean extensionsEnabled;

    /** The completion target of requests with an id that have no target of their own. */
    private volatile @Nullable CompletionTarget defaultTarget;

    /** The ORD; negative before the set-up. Any thread reads it, the event loop writes it. */
    private volatile int ord = -1;

    private final Channel channel;
    private final StreamAssociation stream;
    private final StreamState state;
    private final DrainSchedule drains;
    private final QueuePairRecorder recorder;
    private final CompletionView completion = new CompletionView();

    PostedRequests(
            Channel channel,
            StreamAssociation stream,
            QueuePairSettings settings,
            StreamState state,
            DrainSchedule drains,
            QueuePairRecorder recorder) {
        this.channel = channel;
        this.stream = stream;
        this.state = state;
        this.drains = drains;
        this.recorder = recorder;
        ring = new PostRing<>(settings.sendQueueDepth(), () -> new WorkRequest(this::withdraw));
        maxPendingPosts = settings.maxPendingPosts();
        maxPendingBytes = settings.maxPendingBytes();
        long bytes = settings.maxOutstandingBytes();
        budget = bytes == Long.MAX_VALUE ? null : new ByteBudget(bytes);
        extensionsEnabled = settings.extensions();
    }

    /** Sets the target of requests posted with an id that bring none. */
    void target(CompletionTarget newTarget) {
        defaultTarget = newTarget;
    }

    /** Returns that target, or null if none is set. */
    @Nullable
    CompletionTarget target() {
        return defaultTarget;
    }

    PostRing<WorkRequest> ring() {
        return ring;
    }

    /** Event loop: sets the negotiated ORD, the maximum number of outstanding Reads and atomics. */
    void setOrd(int agreedOrd) {
        ord = agreedOrd;
    }

    private void requireReads() {
        if (ord == 0) {
            throw new UnsupportedOperationException(
                    "the set-up agreed on an ORD of 0, so this side cannot send a Read or atomic: raise the ORD here"
                            + " and the IRD of the peer");
        }
    }

    /** Any thread: returns the posts that wait for a slot, which exist from the first one on. */
    private PendingPosts pendingPosts() {
        PendingPosts existing = pendingPosts.get();
        if (existing == null) {
            pendingPosts.compareAndSet(null, new PendingPosts(maxPendingPosts, maxPendingBytes));
            existing = Objects.requireNonNull(pendingPosts.get());
        }
        return existing;
    }

    /** Any thread: returns the number of posts that wait for a slot. Exact on the event loop once closed. */
    private int pendingCount() {
        PendingPosts existing = pendingPosts.get();
        return existing == null ? 0 : existing.size();
    }

    void send(long id, ByteBuf message, PostOptions options, CompletionTarget target) {
        send(claim(MESSAGE, message, options, target), id, options, target);
    }

    void send(long id, LocalBuffer message, PostOptions options, CompletionTarget target) {
        send(claim(MESSAGE, message, options, target), id, options, target);
    }

    void send(long id, MemoryRegion message, long offset, long length, PostOptions options, CompletionTarget target) {
        send(claim(MESSAGE, message, offset, length, options, target), id, options, target);
    }

    private void send(WorkRequest request, long id, PostOptions options, CompletionTarget target) {
        request.send(options.solicited());
        publish(request, id, Operation.SEND, options, target);
    }

    void sendWithInvalidate(
            long id, ByteBuf message, RemoteBuffer invalidated, PostOptions options, CompletionTarget target) {
        Objects.requireNonNull(invalidated, "invalidated is null");
        sendWithInvalidate(claim(MESSAGE, message, options, target), id, invalidated, options, target);
    }

    void sendWithInvalidate(
            long id, LocalBuffer message, RemoteBuffer invalidated, PostOptions options, CompletionTarget target) {
        Objects.requireNonNull(invalidated, "invalidated is null");
        sendWithInvalidate(claim(MESSAGE, message, options, target), id, invalidated, options, target);
    }

    private void sendWithInvalidate(
            WorkRequest request, long id, RemoteBuffer invalidated, PostOptions options, CompletionTarget target) {
        request.sendWithInvalidate(invalidated.stag(), options.solicited());
        publish(request, id, Operation.SEND, options, target);
    }

    void write(long id, ByteBuf source, RemoteBuffer to, PostOptions options, CompletionTarget target) {
        requireNonNull(SOURCE, source);
        requireRoom(to, source.readableBytes());
        write(claim(SOURCE, source, options, target), id, to.stag(), to.taggedOffset(), options, target);
    }

    void write(long id, LocalBuffer source, RemoteBuffer to, PostOptions options, CompletionTarget target) {
        requireNonNull(SOURCE, source);
        requireRoom(to, source.length());
        write(claim(SOURCE, source, options, target), id, to.stag(), to.taggedOffset(), options, target);
    }

    void write(
            long id,
            MemoryRegion source,
            long offset,
            long length,
            int stag,
            long taggedOffset,
            PostOptions options,
            CompletionTarget target) {
        write(claim(SOURCE, source, offset, length, options, target), id, stag, taggedOffset, options, target);
    }

    private void write(
            WorkRequest request, long id, int stag, long taggedOffset, PostOptions options, CompletionTarget target) {
        request.write(stag, taggedOffset);
        publish(request, id, Operation.WRITE, options, target);
    }

    void writeWithImmediate(
            long id,
            ByteBuf source,
            RemoteBuffer to,
            ImmediateData data,
            PostOptions options,
            CompletionTarget target) {
        requireNonNull(SOURCE, source);
        requireRoom(to, source.readableBytes());
        long bits = requireBits(data);
        writeWithImmediate(claim(SOURCE, source, options, target), id, to, bits, options, target);
    }

    void writeWithImmediate(
            long id,
            LocalBuffer source,
            RemoteBuffer to,
            ImmediateData data,
            PostOptions options,
            CompletionTarget target) {
        requireNonNull(SOURCE, source);
        requireRoom(to, source.length());
        long bits = requireBits(data);
        writeWithImmediate(claim(SOURCE, source, options, target), id, to, bits, options, target);
    }

    private void writeWithImmediate(
            WorkRequest request, long id, RemoteBuffer to, long bits, PostOptions options, CompletionTarget target) {
        request.writeWithImmediate(to.stag(), to.taggedOffset(), bits, options.solicited());
        publish(request, id, Operation.WRITE, options, target);
    }

    void sendImmediate(long id, ImmediateData data, PostOptions options, CompletionTarget target) {
        long bits = requireBits(data);
        WorkRequest request = claim(Long.BYTES, options, target);
        request.immediate(bits, options.solicited());
        publish(request, id, Operation.IMMEDIATE, options, target);
    }

    void read(long id, LocalBuffer sink, RemoteBuffer from, PostOptions options, CompletionTarget target) {
        Objects.requireNonNull(sink, "sink is null");
        Objects.requireNonNull(from, "source is null");
        long length = from.length();
        if (length > sink.length()) {
            throw new IllegalArgumentException(
                    "the source has " + length + " bytes, which do not fit into " + sink + ": read a slice of it");
        }
        read(id, sink.region(), sink.offset(), length, from.stag(), from.taggedOffset(), options, target);
    }

    void read(
            long id,
            MemoryRegion sink,
            long offset,
            long length,
            int stag,
            long taggedOffset,
            PostOptions options,
            CompletionTarget target) {
        Objects.requireNonNull(sink, "sink is null");
        requireReads();
        stream.requireSink(sink);
        WorkRequest request = claim(SINK, sink, offset, length, options, target);
        // The peer may invalidate the sink at any time, also now: then its response ends the stream.
        request.read(sink.stag(), sink.baseTaggedOffset() + offset, length, stag, taggedOffset);
        publish(request, id, Operation.READ, options, target);
    }

    /** A Read of 0 bytes refers to no memory, so every peer accepts it. */
    void placed(long id, CompletionTarget target) {
        requireReads();
        WorkRequest request = claim(0, PostOptions.NONE, target);
        request.read(EMPTY_MESSAGE_STAG, 0, 0, EMPTY_MESSAGE_STAG, 0);
        publish(request, id, Operation.READ, PostOptions.NONE, target);
    }

    /** Registers the buffer for the duration of the Read. Only answers of this stream's peer can be placed there. */
    void read(long id, ByteBuf sink, RemoteBuffer from, PostOptions options, CompletionTarget target) {
        Objects.requireNonNull(sink, "sink is null");
        Objects.requireNonNull(from, "source is null");
        requireReads();
        int room = sink.writableBytes();
        if (from.length() > room) {
            throw new IllegalArgumentException("the source has " + from.length() + " bytes, which do not fit into the "
                    + room + " writable bytes of the sink: read a slice of it");
        }
        int length = (int) from.length();
        ReadSink readSink = lend(sink, length, target);
        WorkRequest request;
        try {
            request = claim(length, options, target);
        } catch (Throwable refused) {
            readSink.close();
            throw refused;
        }
        request.readSink(readSink);
        MemoryRegion region = readSink.region();
        if (region == null) {
            request.read(0, 0, 0, from.stag(), from.taggedOffset());
        } else {
            long to = region.baseTaggedOffset() + sink.writerIndex();
            request.read(region.stag(), to, length, from.stag(), from.taggedOffset());
        }
        publish(request, id, Operation.READ, options, target);
    }

    private ReadSink lend(ByteBuf sink, int length, CompletionTarget target) {
        ReadSink readSink = ReadSink.of(sink, target, sinks);
        try {
            if (length > 0) {
                readSink.region(register(sink));
            } else {
                ByteSpan.retain(SINK, sink);
                readSink.retained();
            }
        } catch (Throwable refused) {
            readSink.close();
            throw refused;
        }
        return readSink;
    }

    /** Registration fails if the stream has ended, or is closing and its domain was closed; report that instead. */
    private MemoryRegion register(ByteBuf sink) {
        try {
            return stream.registerSink(sink);
        } catch (RegionClosedException refused) {
            CloseReason endReason = state.refusalReason();
            throw endReason == null ? refused : new ConnectionClosedException(endReason);
        }
    }

    void fetchAdd(long id, RemoteBuffer word, FetchAdd numbers, PostOptions options, CompletionTarget target) {
        Objects.requireNonNull(numbers, "numbers is null");
        fetchAdd(id, word, numbers.addend(), numbers.addMask(), options, target);
    }

    /** @param mask the highest bits of the fields, or 0 */
    void fetchAdd(long id, RemoteBuffer word, long addend, long mask, PostOptions options, CompletionTarget target) {
        requireWord(word);
        fetchAdd(id, word.stag(), word.taggedOffset(), addend, mask, options, target);
    }

    void fetchAdd(
            long id,
            int stag,
            long taggedOffset,
            long addend,
            long mask,
            PostOptions options,
            CompletionTarget target) {
        requireAtomics();
        WorkRequest request = claim(Long.BYTES, options, target);
        request.fetchAdd(stag, taggedOffset, addend, mask);
        publish(request, id, Operation.FETCH_ADD, options, target);
    }

    void compareSwap(long id, RemoteBuffer word, CompareSwap numbers, PostOptions options, CompletionTarget target) {
        Objects.requireNonNull(numbers, "numbers is null");
        requireWord(word);
        requireAtomics();
        WorkRequest request = claim(Long.BYTES, options, target);
        request.compareSwap(
                word.stag(),
                word.taggedOffset(),
                numbers.swapData(),
                numbers.swapMask(),
                numbers.compareData(),
                numbers.compareMask());
        publish(request, id, Operation.COMPARE_SWAP, options, target);
    }

    void compareSwap(
            long id,
            int stag,
            long taggedOffset,
            long expected,
            long replacement,
            PostOptions options,
            CompletionTarget target) {
        requireAtomics();
        WorkRequest request = claim(Long.BYTES, options, target);
        request.compareSwap(stag, taggedOffset, replacement, -1, expected, -1);
        publish(request, id, Operation.COMPARE_SWAP, options, target);
    }

    private static void requireNonNull(String name, Object memory) {
        if (memory == null) {
            throw new NullPointerException(name + " is null");
        }
    }

    private static void requireRoom(RemoteBuffer to, long length) {
        Objects.requireNonNull(to, "target is null");
        if (length > to.length()) {
            throw new IllegalArgumentException(length + " bytes do not fit into the " + to.length()
                    + " bytes of the peer's buffer: post less, or ask the peer for a larger buffer");
        }
    }

    private static void requireWord(RemoteBuffer target) {
        Objects.requireNonNull(target, "target is null");
        if (target.length() != Long.BYTES) {
            throw new IllegalArgumentException("an atomic works on " + Long.BYTES + " bytes, " + target + " has "
                    + target.length() + ": use word(byteOffset) of it");
        }
    }

    private void requireAtomics() {
        requireExtensions();
        requireReads();
    }

    private long requireBits(ImmediateData data) {
        Objects.requireNonNull(data, "data is null");
        requireExtensions();
        return data.bits();
    }

    private void requireExtensions() {
        if (!extensionsEnabled) {
            throw new UnsupportedOperationException(
                    "atomics and Immediate Data are turned off by QueuePairSettings.extensions");
        }
    }

    /** Any thread: retains a buffer, and claims a slot whose payload is its readable bytes. */
    private WorkRequest claim(String name, ByteBuf memory, PostOptions options, CompletionTarget target) {
        requireNonNull(name, memory);
        int index = memory.readerIndex();
        int length = memory.readableBytes();
        ByteSpan.retain(name, memory);
        WorkRequest request;
        try {
            request = claim(length, options, target);
        } catch (Throwable refused) {
            memory.release();
            throw refused;
        }
        request.payload().cover(memory, index, length);
        return request;
    }

    private WorkRequest claim(String name, LocalBuffer piece, PostOptions options, CompletionTarget target) {
        requireNonNull(name, piece);
        return claim(name, piece.region(), piece.offset(), piece.length(), options, target);
    }

    /** Any thread: retains part of a region, and claims a slot whose payload it is. */
    private WorkRequest claim(
            String name, MemoryRegion region, long offset, long length, PostOptions options, CompletionTarget target) {
        requireNonNull(name, region);
        DdpMessage.requireLength(name, length);
        ByteSpan.retain(region, offset, length);
        WorkRequest request;
        try {
            request = claim(length, options, target);
        } catch (Throwable refused) {
            ByteSpan.release(region);
            throw refused;
        }
        request.payload().cover(region, offset, length);
        return request;
    }

    /**
     * Any thread: claims a slot for a request of {@code bytes} bytes, to fill and {@link #publish}. If its completion
     * goes to a future, and the queue is full, it becomes a pending post instead.
     *
     * @throws ConnectionClosedException if the stream is ending or has ended
     * @throws QueueFullException if the queue is full, or too many bytes are outstanding
     * @throws IllegalArgumentException if the request does not fit even if no other is outstanding
     */
    WorkRequest claim(long bytes, PostOptions options, CompletionTarget target) {
        Objects.requireNonNull(options, "options are null: use PostOptions.NONE");
        if (budget != null && bytes > budget.limit()) {
            throw new IllegalArgumentException("a request of " + bytes + " bytes exceeds maxOutstandingBytes, "
                    + budget.limit() + ": post it in smaller pieces, or configure more");
        }
        CloseReason endReason = state.refusalReason();
        if (endReason != null) {
            throw new ConnectionClosedException(endReason);
        }
        if (target instanceof Unit unit) {
            return unit.claim(bytes);
        }
        if (pendingCount() == 0 && tryReserveBytes(bytes)) {
            long position = ring.claim();
            if (position != PostRing.FULL) {
                return slot(position, bytes);
            }
            releaseBytes(bytes);
        }
        if (target instanceof LoopFuture<?> && pendingPosts().reserve(bytes)) {
            WorkRequest pendingRequest = new WorkRequest(this::withdraw);
            pendingRequest.claimed(PENDING, bytes);
            return pendingRequest;
        }
        throw refusal(bytes, target instanceof LoopFuture<?>);
    }

    /** The claimer: returns the slot at a claimed position. */
    private WorkRequest slot(long position, long bytes) {
        WorkRequest request = ring.slot(position);
        request.claimed(position, bytes);
        return request;
    }

    /** Any thread: reserves bytes of the budget. Returns false if too few are left. */
    private boolean tryReserveBytes(long bytes) {
        return budget == null || budget.tryReserve(bytes);
    }

    /** Any thread: reserves bytes of the budget for a request of a unit, or throws. */
    private void reserveBytes(long bytes) {
        if (!tryReserveBytes(bytes)) {
            throw refusal(bytes, false);
        }
    }

    private void releaseBytes(long bytes) {
        if (budget != null) {
            budget.release(bytes);
            wakeRoomWaiters();
        }
    }

    private RuntimeException refusal(long bytes, boolean mayBePending) {
        // The queue of an ended stream is full as well: the stream's end is the reason then.
        CloseReason endReason = state.refusalReason();
        if (endReason != null) {
            return new ConnectionClosedException(endReason);
        }
        if (mayBePending) {
            boolean full = pendingCount() >= maxPendingPosts;
            recorder.onRefused(full ? QueueLimit.SEND : QueueLimit.BYTES);
            return full
                    ? QueueFullException.ofPending(maxPendingPosts)
                    : QueueFullException.ofPendingBytes(bytes, pendingPosts().bytes(), maxPendingBytes);
        }
        if (budget != null && bytes > budget.limit() - budget.reservedBytes()) {
            recorder.onRefused(QueueLimit.BYTES);
            return QueueFullException.ofBytes(bytes, budget.reservedBytes(), budget.limit());
        }
        recorder.onRefused(QueueLimit.SEND);
        return QueueFullException.ofSends(ring.depth(), pendingCount());
    }

    /** Any thread: fills in the rest of a claimed request and publishes it. */
    void publish(WorkRequest request, long id, Operation operation, PostOptions options, CompletionTarget target) {
        request.fenced(options.fenced());
        if (target instanceof Unit unit) {
            request.set(id, operation, unit.target());
            record(request);
            return;
        }
        request.set(id, operation, target);
        record(request);
        if (target instanceof LoopFuture<?> future) {
            future.attach(request);
        }
        if (request.position() == PENDING) {
            pendingPosts().add(request);
        } else {
            ring.publish(request.position());
        }
        drains.wake();
    }

    private void record(WorkRequest request) {
        if (request.awaitsResponse()) {
            outstandingReadCount.incrementAndGet();
        }
        if (recorder.recordsRequests) {
            recorder.onPosted(request);
        }
    }

    /**
     * Any thread: posts several requests as one unit: all or none, with no other request between them.
     *
     * @param posts posts exactly {@code count} requests to the target it gets
     */
    void post(int count, CompletionTarget target, Consumer<CompletionTarget> posts) {
        if (count < 1 || count > ring.depth()) {
            throw new IllegalArgumentException(
                    "a unit of " + count + " requests (expected: 1 to sendQueueDepth, " + ring.depth() + ")");
        }
        CloseReason endReason = state.refusalReason();
        if (endReason != null) {
            throw new ConnectionClosedException(endReason);
        }
        long first = pendingCount() == 0 ? ring.claim(count) : PostRing.FULL;
        if (first == PostRing.FULL) {
            throw refusal(0, false);
        }
        Unit unit = new Unit(target, first, count);
        boolean complete = false;
        try {
            posts.accept(unit);
            unit.requireComplete();
            complete = true;
        } finally {
            if (!complete) {
                unit.drop();
            }
            for (int i = 0; i < count; i++) {
                ring.publish(first + i);
            }
            drains.wake();
        }
    }

    /**
     * Consecutive places of the send queue, which one thread fills: the target of the posts of one unit. Nothing of it
     * is published before it is complete. If it does not become complete, its places are published as dropped.
     */
    private final class Unit implements CompletionTarget {
        private final CompletionTarget target;
        private final long firstPosition;
        private final int count;
        private int filledCount;

        /** @param firstPosition the position of the first of the claimed places */
        Unit(CompletionTarget target, long firstPosition, int count) {
            this.target = target;
            this.firstPosition = firstPosition;
            this.count = count;
        }

        /** Returns the target of the completions. */
        CompletionTarget target() {
            return target;
        }

        /** Returns the next place. */
        WorkRequest claim(long bytes) {
            if (filledCount == count) {
                throw new IllegalStateException("the unit has " + count + " requests: post no more, or make it larger");
            }
            reserveBytes(bytes);
            WorkRequest request = slot(firstPosition + filledCount, bytes);
            filledCount++;
            return request;
        }

        void requireComplete() {
            if (filledCount < count) {
                throw new IllegalStateException(
                        "the unit has " + count + " requests, and " + filledCount + " were posted: post all of them");
            }
        }

        /** Drops all places. */
        void drop() {
            for (int i = 0; i < count; i++) {
                dropUnpublished(firstPosition + i, i < filledCount);
            }
        }

        @Override
        public void complete(CompletionView completion, QueueSlots slots) {
            throw new IllegalStateException("a unit is not the target of its requests");
        }
    }

    /** Any thread: returns the number of posted requests whose completion is not reported, pending posts included. */
    int outstanding() {
        return ring.unreleasedCount() + pendingCount();
    }

    /** Any thread: returns how many requests with an id can be posted now. It may change at any time. */
    int room() {
        return pendingCount() == 0 ? ring.depth() - ring.unreleasedCount() : 0;
    }

    /** Any thread: returns how many Reads and atomics may be posted that start without waiting for an answer. */
    int readRoom() {
        return Math.max(0, ord - outstandingReadCount.get());
    }

    /** Any thread: returns a future that completes on the event loop when there is room for requests. */
    CompletableFuture<Void> whenRoom(int requests) {
        if (requests < 1 || requests > ring.depth()) {
            throw new IllegalArgumentException(
                    "room for " + requests + " requests (expected: 1 to sendQueueDepth, " + ring.depth() + ")");
        }
        RoomFuture future = new RoomFuture(channel.eventLoop(), requests);
        roomWaiters.add(future);
        future.whenComplete((nothing, failure) -> roomWaiters.remove(future));
        drains.wake();
        return future;
    }

    private static final class RoomFuture extends LoopFuture<Void> {
        private final int requestCount;

        RoomFuture(EventLoop loop, int requests) {
            super(loop);
            this.requestCount = requests;
        }
    }

    /** Event loop: completes the oldest futures for which there is room. */
    void reportRoom() {
        for (RoomFuture first = roomWaiters.peek();
                first != null && first.requestCount <= room();
                first = roomWaiters.peek()) {
            first.complete(null);
        }
    }

    // The event loop.

    /** Moves pending posts into the ring while there is room. */
    private void movePendingToRing() {
        PendingPosts pending = pendingPosts();
        for (WorkRequest first = pending.peek(); first != null; first = pending.peek()) {
            long bytes = first.heldBytes();
            if (first.withdrawn()) {
                withdraw(first);
                continue;
            }
            if (!tryReserveBytes(bytes)) {
                return;
            }
            long position = ring.claimEvenIfClosed();
            if (position == PostRing.FULL) {
                if (budget != null) {
                    budget.release(bytes);
                }
                return;
            }
            first.claimed(position, bytes);
            ring.replaceSlot(position, first);
            pending.remove(first, bytes);
            ring.publish(position);
        }
    }

    @Override
    public @Nullable WorkRequest next() {
        while (true) {
            if (pendingCount() > 0) {
                movePendingToRing();
            }
            WorkRequest next = ring.next();
            if (next == null || !next.withdrawn()) {
                return next;
            }
            withdraw(next);
            ring.start();
            completeDone();
        }
    }

    @Override
    public void start() {
        WorkRequest request = ring.start();
        request.start();
        if (recorder.recordsRequests) {
            recorder.onSubmitted(request);
        }
    }

    @Override
    public int waitingCount() {
        return ring.unstartedCount() + pendingCount();
    }

    /** Refuses further posts. May be called again. */
    void close() {
        ring.close();
        pendingPosts().close();
    }

    /**
     * Returns the fault if the application misused the memory of a request; the request then waits for the
     * {@link #flush}.
     */
    @Override
    public @Nullable ProtocolFault completeDone() {
        for (WorkRequest oldest = ring.oldest(); oldest != null && oldest.isFinished(); oldest = ring.oldest()) {
            ProtocolFault fault = oldest.fillSink();
            if (fault != null) {
                return fault;
            }
            complete(oldest, null);
        }
        return null;
    }

    /**
     * Event loop: flushes all started or posted requests with the close reason. A thread that is just posting calls for
     * it again, and posts after its own wait until then.
     */
    void flush(CloseReason reason) {
        WorkRequest request = oldestOrNext();
        while (request != null) {
            complete(request, reason);
            request = oldestOrNext();
        }
        PendingPosts pending = pendingPosts();
        for (WorkRequest first = pending.peek(); first != null && ring.unstartedCount() == 0; first = pending.peek()) {
            pending.remove(first, first.heldBytes());
            CompletionTarget target = finish(first, reason);
            if (target instanceof LoopFuture<?> future) {
                future.completeWith(completion);
            }
        }
        for (RoomFuture first = roomWaiters.poll(); first != null; first = roomWaiters.poll()) {
            first.completeExceptionally(new ConnectionClosedException(reason));
        }
        CompletionTarget completionTarget = defaultTarget;
        if (completionTarget != null) {
            completionTarget.end();
        }
    }

    private @Nullable WorkRequest oldestOrNext() {
        WorkRequest oldest = ring.oldest();
        return oldest == null ? ring.startNext() : oldest;
    }

    private void complete(WorkRequest request, @Nullable CloseReason reason) {
        long bytes = request.heldBytes();
        CompletionTarget target = finish(request, reason);
        releaseBytes(bytes);
        ring.done();
        if (target == null) {
            release();
        } else {
            target.complete(completion, this);
        }
    }

    /**
     * Fills the {@link #completion} and ends the use of the memory.
     *
     * @return the target to report to; null if there is none, or the application has settled the future
     */
    private @Nullable CompletionTarget finish(WorkRequest request, @Nullable CloseReason reason) {
        CompletionTarget target = request.target();
        boolean isReported = target != null && target.settle();
        if (target != null && request.awaitsResponse()) {
            outstandingReadCount.decrementAndGet();
        }
        request.report(completion, reason);
        if (recorder.recordsRequests && target != null) {
            recorder.onCompleted(request, reason == null && !request.dropped());
        }
        request.clear();
        return isReported ? target : null;
    }

    // Cancellation.

    /** Any thread: called when the application has settled the future of a request. */
    void withdraw(WorkRequest request, LoopFuture<?> future) {
        drains.execute(() -> {
            // Otherwise it has completed, and the slot may hold another request.
            if (request.target() == future) {
                if (!request.started()) {
                    withdraw(request);
                } else if (request.operation() == Operation.READ) {
                    request.releaseMemory();
                }
            }
        });
    }

    /** Event loop: ends a request that has not begun. Its slot, if it has one, stays until its turn. */
    private void withdraw(WorkRequest request) {
        if (request.position() == PENDING) {
            if (pendingPosts().remove(request, request.heldBytes())) {
                finish(request, null);
            }
        } else {
            drop(request);
        }
    }

    /** Claiming thread: drops the request at an unpublished position, which is not reported. */
    private void dropUnpublished(long position, boolean isFilled) {
        WorkRequest request = isFilled ? ring.slot(position) : slot(position, 0);
        if (isFilled && request.awaitsResponse()) {
            outstandingReadCount.decrementAndGet();
        }
        request.set(0, Operation.SEND, null);
        drop(request);
    }

    /** Drops a request that has not begun. Called by the owner of its slot. May be called again. */
    private void drop(WorkRequest request) {
        long bytes = request.heldBytes();
        request.drop();
        if (bytes > 0) {
            releaseBytes(bytes);
        }
    }

    // What limits the requests.

    @Override
    public int depth() {
        return ring.depth();
    }

    /** Returns the number of requests in the send queue that have not been reported. */
    @Override
    public int unreleasedCount() {
        return ring.unreleasedCount();
    }

    @Override
    public void allowReleaseByAnyThread() {
        ring.allowReleaseByAnyThread();
    }

    @Override
    public void release() {
        ring.release();
        wakeRoomWaiters();
    }

    /** Any thread: wakes the event loop if a pending post or a future waits for room. */
    private void wakeRoomWaiters() {
        if (pendingCount() > 0 || !roomWaiters.isEmpty()) {
            drains.wake();
        }
    }

    @Override
    public String toString() {
        return channel + ", " + ring.unreleasedCount() + " of " + ring.depth() + " requests posted, " + pendingCount()
                + " pending";
    }
}
