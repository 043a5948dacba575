package io.iwarp.rdmap;

import io.iwarp.ddp.DdpMessage;
import io.iwarp.internal.memory.ByteSpan;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * One operation of the application. Choose the operation with one of the methods below, then offer the request in the
 * {@link RequestQueue}.
 *
 * <p>A Send or Write sends its {@link #payload} as one DDP message. A Read, an atomic and Immediate Data send a message
 * that consists of a header. A Write with Immediate Data sends both.
 *
 * <p>The caller owns the object and may reuse it when it is {@link #done}. Between {@link RequestQueue#start} and then,
 * do not change the object or the bytes of its payload, and keep the sink of a Read registered. Confined to the event
 * loop of the stream.
 */
public class RdmapRequest {
    /** The STag of messages without payload. Not 0, which some hardware rejects. */
    public static final int EMPTY_MESSAGE_STAG = 1;

    private enum Kind {
        /** A Send or Write: the payload message alone. */
        PAYLOAD,
        /** A Write, followed by an Immediate Data message. */
        WRITE_WITH_IMMEDIATE,
        IMMEDIATE,
        READ,
        ATOMIC
    }

    private final DdpMessage message = new DdpMessage().owner(this);
    private Kind kind = Kind.PAYLOAD;
    private boolean fenced;
    private boolean solicited;
    private long immediate;

    private int remoteStag;
    private long remoteTaggedOffset;
    private int sinkStag;
    private long sinkTaggedOffset;
    private long size;

    private int atomicOperation;
    private long addOrSwap;
    private long addOrSwapMask;
    private long compare;
    private long compareMask;
    private int identifier;
    private long original;

    private boolean done;

    /** Creates a request without an operation. Choose one with the methods below. */
    public RdmapRequest() {}

    /**
     * Makes this a Send of the payload.
     *
     * @param solicitedEvent whether to ask for an event at the peer
     * @see <a href="https://www.rfc-editor.org/rfc/rfc5040#section-5.3">RFC 5040 section 5.3</a>
     */
    public final RdmapRequest send(boolean solicitedEvent) {
        return sendMessage(solicitedEvent ? Opcode.SEND_WITH_SOLICITED_EVENT : Opcode.SEND, 0);
    }

    /**
     * Makes this a Send of the payload that also invalidates an STag of the peer. The peer invalidates the STag after
     * it has received the whole message.
     *
     * @param stag an STag that the peer associated with this stream alone; any other STag ends the stream
     * @param solicitedEvent whether to ask for an event at the peer
     * @see <a href="https://www.rfc-editor.org/rfc/rfc5040#section-5.3">RFC 5040 section 5.3</a>
     */
    public final RdmapRequest sendWithInvalidate(int stag, boolean solicitedEvent) {
        return sendMessage(
                solicitedEvent ? Opcode.SEND_WITH_SOLICITED_EVENT_AND_INVALIDATE : Opcode.SEND_WITH_INVALIDATE, stag);
    }

    private RdmapRequest sendMessage(Opcode opcode, int invalidatedStag) {
        begin(Kind.PAYLOAD);
        message.untagged(opcode.control(), invalidatedStag, opcode.queue());
        return this;
    }

    /**
     * Makes this an RDMA Write of the payload to the given address in the peer's memory.
     *
     * @param stag the STag that the peer advertised
     * @param taggedOffset where the first byte goes, in bytes of that STag, unsigned
     * @see <a href="https://www.rfc-editor.org/rfc/rfc5040#section-5.1">RFC 5040 section 5.1</a>
     */
    public final RdmapRequest write(int stag, long taggedOffset) {
        begin(Kind.PAYLOAD);
        message.tagged(Opcode.RDMA_WRITE.control(), stag, taggedOffset);
        return this;
    }

    /**
     * Makes this an RDMA Write of the payload, followed by Immediate Data that notifies the peer's application of the
     * Write. The request completes when both messages have been sent.
     *
     * @param stag the STag that the peer advertised
     * @param taggedOffset where the first byte goes, in bytes of that STag, unsigned
     * @param data the 64 bits that the peer's application gets
     * @param solicitedEvent whether to ask for an event at the peer
     * @see <a href="https://www.rfc-editor.org/rfc/rfc7306#section-6">RFC 7306 section 6</a>
     */
    public final RdmapRequest writeWithImmediate(int stag, long taggedOffset, long data, boolean solicitedEvent) {
        write(stag, taggedOffset);
        kind = Kind.WRITE_WITH_IMMEDIATE;
        immediate = data;
        solicited = solicitedEvent;
        return this;
    }

    /**
     * Makes this an Immediate Data message: 64 bits that consume one receive of the peer, in order with Sends.
     *
     * @param data the 64 bits that the peer's application gets
     * @param solicitedEvent whether to ask for an event at the peer
     * @see <a href="https://www.rfc-editor.org/rfc/rfc7306#section-6">RFC 7306 section 6</a>
     */
    public final RdmapRequest immediate(long data, boolean solicitedEvent) {
        begin(Kind.IMMEDIATE);
        immediate = data;
        solicited = solicitedEvent;
        return this;
    }

    /**
     * Makes this an RDMA Read.
     *
     * @param sink the STag of local memory that this stream may access, with the right LOCAL_WRITE
     * @param sinkOffset where the first byte goes, in bytes of the sink, unsigned
     * @param length the bytes to read, 0 to 2^32 - 1
     * @param stag the STag that the peer advertised
     * @param taggedOffset where to read from, in bytes of that STag, unsigned
     * @see <a href="https://www.rfc-editor.org/rfc/rfc5040#section-5.2">RFC 5040 section 5.2</a>
     */
    public final RdmapRequest read(int sink, long sinkOffset, long length, int stag, long taggedOffset) {
        begin(Kind.READ);
        sinkStag = sink;
        sinkTaggedOffset = sinkOffset;
        size = length;
        remoteStag = stag;
        remoteTaggedOffset = taggedOffset;
        return this;
    }

    /**
     * Makes this a FetchAdd on 8 bytes of the peer. {@link #original} returns the previous value.
     *
     * @param stag the STag that the peer advertised
     * @param taggedOffset where the 8 bytes begin, unsigned; their address at the peer must be a multiple of 8
     * @param add the value to add
     * @param mask each bit set marks the highest bit of a field, which drops its carry; 0 for a plain 64-bit sum
     * @see <a href="https://www.rfc-editor.org/rfc/rfc7306#section-5.1.1">RFC 7306 section 5.1.1</a>
     */
    public final RdmapRequest fetchAdd(int stag, long taggedOffset, long add, long mask) {
        atomic(AtomicLayout.FETCH_ADD, stag, taggedOffset);
        addOrSwap = add;
        addOrSwapMask = mask;
        compare = 0;
        compareMask = -1;
        return this;
    }

    /**
     * Makes this a CmpSwap on 8 bytes of the peer. {@link #original} returns the previous value.
     *
     * @param stag the STag that the peer advertised
     * @param taggedOffset where the 8 bytes begin, unsigned; their address at the peer must be a multiple of 8
     * @param swap the new bits
     * @param swapMask which bits are replaced; -1 for all
     * @param compareWith the bits to compare with
     * @param compareWithMask which bits are compared; -1 for all
     * @see <a href="https://www.rfc-editor.org/rfc/rfc7306#section-5.1.2">RFC 7306 section 5.1.2</a>
     */
    public final RdmapRequest compareSwap(
            int stag, long taggedOffset, long swap, long swapMask, long compareWith, long compareWithMask) {
        atomic(AtomicLayout.COMPARE_SWAP, stag, taggedOffset);
        addOrSwap = swap;
        addOrSwapMask = swapMask;
        compare = compareWith;
        compareMask = compareWithMask;
        return this;
    }

    private void atomic(int operation, int stag, long taggedOffset) {
        begin(Kind.ATOMIC);
        atomicOperation = operation;
        remoteStag = stag;
        remoteTaggedOffset = taggedOffset;
    }

    private void begin(Kind newKind) {
        if (kind != newKind) {
            kind = newKind;
        }
        fenced = false;
        done = false;
        original = 0;
    }

    /**
     * Sets whether this request waits until all Reads and atomics posted before it have completed. Call this method
     * after the method that chooses the operation.
     */
    public final RdmapRequest fenced(boolean waits) {
        fenced = waits;
        return this;
    }

    /** Returns the local memory that a Send or Write sends; wrap a buffer or region with it. */
    public final ByteSpan payload() {
        return message.payload();
    }

    /** Returns the message of the payload. */
    final DdpMessage message() {
        return message;
    }

    /** Returns the number of bytes that a Read requests, 0 to 2^32 - 1. Valid for a Read only. */
    public final long readLength() {
        return size;
    }

    /** Returns the previous 64-bit value of an atomic's target. Valid after the atomic has completed. */
    public final long original() {
        return original;
    }

    final boolean fenced() {
        return fenced;
    }

    final boolean isRead() {
        return kind == Kind.READ;
    }

    /**
     * Returns whether the request needs a response of the peer. It counts against the ORD until the response arrives.
     */
    public final boolean awaitsResponse() {
        return kind == Kind.READ || kind == Kind.ATOMIC;
    }

    /** Returns whether the request begins with the {@link #message} of its payload. */
    final boolean hasPayload() {
        return kind == Kind.PAYLOAD || kind == Kind.WRITE_WITH_IMMEDIATE;
    }

    /** Returns whether no message follows that of the payload. */
    final boolean isPayloadAlone() {
        return kind == Kind.PAYLOAD;
    }

    /** Returns the opcode of the header-only message, or null if the request has none. */
    final @Nullable Opcode headerOpcode() {
        return switch (kind) {
            case PAYLOAD -> null;
            case IMMEDIATE, WRITE_WITH_IMMEDIATE ->
                solicited ? Opcode.IMMEDIATE_DATA_WITH_SOLICITED_EVENT : Opcode.IMMEDIATE_DATA;
            case READ -> Opcode.READ_REQUEST;
            case ATOMIC -> Opcode.ATOMIC_REQUEST;
        };
    }

    /**
     * Makes a message the one that consists of a header: Immediate Data, a Read Request or an Atomic Request.
     *
     * @param opcode the {@link #headerOpcode}
     * @param header takes the header, from index 0 on
     */
    final DdpMessage fill(DdpMessage target, Opcode opcode, ByteBuf header) {
        target.untagged(opcode.control(), 0, opcode.queue());
        target.payload().wrap(header, 0, writeHeader(header));
        return target;
    }

    /** Returns the length of the header in bytes. */
    private int writeHeader(ByteBuf header) {
        return switch (kind) {
            case PAYLOAD -> 0;
            case IMMEDIATE, WRITE_WITH_IMMEDIATE -> {
                header.setLong(0, immediate);
                yield Opcode.IMMEDIATE_LENGTH;
            }
            case READ -> {
                header.setInt(ReadRequestLayout.SINK_STAG, sinkStag);
                header.setLong(ReadRequestLayout.SINK_TAGGED_OFFSET, sinkTaggedOffset);
                header.setInt(ReadRequestLayout.MESSAGE_SIZE, (int) size);
                header.setInt(ReadRequestLayout.SOURCE_STAG, remoteStag);
                header.setLong(ReadRequestLayout.SOURCE_TAGGED_OFFSET, remoteTaggedOffset);
                yield ReadRequestLayout.LENGTH;
            }
            case ATOMIC -> {
                header.setInt(AtomicLayout.OPERATION, atomicOperation);
                header.setInt(AtomicLayout.REQUEST_IDENTIFIER, identifier);
                header.setInt(AtomicLayout.STAG, remoteStag);
                header.setLong(AtomicLayout.TAGGED_OFFSET, remoteTaggedOffset);
                header.setLong(AtomicLayout.ADD_OR_SWAP, addOrSwap);
                header.setLong(AtomicLayout.ADD_OR_SWAP_MASK, addOrSwapMask);
                header.setLong(AtomicLayout.COMPARE, compare);
                header.setLong(AtomicLayout.COMPARE_MASK, compareMask);
                yield AtomicLayout.REQUEST_LENGTH;
            }
        };
    }

    /**
     * Called before bytes of the response to this Read are placed. Returns false if the application has cancelled the
     * Read: then they are discarded.
     */
    protected boolean beginPlacement() {
        return true;
    }

    /** Called when bytes of the response are placed, or the stream ends. */
    protected void endPlacement() {}

    final int sinkStag() {
        return sinkStag;
    }

    final long sinkTaggedOffset() {
        return sinkTaggedOffset;
    }

    /** Returns the Request Identifier of an atomic. */
    final int identifier() {
        return identifier;
    }

    final void setIdentifier(int requestIdentifier) {
        identifier = requestIdentifier;
    }

    final void setOriginalValue(long value) {
        original = value;
    }

    /** Returns whether a request that has started is done. */
    public final boolean done() {
        return done;
    }

    final void markDone() {
        done = true;
    }
}
