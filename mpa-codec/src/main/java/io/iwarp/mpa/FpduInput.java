package io.iwarp.mpa;

import io.iwarp.ProtocolError;
import io.iwarp.ProtocolFault;
import io.iwarp.memory.IwarpDevice;
import io.iwarp.mpa.FpduDecoder.Progress;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The receiving side of MPA without a channel: it takes bytes in pieces of any size, and returns ULPDUs.
 *
 * <p>After each {@link #add}, call {@link #next()} until it does not return {@link Progress#FPDU}. FPDUs are
 * decoded in place. One that spans several pieces is gathered in a {@link PartialFpdu}. A piece may be
 * added while a ULPDU is handled: it waits.
 */
final class FpduInput {

    private final ByteBufAllocator allocator;
    private final FpduDecoder decoder;
    private final InputMemory memory;
    private final PartialFpdu partial;
    private final ReceivedUlpdu ulpdu = new ReceivedUlpdu();
    private final ArrayDeque<ByteBuf> waiting = new ArrayDeque<>();
    private @Nullable ByteBuf current;
    private int index;
    private @Nullable ByteBuf gathered;
    /** What is reserved for the current buffer: its capacity if it is the copy of a stall, otherwise 0. */
    private int kept;

    private @Nullable ProtocolFault noRoom;

    /**
     * @param device limits the bytes that the streams of a device hold of incomplete FPDUs and in stalls; null for no
     *     limit
     */
    FpduInput(ByteBufAllocator allocator, FpduDecoder decoder, @Nullable IwarpDevice device) {
        this.allocator = allocator;
        this.decoder = decoder;
        this.memory = new InputMemory(device);
        this.partial = new PartialFpdu(allocator, memory);
    }

    /** Takes in the bytes and their reference. */
    void add(ByteBuf bytes) {
        waiting.add(inOnePiece(bytes));
    }

    /**
     * Decodes the next FPDU. The ULPDU of the last one becomes invalid.
     *
     * @return FPDU: see {@link #ulpdu()}; INCOMPLETE: add more bytes; FAULT: see {@link #fault()}, then call
     *     only {@link #release()}
     */
    Progress next() {
        forgetGathered();
        for (ByteBuf bytes = unread(); bytes != null; bytes = unread()) {
            Progress progress = partial.isEmpty() ? decodeInPlace(bytes) : decodeGathered(bytes);
            if (progress != Progress.INCOMPLETE) {
                return progress;
            }
        }
        ulpdu.clear();
        decoder.release();
        return Progress.INCOMPLETE;
    }

    /**
     * The receiver cannot take the ULPDU found last. Copies it and all unread bytes, so that they do not hold the buffers
     * of the event loop, or much larger ones, in which they came. Call it again after an {@link #add} in the stall.
     *
     * @return false if there is no room: see {@link #fault()}, then call only {@link #release()}
     */
    boolean stall() {
        if (kept > 0 && waiting.isEmpty()) {
            return true;
        }
        int unread = current == null ? 0 : current.writerIndex() - index;
        int bytes = ulpdu.length() + unread;
        for (ByteBuf later : waiting) {
            bytes += later.readableBytes();
        }
        ByteBuf copy = allocator.directBuffer(Math.max(1, bytes));
        // The previous copy counts until this one has replaced it.
        if (!memory.reserve(bytes)) {
            copy.release();
            noRoom = new ProtocolFault(
                    ProtocolError.DDP_LOCAL_CATASTROPHIC,
                    bytes + " bytes wait for a receive, and the streams of the device hold as much as"
                            + " IwarpDevice.maximumPartialFpduBytes allows");
            return false;
        }
        copy.writeBytes(ulpdu.buffer(), ulpdu.index(), ulpdu.length());
        if (current != null) {
            copy.writeBytes(current, index, unread);
        }
        for (ByteBuf later = waiting.poll(); later != null; later = waiting.poll()) {
            copy.writeBytes(later);
            later.release();
        }
        ulpdu.wrap(copy, 0, ulpdu.length());
        forgetGathered();
        decoder.release();
        forgetCurrent();
        current = copy;
        index = ulpdu.length();
        kept = bytes;
        return true;
    }

    /** Returns the ULPDU found last, valid until {@link #next()} or {@link #release()}. */
    ReceivedUlpdu ulpdu() {
        return ulpdu;
    }

    @Nullable
    ProtocolFault fault() {
        return noRoom == null ? decoder.fault() : noRoom;
    }

    /** Tells whether the bytes so far end in the middle of an FPDU. */
    boolean insideFpdu() {
        return !partial.isEmpty();
    }

    /** Returns the bytes of valid FPDUs since the start of Full Operation. */
    long position() {
        return decoder.position();
    }

    /** Returns how many bytes of an unfinished FPDU are held. */
    int held() {
        return partial.length();
    }

    /** Releases everything held. */
    void release() {
        ulpdu.clear();
        forgetGathered();
        partial.release();
        decoder.release();
        forgetCurrent();
        for (ByteBuf bytes = waiting.poll(); bytes != null; bytes = waiting.poll()) {
            bytes.release();
        }
    }

    private Progress decodeInPlace(ByteBuf bytes) {
        int end = bytes.writerIndex();
        Progress progress = decoder.decode(bytes, index, end - index, ulpdu);
        if (progress == Progress.FPDU) {
            index += decoder.wireLength();
        } else if (progress == Progress.INCOMPLETE && !gather(bytes)) {
            return Progress.FAULT;
        }
        return progress;
    }

    /** Returns false if there is no room for the start of the FPDU. */
    private boolean gather(ByteBuf bytes) {
        int next = partial.fill(bytes, index, bytes.writerIndex(), decoder.needed());
        if (next < 0) {
            noRoom = new ProtocolFault(
                    ProtocolError.DDP_LOCAL_CATASTROPHIC,
                    "the start of an FPDU of " + decoder.needed()
                            + " bytes has come, and the streams of the device hold"
                            + " as much of such FPDUs as IwarpDevice.maximumPartialFpduBytes allows");
            return false;
        }
        index = next;
        return true;
    }

    private Progress decodeGathered(ByteBuf bytes) {
        if (!gather(bytes)) {
            return Progress.FAULT;
        }
        if (partial.length() < decoder.needed()) {
            return Progress.INCOMPLETE;
        }
        Progress progress = decoder.decode(partial.peek(), 0, partial.length(), ulpdu);
        if (progress == Progress.FPDU) {
            gathered = partial.take();
        }
        return progress;
    }

    private @Nullable ByteBuf unread() {
        while (current == null || index >= current.writerIndex()) {
            forgetCurrent();
            current = waiting.poll();
            if (current == null) {
                return null;
            }
            index = current.readerIndex();
        }
        return current;
    }

    private void forgetCurrent() {
        if (current != null) {
            current.release();
            current = null;
            memory.unreserve(kept);
            kept = 0;
        }
    }

    private void forgetGathered() {
        if (gathered != null) {
            gathered.release();
            gathered = null;
        }
    }

    private ByteBuf inOnePiece(ByteBuf bytes) {
        if (bytes.hasArray() || bytes.nioBufferCount() == 1) {
            return bytes;
        }
        try {
            return allocator.directBuffer(Math.max(1, bytes.readableBytes())).writeBytes(bytes);
        } finally {
            bytes.release();
        }
    }
}
