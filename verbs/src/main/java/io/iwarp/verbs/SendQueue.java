package io.iwarp.verbs;

import io.iwarp.memory.LocalBuffer;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.RemoteBuffer;
import io.netty.buffer.ByteBuf;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The send queue of a {@link QueuePair}: takes every request except receives. Each request carries a work-request id,
 * which comes back in its completion. Posts allocate nothing. Create {@link LocalBuffer}s and {@link RemoteBuffer}s
 * once; if the target changes with each request, use the methods that take STag and offset. Any thread may post.
 *
 * <p>Completions go to the completion listener or the completion queue of the queue pair. Without one of them, posts
 * throw {@link IllegalStateException}. {@link QueuePair#sendQueueFor} returns one whose completions go to a listener of
 * its own. {@link QueuePair} describes order, memory and refused posts.
 *
 * <p>The local memory is a buffer, whose readable bytes are used and whose indices do not move, or a piece of a region,
 * which may be longer: up to 2^32 - 1 bytes. The memory of the peer is what the peer advertised, or a
 * {@linkplain RemoteBuffer#slice slice} of it. A range that does not fit throws {@link IllegalArgumentException}; the
 * peer checks its bounds as well.
 */
public final class SendQueue {
    private final PostedRequests requests;
    private final RequestPoster poster;
    /** Null for that of the queue pair. */
    private final @Nullable CompletionTarget ownTarget;

    /** @param ownTarget gets the completions; null for the target of the queue pair */
    SendQueue(PostedRequests requests, RequestPoster poster, @Nullable CompletionTarget ownTarget) {
        this.requests = requests;
        this.poster = poster;
        this.ownTarget = ownTarget;
    }

    private CompletionTarget target() {
        CompletionTarget own = ownTarget;
        return own == null ? CompletionTarget.required(requests.target()) : own;
    }

    /** Posts a Send without options; see {@link #send(long, ByteBuf, PostOptions)}. */
    public void send(long workRequestId, ByteBuf message) {
        send(workRequestId, message, PostOptions.NONE);
    }

    /**
     * Posts a Send. It completes when its bytes were handed to the transport, which does not say that the peer has
     * them; see {@link #placed}.
     *
     * @param workRequestId comes back in the completion
     * @param message any buffer; 0 to 2^31 - 1 bytes. The peer must have posted a receive of at least that size;
     *     otherwise it ends the stream.
     * @see <a href="https://www.rfc-editor.org/rfc/rfc5040#section-5.3">RFC 5040 section 5.3</a>
     */
    public void send(long workRequestId, ByteBuf message, PostOptions options) {
        poster.send(workRequestId, message, options, target());
    }

    /** Posts a Send of a piece of a region without options; see {@link #send(long, LocalBuffer, PostOptions)}. */
    public void send(long workRequestId, LocalBuffer message) {
        send(workRequestId, message, PostOptions.NONE);
    }

    /** Posts a Send of a piece of a region; see {@link #send(long, ByteBuf, PostOptions)}. */
    public void send(long workRequestId, LocalBuffer message, PostOptions options) {
        poster.send(workRequestId, message, options, target());
    }

    /**
     * Posts a Send of part of a region; see {@link #send(long, ByteBuf, PostOptions)}.
     *
     * @param workRequestId comes back in the completion
     * @param message of any protection domain and with any rights
     * @param offset where the part begins, in bytes from the beginning of the region
     * @param length the number of bytes of the part, 0 to 2^32 - 1
     * @throws IndexOutOfBoundsException if the part is not within the region
     */
    public void send(long workRequestId, MemoryRegion message, long offset, long length, PostOptions options) {
        poster.send(workRequestId, message, offset, length, options, target());
    }

    /**
     * Posts a Send with Invalidate without options; see {@link #sendWithInvalidate(long, ByteBuf, RemoteBuffer,
     * PostOptions)}.
     */
    public void sendWithInvalidate(long workRequestId, ByteBuf message, RemoteBuffer invalidated) {
        sendWithInvalidate(workRequestId, message, invalidated, PostOptions.NONE);
    }

    /**
     * Posts a Send that also invalidates an STag of the peer: when the peer's application gets the message, the STag is
     * no longer valid.
     *
     * @param invalidated memory with that STag; its offset and length are ignored. The peer must have bound the STag to
     *     this stream alone. The peer ends the stream if the STag is unknown, already invalidated, or usable by other
     *     streams.
     * @see <a href="https://www.rfc-editor.org/rfc/rfc5040#section-5.3">RFC 5040 section 5.3</a>
     */
    public void sendWithInvalidate(long workRequestId, ByteBuf message, RemoteBuffer invalidated, PostOptions options) {
        poster.sendWithInvalidate(workRequestId, message, invalidated, options, target());
    }

    /**
     * Posts a Send with Invalidate of a piece of a region without options; see {@link #sendWithInvalidate(long,
     * LocalBuffer, RemoteBuffer, PostOptions)}.
     */
    public void sendWithInvalidate(long workRequestId, LocalBuffer message, RemoteBuffer invalidated) {
        sendWithInvalidate(workRequestId, message, invalidated, PostOptions.NONE);
    }

    /**
     * Posts a Send with Invalidate of a piece of a region; see {@link #sendWithInvalidate(long, ByteBuf, RemoteBuffer,
     * PostOptions)}.
     */
    public void sendWithInvalidate(
            long workRequestId, LocalBuffer message, RemoteBuffer invalidated, PostOptions options) {
        poster.sendWithInvalidate(workRequestId, message, invalidated, options, target());
    }

    /** Posts an RDMA Write without options; see {@link #write(long, ByteBuf, RemoteBuffer, PostOptions)}. */
    public void write(long workRequestId, ByteBuf source, RemoteBuffer target) {
        write(workRequestId, source, target, PostOptions.NONE);
    }

    /**
     * Posts an RDMA Write to the start of the target. The peer's application is not notified. It completes when its
     * bytes were handed to the transport, which does not say that they are in the peer's memory; see {@link #placed}.
     *
     * @param workRequestId comes back in the completion
     * @param source any buffer; 0 to 2^31 - 1 bytes
     * @param target what the peer advertised, at least as long
     * @see <a href="https://www.rfc-editor.org/rfc/rfc5040#section-5.1">RFC 5040 section 5.1</a>
     */
    public void write(long workRequestId, ByteBuf source, RemoteBuffer target, PostOptions options) {
        poster.write(workRequestId, source, target, options, target());
    }

    /**
     * Posts an RDMA Write of a piece of a region without options; see {@link #write(long, LocalBuffer, RemoteBuffer,
     * PostOptions)}.
     */
    public void write(long workRequestId, LocalBuffer source, RemoteBuffer target) {
        write(workRequestId, source, target, PostOptions.NONE);
    }

    /**
     * Posts an RDMA Write of a piece of a region; see {@link #write(long, ByteBuf, RemoteBuffer, PostOptions)}.
     *
     * @param source of any protection domain and with any rights; it is read as local memory
     */
    public void write(long workRequestId, LocalBuffer source, RemoteBuffer target, PostOptions options) {
        poster.write(workRequestId, source, target, options, target());
    }

    /**
     * Posts an RDMA Write of part of a region to a target given by STag and tagged offset; see {@link #write(long,
     * ByteBuf, RemoteBuffer, PostOptions)}. The peer alone checks the range of the target.
     *
     * @param workRequestId comes back in the completion
     * @param source of any protection domain and with any rights; it is read as local memory
     * @param offset where the part begins, in bytes from the beginning of the region
     * @param length the number of bytes of the part, 0 to 2^32 - 1
     * @param stag the {@linkplain RemoteBuffer#stag STag} of what the peer advertised
     * @param taggedOffset the tagged offset of the first byte to write, unsigned: the
     *     {@linkplain RemoteBuffer#taggedOffset one} of what the peer advertised, plus the distance from its beginning
     * @throws IndexOutOfBoundsException if the part is not within the region
     */
    public void write(
            long workRequestId,
            MemoryRegion source,
            long offset,
            long length,
            int stag,
            long taggedOffset,
            PostOptions options) {
        poster.write(workRequestId, source, offset, length, stag, taggedOffset, options, target());
    }

    /**
     * Posts an RDMA Write with Immediate Data without options; see {@link #writeWithImmediate(long, ByteBuf,
     * RemoteBuffer, ImmediateData, PostOptions)}.
     */
    public void writeWithImmediate(long workRequestId, ByteBuf source, RemoteBuffer target, ImmediateData data) {
        writeWithImmediate(workRequestId, source, target, data, PostOptions.NONE);
    }

    /**
     * Posts an RDMA Write followed by Immediate Data. The peer's application gets the data with the completion of one
     * of its receives; the written bytes are in place by then.
     *
     * @param target what the peer advertised, at least as long as the source
     * @throws UnsupportedOperationException if the extensions are turned off
     * @see <a href="https://www.rfc-editor.org/rfc/rfc7306#section-6">RFC 7306 section 6</a>
     */
    public void writeWithImmediate(
            long workRequestId, ByteBuf source, RemoteBuffer target, ImmediateData data, PostOptions options) {
        poster.writeWithImmediate(workRequestId, source, target, data, options, target());
    }

    /**
     * Posts an RDMA Write with Immediate Data of a piece of a region without options; see
     * {@link #writeWithImmediate(long, LocalBuffer, RemoteBuffer, ImmediateData, PostOptions)}.
     */
    public void writeWithImmediate(long workRequestId, LocalBuffer source, RemoteBuffer target, ImmediateData data) {
        writeWithImmediate(workRequestId, source, target, data, PostOptions.NONE);
    }

    /**
     * Posts an RDMA Write with Immediate Data of a piece of a region; see {@link #writeWithImmediate(long, ByteBuf,
     * RemoteBuffer, ImmediateData, PostOptions)}.
     */
    public void writeWithImmediate(
            long workRequestId, LocalBuffer source, RemoteBuffer target, ImmediateData data, PostOptions options) {
        poster.writeWithImmediate(workRequestId, source, target, data, options, target());
    }

    /** Posts Immediate Data without options; see {@link #sendImmediate(long, ImmediateData, PostOptions)}. */
    public void sendImmediate(long workRequestId, ImmediateData data) {
        sendImmediate(workRequestId, data, PostOptions.NONE);
    }

    /**
     * Posts Immediate Data, which consumes one receive of the peer, in order with Sends. The buffer of that receive is
     * not changed.
     *
     * @throws UnsupportedOperationException if the extensions are turned off
     * @see <a href="https://www.rfc-editor.org/rfc/rfc7306#section-6">RFC 7306 section 6</a>
     */
    public void sendImmediate(long workRequestId, ImmediateData data, PostOptions options) {
        poster.sendImmediate(workRequestId, data, options, target());
    }

    /** Posts an RDMA Read without options; see {@link #read(long, ByteBuf, RemoteBuffer, PostOptions)}. */
    public void read(long workRequestId, ByteBuf sink, RemoteBuffer source) {
        read(workRequestId, sink, source, PostOptions.NONE);
    }

    /**
     * Posts an RDMA Read into a piece of a region without options; see {@link #read(long, LocalBuffer, RemoteBuffer,
     * PostOptions)}.
     */
    public void read(long workRequestId, LocalBuffer sink, RemoteBuffer source) {
        read(workRequestId, sink, source, PostOptions.NONE);
    }

    /**
     * Posts an RDMA Read of all bytes of the source. They are appended to the buffer: at the completion its writer
     * index has moved past them. The buffer is registered for the duration of the Read, which costs more than the Read
     * of a small object. Use a region for a sink that is reused.
     *
     * @param workRequestId comes back in the completion
     * @param sink a direct buffer of one piece, which no other Read fills; slices of a buffer can be filled at the same
     *     time
     * @param source what the peer advertised; at most as many bytes as the sink has writable ones
     * @throws IllegalArgumentException if the sink is not such a buffer, or has too few writable bytes
     * @throws IllegalStateException if a Read of this queue pair that has not completed fills the sink. If anything
     *     else uses the sink, such as a receive or another queue pair, the stream ends at the completion of this Read
     * @throws UnsupportedOperationException if the set-up agreed on an ORD of 0
     * @see <a href="https://www.rfc-editor.org/rfc/rfc5040#section-5.2">RFC 5040 section 5.2</a>
     */
    public void read(long workRequestId, ByteBuf sink, RemoteBuffer source, PostOptions options) {
        poster.read(workRequestId, sink, source, options, target());
    }

    /**
     * Posts an RDMA Read of all bytes of the source to the start of a piece of a region.
     *
     * @param workRequestId comes back in the completion
     * @param sink of a region of this queue pair's domain with the right LOCAL_WRITE, valid until the completion. If
     *     several Reads have the same bytes as their sink, those of the last one remain
     * @param source what the peer advertised; 0 to 2^32 - 1 bytes, at most as many as the sink has
     * @throws IllegalArgumentException if the sink is not such a region, or too short
     * @throws UnsupportedOperationException if the set-up agreed on an ORD of 0
     * @see <a href="https://www.rfc-editor.org/rfc/rfc5040#section-5.2">RFC 5040 section 5.2</a>
     */
    public void read(long workRequestId, LocalBuffer sink, RemoteBuffer source, PostOptions options) {
        poster.read(workRequestId, sink, source, options, target());
    }

    /**
     * Posts an RDMA Read into part of a region from a source given by STag and tagged offset; see {@link #read(long,
     * LocalBuffer, RemoteBuffer, PostOptions)}. The peer alone checks the range of the source.
     *
     * @param workRequestId comes back in the completion
     * @param sink a region as for the other form
     * @param offset where the bytes go, in bytes from the beginning of the region
     * @param length the number of bytes to read, 0 to 2^32 - 1
     * @param stag the {@linkplain RemoteBuffer#stag STag} of what the peer advertised
     * @param taggedOffset the tagged offset of the first byte to read, unsigned, as for the {@linkplain #write(long,
     *     MemoryRegion, long, long, int, long, PostOptions) Write}
     * @throws IndexOutOfBoundsException if the part is not within the region
     */
    public void read(
            long workRequestId,
            MemoryRegion sink,
            long offset,
            long length,
            int stag,
            long taggedOffset,
            PostOptions options) {
        poster.read(workRequestId, sink, offset, length, stag, taggedOffset, options, target());
    }

    /**
     * Posts a request that completes when everything that was posted before is in the peer's memory: a Read of 0 bytes,
     * which refers to no memory and counts to the ORD. The peer's stack responds after it has placed all earlier Writes
     * and Sends (RFC 5040 section 5.5). If a Write was refused, for example because its STag was revoked, this request
     * fails, and {@link io.iwarp.CloseReason#accessRevoked} is true. It does not itself check an STag. A completion
     * does not imply that the peer's application has handled a message.
     *
     * @param workRequestId comes back in the completion
     * @throws UnsupportedOperationException if the set-up agreed on an ORD of 0
     */
    public void placed(long workRequestId) {
        poster.placed(workRequestId, target());
    }

    /** Posts a FetchAdd without options; see {@link #fetchAdd(long, RemoteBuffer, FetchAdd, PostOptions)}. */
    public void fetchAdd(long workRequestId, RemoteBuffer target, FetchAdd numbers) {
        fetchAdd(workRequestId, target, numbers, PostOptions.NONE);
    }

    /**
     * Posts a FetchAdd: adds to a 64-bit number of the peer. {@link CompletionView#originalValue} is the number before
     * the addition. No other atomic of any stream intervenes.
     *
     * <p>In the peer's memory the number has the byte order of the peer's host; only its value is transmitted. An RDMA
     * Read returns the bytes as they are in memory: little-endian from x86 or ARM. At a peer that uses this library,
     * the application reads and sets the number with {@link MemoryRegion#getVolatile} and
     * {@link MemoryRegion#setVolatile}.
     *
     * @param target 8 bytes that the peer advertised with the right REMOTE_ATOMIC, see {@link RemoteBuffer#word}; their
     *     address at the peer must be a multiple of 8
     * @param numbers what to add
     * @throws UnsupportedOperationException if the extensions are turned off, or the set-up agreed on an ORD of 0
     * @see <a href="https://www.rfc-editor.org/rfc/rfc7306#section-5.1.1">RFC 7306 section 5.1.1</a>
     */
    public void fetchAdd(long workRequestId, RemoteBuffer target, FetchAdd numbers, PostOptions options) {
        poster.fetchAdd(workRequestId, target, numbers, options, target());
    }

    /**
     * Posts a FetchAdd with one field of 64 bits on a target given by STag and tagged offset; see
     * {@link #fetchAdd(long, RemoteBuffer, FetchAdd, PostOptions)}.
     *
     * @param workRequestId comes back in the completion
     * @param stag the {@linkplain RemoteBuffer#stag STag} of what the peer advertised
     * @param taggedOffset the tagged offset of the first of the 8 bytes, unsigned
     * @param add the addend
     */
    public void fetchAdd(long workRequestId, int stag, long taggedOffset, long add, PostOptions options) {
        poster.fetchAdd(workRequestId, stag, taggedOffset, add, 0, options, target());
    }

    /** Posts a CmpSwap without options; see {@link #compareSwap(long, RemoteBuffer, CompareSwap, PostOptions)}. */
    public void compareSwap(long workRequestId, RemoteBuffer target, CompareSwap numbers) {
        compareSwap(workRequestId, target, numbers, PostOptions.NONE);
    }

    /**
     * Posts a CmpSwap: compares bits of a 64-bit number of the peer and, if they are equal, replaces bits of it.
     * {@link CompletionView#originalValue} is the number before the operation; the swap took place if that compares
     * equal. No other atomic of any stream intervenes. In memory the number has the byte order of the peer's host, as
     * with {@link #fetchAdd}.
     *
     * @param target 8 bytes, as for {@link #fetchAdd}
     * @param numbers what to compare with, and what to replace
     * @throws UnsupportedOperationException if the extensions are turned off, or the set-up agreed on an ORD of 0
     * @see <a href="https://www.rfc-editor.org/rfc/rfc7306#section-5.1.2">RFC 7306 section 5.1.2</a>
     */
    public void compareSwap(long workRequestId, RemoteBuffer target, CompareSwap numbers, PostOptions options) {
        poster.compareSwap(workRequestId, target, numbers, options, target());
    }

    /**
     * Posts a CmpSwap of all bits on a target given by STag and tagged offset; see {@link #compareSwap(long,
     * RemoteBuffer, CompareSwap, PostOptions)}.
     *
     * @param workRequestId comes back in the completion
     * @param stag the {@linkplain RemoteBuffer#stag STag} of what the peer advertised
     * @param taggedOffset the tagged offset of the first of the 8 bytes, unsigned
     * @param expected the number is replaced if it is this one
     * @param replacement the new number
     */
    public void compareSwap(
            long workRequestId, int stag, long taggedOffset, long expected, long replacement, PostOptions options) {
        poster.compareSwap(workRequestId, stag, taggedOffset, expected, replacement, options, target());
    }

    /**
     * Posts several requests as one unit: all or none, with no other request between them, for example a Write and the
     * Send that announces it.
     *
     * @param count the number of requests, 1 to {@link QueuePairSettings#sendQueueDepth}
     * @param posts posts exactly {@code count} requests to the queue that it gets, on this thread, which must not wait:
     *     all other posts come after the unit. If it throws, nothing is posted, and this method throws the same.
     * @throws QueueFullException if there is not room for all
     * @throws IllegalStateException if {@code posts} posts fewer or more requests
     */
    public void post(int count, Consumer<SendQueue> posts) {
        Objects.requireNonNull(posts, "posts is null");
        requests.post(count, target(), unit -> posts.accept(new SendQueue(requests, poster, unit)));
    }

    /**
     * Returns how many requests with an id can be posted now, 0 to {@link QueuePairSettings#sendQueueDepth}: the free
     * places of the send queue; 0 while a post with a future is pending. Any thread may call this; other threads may
     * use the room.
     */
    public int room() {
        return requests.room();
    }

    /**
     * Returns how many further Reads and atomics can start without waiting for a response: the negotiated ORD minus
     * those that are posted and not complete; 0 before the set-up. A request that waits delays all later requests.
     */
    public int readRoom() {
        return requests.readRoom();
    }

    /**
     * Returns a future that completes on the event loop when there is {@linkplain #room room}, in the order of these
     * calls. The room is not reserved: other posts may use it. It fails with {@link io.iwarp.ConnectionClosedException}
     * when the stream ends. Cancel it if it is not needed any more.
     *
     * @param count the number of requests, 1 to {@link QueuePairSettings#sendQueueDepth}
     */
    public CompletableFuture<Void> whenRoom(int count) {
        return requests.whenRoom(count);
    }

    @Override
    public String toString() {
        return "SendQueue[" + requests + "]";
    }
}
