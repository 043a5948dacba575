package io.iwarp.mpa;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.AbstractReferenceCounted;
import io.netty.util.ReferenceCounted;

/**
 * One ULPDU of the peer: complete, CRC and markers checked, markers removed (RFC 5044 section 4.3).
 *
 * <p>MPA passes the same object up the pipeline for each ULPDU. The object and its buffer are valid only during the
 * call that passes it. The receiver does not release, retain or change the buffer, and uses only the bytes of the
 * range.
 *
 * <p>Not safe for use by several threads: it belongs to the event loop of its stream.
 */
public final class ReceivedUlpdu extends AbstractReferenceCounted {

    private ByteBuf buffer = Unpooled.EMPTY_BUFFER;
    private int index;
    private int length;
    private boolean stall;

    /** Creates an object that names no bytes; {@link FpduDecoder#decode} makes it name some. */
    public ReceivedUlpdu() {}

    /** Returns the buffer that contains the ULPDU in one piece. MPA still owns it. */
    public ByteBuf buffer() {
        return buffer;
    }

    /** Returns the index of the ULPDU's first byte in {@link #buffer()}. */
    public int index() {
        return index;
    }

    /** Returns the length of the ULPDU in bytes, the peer's ULPDU_Length, 0 to 65535. */
    public int length() {
        return length;
    }

    /**
     * Refuses the ULPDU for now, during the call that passes it. The input stalls: MPA keeps the ULPDU, with everything
     * after it, and stops reading from the transport. It passes the same ULPDU again when a {@code read} comes down the
     * pipeline.
     */
    public void stall() {
        stall = true;
    }

    /** Returns, once, whether the receiver could not take the ULPDU. */
    boolean takeStall() {
        boolean was = stall;
        stall = false;
        return was;
    }

    @SuppressWarnings("ReferenceEquality") // rewriting a reference costs more than comparing it
    void wrap(ByteBuf bytes, int from, int count) {
        if (buffer != bytes) {
            buffer = bytes;
        }
        index = from;
        length = count;
    }

    void clear() {
        wrap(Unpooled.EMPTY_BUFFER, 0, 0);
    }

    @Override
    public String toString() {
        return "ReceivedUlpdu[" + length + " bytes]";
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
