package io.iwarp.verbs;

import io.iwarp.memory.MemoryRegion;
import io.netty.buffer.ByteBuf;

/**
 * The operations of a {@link QueuePair} in the form with a work-request id, whose completions go to its completion listener
 * or its completion queues.
 */
abstract class RequestPosts {
    abstract CompletionRoutes routes();

    abstract Poster poster();

    /** As {@link #send(long, ByteBuf, PostOptions)}, without options. */
    public void send(long workRequestId, ByteBuf message) {
        send(workRequestId, message, PostOptions.NONE);
    }

    /**
     * Posts a Send of the buffer's readable bytes; the buffer's indices do not move.
     *
     * @param workRequestId comes back in the completion
     * @param message any buffer; up to 2^31 - 1 bytes, none is fine. The peer must have posted a receive of at least that
     *     size, or it ends the stream.
     * @see <a href="https://www.rfc-editor.org/rfc/rfc5040#section-5.3">RFC 5040 section 5.3</a>
     */
    public void send(long workRequestId, ByteBuf message, PostOptions options) {
        poster().send(workRequestId, message, options, routes().forSends());
    }

    /**
     * Posts a Send of a part of a region, which may be larger than a buffer can be.
     *
     * @param offset of the first byte in the region, 0 for its start
     * @param length 0 to 2^32 - 1 bytes
     */
    public void send(long workRequestId, MemoryRegion source, long offset, long length, PostOptions options) {
        poster().send(workRequestId, source, offset, length, options, routes().forSends());
    }

    /**
     * Posts a Send of the buffer's readable bytes that also takes back an STag of the peer: when the peer's application
     * gets the message, nobody can use that STag any more.
     *
     * @param stag an STag that the peer tied to this stream alone. The peer ends the stream if it is unknown to it, taken
     *     back already, or open to other streams as well.
     * @see <a href="https://www.rfc-editor.org/rfc/rfc5040#section-5.3">RFC 5040 section 5.3</a>
     */
    public void sendWithInvalidate(long workRequestId, ByteBuf message, int stag, PostOptions options) {
        poster().sendWithInvalidate(workRequestId, message, stag, options, routes().forSends());
    }

    /** As {@link #write(long, ByteBuf, int, long, PostOptions)}, without options. */
    public void write(long workRequestId, ByteBuf source, int stag, long taggedOffset) {
        write(workRequestId, source, stag, taggedOffset, PostOptions.NONE);
    }

    /**
     * Posts an RDMA Write of the buffer's readable bytes into memory that the peer advertised; the buffer's indices do not
     * move. The peer's application does not learn of it by itself.
     *
     * @param workRequestId comes back in the completion
     * @param source any buffer; up to 2^31 - 1 bytes, none is fine
     * @param stag the STag that the peer advertised
     * @param taggedOffset where the first byte goes, unsigned, in bytes of that STag
     * @see <a href="https://www.rfc-editor.org/rfc/rfc5040#section-5.1">RFC 5040 section 5.1</a>
     */
    public void write(long workRequestId, ByteBuf source, int stag, long taggedOffset, PostOptions options) {
        poster().write(workRequestId, source, stag, taggedOffset, options, routes().forSends());
    }

    /**
     * Posts an RDMA Write of a part of a region, which may be larger than a buffer can be.
     *
     * @param offset of the first byte in the region, 0 for its start
     * @param length 0 to 2^32 - 1 bytes
     */
    public void write(
            long workRequestId,
            MemoryRegion source,
            long offset,
            long length,
            int stag,
            long taggedOffset,
            PostOptions options) {
        poster().write(workRequestId, source, offset, length, stag, taggedOffset, options, routes().forSends());
    }

    /**
     * Posts an RDMA Write with Immediate Data behind it: the peer's application learns by one of its receives that the
     * bytes are in place, and gets 64 bits with that.
     *
     * @param data the 64 bits
     * @throws UnsupportedOperationException if the extensions are turned off
     * @see <a href="https://www.rfc-editor.org/rfc/rfc7306#section-6">RFC 7306 section 6</a>
     */
    public void writeWithImmediate(
            long workRequestId, ByteBuf source, int stag, long taggedOffset, long data, PostOptions options) {
        poster().writeWithImmediate(workRequestId, source, stag, taggedOffset, data, options, routes().forSends());
    }

    /**
     * As {@link #writeWithImmediate(long, ByteBuf, int, long, long, PostOptions)}, of a part of a region.
     *
     * @param offset of the first byte in the region, 0 for its start
     * @param length 0 to 2^32 - 1 bytes
     */
    public void writeWithImmediate(
            long workRequestId,
            MemoryRegion source,
            long offset,
            long length,
            int stag,
            long taggedOffset,
            long data,
            PostOptions options) {
        poster().writeWithImmediate(
                        workRequestId, source, offset, length, stag, taggedOffset, data, options, routes().forSends());
    }

    /**
     * Posts Immediate Data: 64 bits that use up one receive of the peer, in order with Sends, and leave its buffer alone.
     *
     * @param data the 64 bits
     * @throws UnsupportedOperationException if the extensions are turned off
     * @see <a href="https://www.rfc-editor.org/rfc/rfc7306#section-6">RFC 7306 section 6</a>
     */
    public void sendImmediate(long workRequestId, long data, PostOptions options) {
        poster().immediate(workRequestId, data, options, routes().forSends());
    }

    /**
     * Posts an RDMA Read into a part of a region.
     *
     * @param workRequestId comes back in the completion
     * @param sink a region of this queue pair's domain with the right LOCAL_WRITE; it must stay valid until the completion
     * @param offset of the first byte in the region, 0 for its start
     * @param length 0 to 2^32 - 1 bytes
     * @param stag the STag that the peer advertised
     * @param taggedOffset where to read from, unsigned, in bytes of that STag
     * @throws IllegalArgumentException if the sink is not such a region
     * @see <a href="https://www.rfc-editor.org/rfc/rfc5040#section-5.2">RFC 5040 section 5.2</a>
     */
    public void read(
            long workRequestId,
            MemoryRegion sink,
            long offset,
            long length,
            int stag,
            long taggedOffset,
            PostOptions options) {
        poster().read(workRequestId, sink, offset, length, stag, taggedOffset, options, routes().forSends());
    }

    /**
     * Posts an RDMA Read that fills the buffer's writable bytes, up to its capacity. At its completion the writer index has
     * moved past them. The buffer is registered for the time of the Read; a sink that is used again and again is cheaper as
     * a region.
     *
     * @param sink a direct buffer of one piece
     * @param stag the STag that the peer advertised
     * @param taggedOffset where to read from, unsigned, in bytes of that STag
     */
    public void read(long workRequestId, ByteBuf sink, int stag, long taggedOffset, PostOptions options) {
        poster().read(workRequestId, sink, sink.writableBytes(), stag, taggedOffset, options, routes().forSends());
    }

    /**
     * Posts a FetchAdd: adds to a 64-bit number of the peer, which comes back as it was before in
     * {@link Completion#original}. No other atomic of any stream comes in between.
     *
     * <p>In the peer's memory the number is in the byte order of the peer's machine; only its value crosses the wire. An RDMA
     * Read gets its bytes as they lie there: little-endian from x86 or ARM. At a peer that uses this library the
     * application reads and sets it with {@link MemoryRegion#getVolatile} and {@link MemoryRegion#setVolatile}.
     *
     * @param stag the STag that the peer advertised, with the right REMOTE_ATOMIC
     * @param taggedOffset where the number begins, unsigned; its address at the peer must be a multiple of 8
     * @param add what to add; 0 reads the number, or finds out whether the peer knows atomics
     * @param mask divides the number into fields: each bit set is the highest of a field, from which nothing is carried into
     *     the next; 0 for one field of 64 bits
     * @throws UnsupportedOperationException if the extensions are turned off
     * @see <a href="https://www.rfc-editor.org/rfc/rfc7306#section-5.1.1">RFC 7306 section 5.1.1</a>
     */
    public void fetchAdd(long workRequestId, int stag, long taggedOffset, long add, long mask, PostOptions options) {
        poster().fetchAdd(workRequestId, stag, taggedOffset, add, mask, options, routes().forSends());
    }

    /**
     * Posts a CmpSwap: replaces bits of a 64-bit number of the peer if others of its bits are as expected. The number comes
     * back as it was before in {@link Completion#original}. No other atomic of any stream comes in between. Its byte order in
     * memory is that of the peer's machine, as with {@link #fetchAdd(long, int, long, long, long, PostOptions)}.
     *
     * @param stag the STag that the peer advertised, with the right REMOTE_ATOMIC
     * @param taggedOffset where the number begins, unsigned; its address at the peer must be a multiple of 8
     * @param expected what to compare with
     * @param expectedMask which bits to compare, -1 for all; 0 compares none, so that the swap always happens
     * @param replacement the new bits
     * @param replacementMask which bits to replace, -1 for all
     * @throws UnsupportedOperationException if the extensions are turned off
     * @see <a href="https://www.rfc-editor.org/rfc/rfc7306#section-5.1.2">RFC 7306 section 5.1.2</a>
     */
    public void compareSwap(
            long workRequestId,
            int stag,
            long taggedOffset,
            long expected,
            long expectedMask,
            long replacement,
            long replacementMask,
            PostOptions options) {
        poster().compareSwap(
                        workRequestId,
                        stag,
                        taggedOffset,
                        expected,
                        expectedMask,
                        replacement,
                        replacementMask,
                        options,
                        routes().forSends());
    }

    /**
     * Posts a receive: the buffer's writable bytes, up to its capacity, take one Send of the peer.
     *
     * <p>At its completion the writer index has moved past the received bytes. Receives take messages in the order they
     * were posted. They may be posted before the connection is made, and should be: a Send that finds no receive ends the
     * stream. Immediate Data of the peer uses up a receive as well, of any size, and leaves its buffer alone.
     *
     * @param workRequestId comes back in the completion
     * @param sink up to 2^31 - 1 writable bytes; it does not grow
     * @throws IllegalStateException if the queue pair takes its receives from elsewhere: a shared receive queue, or an
     *     allocator ({@link QueuePairSettings#managedReceiveBytes})
     */
    public void receive(long workRequestId, ByteBuf sink) {
        poster().receive(workRequestId, sink, routes().forReceives());
    }

    /**
     * Posts a receive into a part of a region, which may be larger than a buffer can be.
     *
     * @param offset of the first byte in the region, 0 for its start
     * @param length 0 to 2^32 - 1 bytes
     */
    public void receive(long workRequestId, MemoryRegion sink, long offset, long length) {
        poster().receive(workRequestId, sink, offset, length, routes().forReceives());
    }
}
