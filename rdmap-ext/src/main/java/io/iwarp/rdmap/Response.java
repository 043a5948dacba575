package io.iwarp.rdmap;

import io.iwarp.Operation;
import io.iwarp.ProtocolError;
import io.iwarp.ddp.DdpMessage;
import io.iwarp.ddp.DdpSegment;
import io.iwarp.ddp.UntaggedBuffer;
import io.iwarp.internal.memory.TaggedBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/** The response to one Read or Atomic Request of the peer. A {@link Responder} reuses it. */
final class Response extends DdpMessage {
    private final ByteBuf atomicBytes = Unpooled.buffer(AtomicLayout.RESPONSE_LENGTH, AtomicLayout.RESPONSE_LENGTH);
    private final ByteBuf ddpHeader =
            Unpooled.buffer(DdpSegment.UNTAGGED_HEADER_LENGTH, DdpSegment.UNTAGGED_HEADER_LENGTH);
    private final ByteBuf request = Unpooled.buffer(ReadRequestLayout.LENGTH, ReadRequestLayout.LENGTH);
    private int segmentLength;
    private Operation operation = Operation.READ;

    /**
     * Makes this a Read Response.
     *
     * @param message the Read Request. A Terminate quotes it if the source is invalidated before it was read completely
     * @param bytes the header of the request
     * @param source the memory to read, or null for a Read of 0 bytes
     */
    void read(UntaggedBuffer message, ByteBuf bytes, @Nullable TaggedBuffer source) {
        operation = Operation.READ;
        tagged(
                Opcode.READ_RESPONSE.control(),
                bytes.getInt(ReadRequestLayout.SINK_STAG),
                bytes.getLong(ReadRequestLayout.SINK_TAGGED_OFFSET));
        payload().clear();
        source(
                source,
                bytes.getLong(ReadRequestLayout.SOURCE_TAGGED_OFFSET),
                bytes.getUnsignedInt(ReadRequestLayout.MESSAGE_SIZE));
        if (source == null) {
            return;
        }
        request.clear().writeBytes(bytes, 0, ReadRequestLayout.LENGTH);
        message.lastHeader(ddpHeader);
        segmentLength = message.lastSegmentLength();
    }

    /** Makes this an Atomic Response. */
    void atomic(Operation operation, int identifier, long original) {
        this.operation = operation;
        atomicBytes.setInt(AtomicLayout.ORIGINAL_IDENTIFIER, identifier);
        atomicBytes.setLong(AtomicLayout.ORIGINAL_VALUE, original);
        untagged(Opcode.ATOMIC_RESPONSE.control(), 0, Opcode.ATOMIC_RESPONSE.queue());
        source(null, 0, 0);
        payload().wrap(atomicBytes, 0, AtomicLayout.RESPONSE_LENGTH);
    }

    /** Returns the operation that this responds to. */
    Operation operation() {
        return operation;
    }

    /** Returns the number of payload bytes: the length of a Read, or of the operand of an atomic. */
    long operandBytes() {
        return operation == Operation.READ ? messageLength() : AtomicLayout.OPERAND_LENGTH;
    }

    /**
     * Returns the Terminate for a Read whose source was invalidated before it was read completely. It quotes the
     * request, with both tagged offsets advanced and the size reduced by the bytes that were sent (RFC 5040 section
     * 4.8).
     *
     * @param error the error that ends the response
     * @param sentBytes the number of bytes that were sent
     */
    Terminate revoked(ProtocolError error, long sentBytes) {
        byte[] rest = new byte[ReadRequestLayout.LENGTH];
        request.getBytes(0, rest);
        advance(rest, sentBytes);
        byte[] quoted = new byte[DdpSegment.UNTAGGED_HEADER_LENGTH];
        ddpHeader.getBytes(0, quoted);
        return Terminate.of(error, segmentLength, quoted, rest);
    }

    /** Advances the header of a Read Request by the bytes that were sent. */
    static void advance(byte[] readRequest, long sentBytes) {
        ByteBuf header = Unpooled.wrappedBuffer(readRequest);
        move(header, ReadRequestLayout.SINK_TAGGED_OFFSET, sentBytes);
        move(header, ReadRequestLayout.SOURCE_TAGGED_OFFSET, sentBytes);
        long size = header.getUnsignedInt(ReadRequestLayout.MESSAGE_SIZE);
        header.setInt(ReadRequestLayout.MESSAGE_SIZE, (int) (size - sentBytes));
    }

    private static void move(ByteBuf header, int offset, long bytes) {
        header.setLong(offset, header.getLong(offset) + bytes);
    }
}
