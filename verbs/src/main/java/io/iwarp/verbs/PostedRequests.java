package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.Operation;
import io.iwarp.ProtocolFault;
import io.iwarp.internal.ByteBudget;
import io.iwarp.memory.AccessRight;
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
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The posted requests of a queue pair, except receives, from the post to the completion. A {@link SendQueue} posts with
 * an id and a fixed target, a {@link QueuePair} with a future. A post retains the local memory, claims and fills a
 * slot, publishes it and wakes the event loop, which passes the request to RDMAP and completes it. Any thread may post.
 * A refused post has no effect.
 *
 * <p>Local memory is a {@link ByteBuf} or a {@link LocalBuffer}, see {@link LentMemory}. Everything that can fail is
 * done before the claim of a slot; nothing throws between claim and publication. A claimed slot that is never published
 * would block all later slots.
 */
final class PostedRequests implements RequestQueue {
    private static final String SOURCE = "source";
    private static final String SINK = "sink";

    private final PostRing<WorkRequest> ring;
    /** Null if bytes are not limited. */
    private final @Nullable ByteBudget budget;
    /** Whether atomics and Immediate Data may be posted. */
    private final boolean extensions;

    /** Whether the set-up agreed on an ORD of 0. Any thread reads it, the event loop writes it. */
    private volatile boolean readsExcluded;

    private final Channel channel;
    private final StreamAssociation stream;
    private final StreamState state;
    private final DrainSchedule drains;
    /** How long a post with a future waits for room. */
    private final long waitNanos;

    private final QueuePairRecorder recorder;
    private final Completion completion = new Completion();

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
        ring = new PostRing<>(settings.sendQueueDepth(), settings.maxWaitingPosts(), WorkRequest::new, drains::wake);
        long bytes = settings.maxOutstandingBytes();
        budget = bytes == Long.MAX_VALUE ? null : new ByteBudget(bytes);
        waitNanos = settings.postWait().toNanos();
        extensions = settings.extensions();
    }

    PostRing<WorkRequest> ring() {
        return ring;
    }

    /** Event loop: the set-up agreed on how many Reads and atomics may be outstanding. */
    void agree(int ord) {
        readsExcluded = ord == 0;
    }

    private void requireReads() {
        if (readsExcluded) {
            throw new UnsupportedOperationException(
                    "the set-up agreed on an ORD of 0, so this side cannot send a Read or atomic: raise the ORD here and"
                            + " the IRD of the peer");
        }
    }

    void send(long id, Object message, PostOptions options, CompletionTarget target) {
        WorkRequest request = claim("message", message, options, target);
        request.send(options.solicited());
        publish(request, id, Operation.SEND, options, target);
    }

    void sendWithInvalidate(
            long id, Object message, RemoteBuffer invalidated, PostOptions options, CompletionTarget target) {
        Objects.requireNonNull(invalidated, "invalidated is null");
        WorkRequest request = claim("message", message, options, target);
        request.sendWithInvalidate(invalidated.stag(), options.solicited());
        publish(request, id, Operation.SEND, options, target);
    }

    void write(long id, Object source, RemoteBuffer to, PostOptions options, CompletionTarget target) {
        requireRoom(to, source);
        WorkRequest request = claim(SOURCE, source, options, target);
        request.write(to.stag(), to.taggedOffset());
        publish(request, id, Operation.WRITE, options, target);
    }

    void writeWithImmediate(
            long id, Object source, RemoteBuffer to, ImmediateData data, PostOptions options, CompletionTarget target) {
        requireRoom(to, source);
        long bits = requireBits(data);
        WorkRequest request = claim(SOURCE, source, options, target);
        request.writeWithImmediate(to.stag(), to.taggedOffset(), bits, options.solicited());
        publish(request, id, Operation.WRITE, options, target);
    }

    void sendImmediate(long id, ImmediateData data, PostOptions options, CompletionTarget target) {
        long bits = requireBits(data);
        WorkRequest request = claim(null, Long.BYTES, options, target);
        request.immediate(bits, options.solicited());
        publish(request, id, Operation.IMMEDIATE, options, target);
    }

    void read(long id, LocalBuffer sink, RemoteBuffer from, PostOptions options, CompletionTarget target) {
        Objects.requireNonNull(sink, "sink is null");
        Objects.requireNonNull(from, "source is null");
        requireReads();
        long length = from.length();
        requireSink(sink, length);
        LentMemory.retain(SINK, sink, length);
        WorkRequest request = claim(sink, length, options, target);
        LentMemory.cover(request.payload(), sink, 0, length);
        // The peer may invalidate the sink at any time, also now: then its response ends the stream.
        MemoryRegion region = sink.region();
        request.read(
                region.stag(), region.baseTaggedOffset() + sink.offset(), length, from.stag(), from.taggedOffset());
        publish(request, id, Operation.READ, options, target);
    }

    private void requireSink(LocalBuffer sink, long length) {
        if (length > sink.length()) {
            throw new IllegalArgumentException(
                    "the source has " + length + " bytes, which do not fit into " + sink + ": read a slice of it");
        }
        MemoryRegion region = sink.region();
        if (!region.grants(AccessRight.LOCAL_WRITE)) {
            throw new IllegalArgumentException(
                    region + " cannot be the sink of a Read: register it with the right " + AccessRight.LOCAL_WRITE);
        }
        if (region.protectionDomain() != stream.protectionDomain()) {
            throw new IllegalArgumentException(
                    region + " cannot be the sink of a Read: it belongs to another protection"
                            + " domain; register the memory in the domain of the queue pair");
        }
    }

    /** Registers the buffer for the duration of the Read. Only answers of this stream's peer can be placed there. */
    void read(long id, ByteBuf sink, RemoteBuffer from, PostOptions options, CompletionTarget target) {
        Objects.requireNonNull(sink, "sink is null");
        Objects.requireNonNull(from, "source is null");
        requireReads();
        int index = sink.writerIndex();
        int room = sink.writableBytes();
        if (from.length() > room) {
            throw new IllegalArgumentException("the source has " + from.length() + " bytes, which do not fit into the "
                    + room + " writable bytes of the sink: read a slice of it");
        }
        int length = (int) from.length();
        WorkRequest request;
        if (length == 0) {
            LentMemory.retain(SINK, sink, 0);
            request = claim(sink, 0, options, target);
            LentMemory.cover(request.payload(), sink, index, 0);
            request.read(0, 0, 0, from.stag(), from.taggedOffset());
        } else {
            MemoryRegion region = register(sink);
            request = claim(region, length, options, target);
            request.temporarySink(region);
            request.read(region.stag(), region.baseTaggedOffset() + index, length, from.stag(), from.taggedOffset());
        }
        request.sinkBuffer(sink, index);
        publish(request, id, Operation.READ, options, target);
    }

    /** Registration fails after the end of the stream; report the stream's end instead. */
    private MemoryRegion register(ByteBuf sink) {
        try {
            return stream.registerSink(sink);
        } catch (RegionClosedException refused) {
            CloseReason ended = state.closeReason();
            throw ended == null ? refused : new ConnectionClosedException(ended);
        }
    }

    void fetchAdd(long id, RemoteBuffer word, FetchAdd numbers, PostOptions options, CompletionTarget target) {
        Objects.requireNonNull(numbers, "numbers is null");
        fetchAdd(id, word, numbers.addend(), numbers.fields(), options, target);
    }

    /** @param fields the highest bits of the fields, or 0 */
    void fetchAdd(long id, RemoteBuffer word, long addend, long fields, PostOptions options, CompletionTarget target) {
        requireWord(word);
        WorkRequest request = claim(null, Long.BYTES, options, target);
        request.fetchAdd(word.stag(), word.taggedOffset(), addend, fields);
        publish(request, id, Operation.FETCH_ADD, options, target);
    }

    void compareSwap(long id, RemoteBuffer word, CompareSwap numbers, PostOptions options, CompletionTarget target) {
        Objects.requireNonNull(numbers, "numbers is null");
        requireWord(word);
        WorkRequest request = claim(null, Long.BYTES, options, target);
        request.compareSwap(
                word.stag(),
                word.taggedOffset(),
                numbers.swapData(),
                numbers.swapMask(),
                numbers.compareData(),
                numbers.compareMask());
        publish(request, id, Operation.COMPARE_SWAP, options, target);
    }

    private static void requireRoom(RemoteBuffer to, Object source) {
        Objects.requireNonNull(source, "source is null");
        Objects.requireNonNull(to, "target is null");
        long length = LentMemory.length(source);
        if (length > to.length()) {
            throw new IllegalArgumentException(length + " bytes do not fit into the " + to.length()
                    + " bytes of the peer's buffer: post less, or ask the peer for a larger buffer");
        }
    }

    private void requireWord(RemoteBuffer target) {
        Objects.requireNonNull(target, "target is null");
        requireExtensions();
        requireReads();
        if (target.length() != Long.BYTES) {
            throw new IllegalArgumentException("an atomic works on " + Long.BYTES + " bytes, " + target + " has "
                    + target.length() + ": use number(index) or slice(offset, 8) of it");
        }
    }

    private long requireBits(ImmediateData data) {
        Objects.requireNonNull(data, "data is null");
        requireExtensions();
        return data.bits();
    }

    private void requireExtensions() {
        if (!extensions) {
            throw new UnsupportedOperationException(
                    "atomics and Immediate Data are turned off by QueuePairSettings.extensions");
        }
    }

    /** Claims a slot for a Send or Write of memory, which it retains. */
    private WorkRequest claim(String name, Object memory, PostOptions options, CompletionTarget target) {
        if (memory == null) {
            throw new NullPointerException(name + " is null");
        }
        int index = memory instanceof ByteBuf buffer ? buffer.readerIndex() : 0;
        long length = LentMemory.length(memory);
        LentMemory.retain(name, memory, length);
        WorkRequest request = claim(memory, length, options, target);
        LentMemory.cover(request.payload(), memory, index, length);
        return request;
    }

    /** Any thread: claims a slot, to fill and {@link #publish}. If it throws, releases the memory. */
    private WorkRequest claim(@Nullable Object retained, long bytes, PostOptions options, CompletionTarget target) {
        try {
            return claim(bytes, options, target);
        } catch (Throwable refused) {
            LentMemory.release(retained);
            throw refused;
        }
    }

    /**
     * Any thread: claims a slot for a request of {@code bytes} bytes, to fill and {@link #publish}. If its completion
     * goes to a future, waits for room.
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
        long position = tryClaim(bytes);
        if (position == PostRing.FULL && mayWait(target)) {
            position = ring.room().await(() -> tryClaim(bytes), waitNanos, drains);
        }
        if (position == PostRing.FULL) {
            throw refusal(bytes);
        }
        WorkRequest request = ring.slot(position);
        request.position(position);
        return request;
    }

    /** Returns {@link PostRing#FULL} if there is no room. */
    private long tryClaim(long bytes) {
        CloseReason over = state.refusalReason();
        if (over != null) {
            throw new ConnectionClosedException(over);
        }
        if (budget != null && !budget.take(bytes)) {
            return PostRing.FULL;
        }
        long position = ring.claim();
        if (position == PostRing.FULL) {
            giveBack(bytes);
        }
        return position;
    }

    private boolean mayWait(CompletionTarget target) {
        return waitNanos > 0 && target instanceof LoopFuture<?> && RoomQueue.mayWait(channel.eventLoop());
    }

    private RuntimeException refusal(long bytes) {
        // Who waits may have missed the bytes that this post has taken and given back.
        ring.wakeFirst();
        // The queue of an ended stream is full as well: the stream's end is the reason then.
        CloseReason over = state.refusalReason();
        if (over != null) {
            return new ConnectionClosedException(over);
        }
        if (budget != null && bytes > budget.limit() - budget.taken()) {
            recorder.refused(QueueLimit.BYTES);
            return QueueFullException.ofBytes(bytes, budget.taken(), budget.limit());
        }
        recorder.refused(QueueLimit.SEND);
        return QueueFullException.ofSends(ring.most(), ring.depth() - ring.most());
    }

    private void giveBack(long bytes) {
        if (budget != null) {
            budget.give(bytes);
        }
    }

    /** Any thread: fills in the rest of a claimed request and publishes it. */
    void publish(WorkRequest request, long id, Operation operation, PostOptions options, CompletionTarget target) {
        request.fenced(options.fenced());
        request.set(id, operation, target);
        if (recorder.ofRequests) {
            recorder.posted(request);
        }
        ring.publish(request.position());
        drains.wake();
    }

    @Override
    public @Nullable WorkRequest next() {
        return ring.next();
    }

    @Override
    public void start() {
        WorkRequest request = ring.advance();
        if (recorder.ofRequests) {
            recorder.submitted(request);
        }
    }

    @Override
    public int waiting() {
        return ring.untaken();
    }

    /**
     * Returns the fault if the application misused the memory of a request; the request then waits for the
     * {@link #flush}.
     */
    @Override
    public @Nullable ProtocolFault completeDone() {
        for (WorkRequest oldest = ring.oldest(); oldest != null && oldest.done(); oldest = ring.oldest()) {
            ProtocolFault fault = oldest.fillSink();
            if (fault != null) {
                return fault;
            }
            complete(oldest, null);
        }
        return null;
    }

    /** Event loop: flushes all started or posted requests with the close reason. */
    void flush(CloseReason reason) {
        WorkRequest request = oldestOrNext();
        while (request != null) {
            complete(request, reason);
            request = oldestOrNext();
        }
    }

    private @Nullable WorkRequest oldestOrNext() {
        WorkRequest oldest = ring.oldest();
        return oldest == null ? ring.take() : oldest;
    }

    private void complete(WorkRequest request, @Nullable CloseReason reason) {
        request.report(completion, reason);
        if (recorder.ofRequests) {
            recorder.completed(request, reason == null);
        }
        CompletionTarget target = request.target();
        giveBack(request.bytes());
        request.clear();
        ring.retire();
        Application.complete(channel, target, completion, ring);
        if (budget != null) {
            // The consumer of a completion queue releases the place later than the bytes.
            ring.wakeFirst();
        }
    }

    @Override
    public String toString() {
        return channel + ", " + ring.uncompleted() + " of " + ring.depth() + " requests posted";
    }
}
