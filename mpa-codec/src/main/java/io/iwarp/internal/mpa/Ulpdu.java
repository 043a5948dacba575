package io.iwarp.internal.mpa;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.AbstractReferenceCounted;
import io.netty.util.ReferenceCounted;
import java.util.Objects;

/**
 * One outgoing ULPDU: the bytes of a small header followed by the bytes of a payload.
 *
 * <p>The layer above MPA reuses one object and writes it to the channel. MPA does not take over a reference: when the
 * write returns, it has copied the header, and has copied the payload or retained a slice of it. Object and header may
 * then be reused. The bytes of the payload must not change until the promise of this write, or of a later one,
 * completes. Otherwise the peer finds a CRC error.
 *
 * <p>Not safe for use by several threads: it belongs to the event loop of its stream.
 */
public final class Ulpdu extends AbstractReferenceCounted {

    /**
     * Payloads from this number of bytes on are sent by reference where that is possible.
     * {@code FpduByReferenceBenchmark} and {@code FpduBenchmark} compare that with a copy.
     */
    static final int BY_REFERENCE_THRESHOLD = 4 * 1024;

    private static final int HEADER_CAPACITY = 128;

    private final ByteBuf header = Unpooled.buffer(HEADER_CAPACITY);
    private ByteBuf payload = Unpooled.EMPTY_BUFFER;
    private int payloadIndex;
    private int payloadLength;

    /** Creates a ULPDU without bytes. */
    public Ulpdu() {}

    /**
     * Returns the buffer of the header, whose readable bytes are the ULPDU's first bytes: a growing heap buffer that
     * belongs to this object and needs no release. Clear it and write to it.
     */
    public ByteBuf header() {
        return header;
    }

    /**
     * Sets the bytes that follow the header.
     *
     * @param bytes the buffer; it is not retained, the caller keeps it alive until the ULPDU was written
     * @param index the first byte
     * @param length the number of bytes
     * @return this
     * @throws IndexOutOfBoundsException if the range is not inside the buffer's capacity
     */
    @SuppressWarnings("ReferenceEquality") // rewriting a reference costs more than comparing it
    public Ulpdu payload(ByteBuf bytes, int index, int length) {
        Objects.checkFromIndexSize(index, length, bytes.capacity());
        if (payload != bytes) {
            payload = bytes;
        }
        payloadIndex = index;
        payloadLength = length;
        return this;
    }

    /**
     * Removes the payload, and clears the reference to its buffer.
     *
     * @return this
     */
    public Ulpdu clearPayload() {
        return payload(Unpooled.EMPTY_BUFFER, 0, 0);
    }

    /** Returns the bytes of header and payload together. */
    public int length() {
        return header.readableBytes() + payloadLength;
    }

    /**
     * Returns whether MPA can send the payload by reference, unless markers are inserted into it. Otherwise MPA copies
     * it, because it is short, or because the transport would copy it.
     */
    public boolean isReferable() {
        return payloadLength >= BY_REFERENCE_THRESHOLD && payload.isDirect();
    }

    ByteBuf payload() {
        return payload;
    }

    int payloadIndex() {
        return payloadIndex;
    }

    int payloadLength() {
        return payloadLength;
    }

    /** Returns this message: Netty touches each message of a pipeline. */
    @Override
    public ReferenceCounted touch(Object hint) {
        return this;
    }

    /** The owner keeps the message. */
    @Override
    protected void deallocate() {
        setRefCnt(1);
    }
}
