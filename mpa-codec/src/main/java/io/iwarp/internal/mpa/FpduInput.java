package io.iwarp.internal.mpa;

import io.iwarp.internal.EventLoopBuffers;
import io.iwarp.internal.InputBudget;
import io.iwarp.internal.ProtocolFault;
import io.iwarp.internal.mpa.FpduDecoder.Result;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The receiving side of MPA without a channel: it takes bytes in pieces of any size, and returns ULPDUs.
 *
 * <p>After each {@link #add}, call {@link #next()} until it does not return {@link Result#FPDU}. FPDUs are decoded in
 * place. One that spans several pieces is gathered in a buffer of its own. Buffers that are added while a ULPDU is
 * handled are queued.
 *
 * <p>There is such a buffer only while an FPDU is incomplete. It grows with the received data, so a peer that announces
 * a large FPDU and stalls pins at most {@link #GROWTH} times what it has sent. The cached buffers of an event loop are
 * used at full size and are not reserved from the budget.
 *
 * <p>If the budget has no room for such a buffer, the input {@linkplain #waitsForMemory waits}. It holds the bytes
 * received so far in a buffer without spare capacity. Bytes of a read cannot be refused, so the caller should not read
 * again until it is woken.
 */
final class FpduInput {

    /** Avoids a second allocation if the first bytes do not contain the length. */
    static final int MIN_CAPACITY = 256;

    /** The factor between the received bytes of an incomplete FPDU and the capacity of its buffer. */
    static final int GROWTH = 4;

    /** One buffer for the incomplete FPDU at the end of a read, and some for connections with slow peers. */
    private static final EventLoopBuffers BUFFERS = new EventLoopBuffers(FpduDecoder.maxWireLength(), 4);

    private final ByteBufAllocator allocator;
    private final FpduDecoder decoder;
    private final InputBudget budget;
    /** The bytes of the budget for the partial FPDU. */
    private final InputBudget.Reservation reservation;
    /** Whether the partial FPDU uses the reservation. */
    private boolean usesReservation;

    private final ArrayDeque<ByteBuf> waitingBuffers = new ArrayDeque<>();
    private @Nullable ByteBuf current;
    private int index;

    /** The first part of an FPDU whose rest has not arrived. */
    private @Nullable ByteBuf partial;
    /** The complete FPDU whose ULPDU was found last, if it came in several pieces. */
    private @Nullable ByteBuf gatheredFpdu;
    /** The bytes reserved for the current buffer: its capacity if it is the copy of a stall, otherwise 0. */
    private int keptBytes;

    /**
     * @param budget limits the bytes that all streams of a device hold in incomplete FPDUs and in stalls
     * @param wake called by any thread when the budget grants the memory that the input waits for
     */
    FpduInput(ByteBufAllocator allocator, FpduDecoder decoder, InputBudget budget, Runnable wake) {
        this.allocator = allocator;
        this.decoder = decoder;
        this.budget = budget;
        this.reservation = budget.reservation(wake);
    }

    /** Adds bytes. Takes over their reference. */
    void add(ByteBuf bytes) {
        waitingBuffers.add(inOnePiece(bytes));
    }

    /**
     * Decodes the next FPDU. The ULPDU of the last one becomes invalid.
     *
     * @return FPDU: see {@link #deliver}; INCOMPLETE: add more bytes; FAULT: see {@link #fault()}, then call only
     *     {@link #release()}
     */
    Result next() {
        releaseGathered();
        for (ByteBuf bytes = unread(); bytes != null; bytes = unread()) {
            Result result = partial == null ? decodeInPlace(bytes) : decodeGathered(bytes);
            if (result != Result.INCOMPLETE) {
                return result;
            }
        }
        decoder.release();
        return Result.INCOMPLETE;
    }

    /**
     * Called when the upper layer could not accept the last ULPDU. Copies it and all unread bytes, so that they do not
     * hold receive buffers, which may be much larger. Call it again after an {@link #add} during the stall. The copy is
     * reserved even beyond the limit, since the bytes would be lost otherwise.
     */
    @SuppressWarnings("ReferenceEquality") // whether the ULPDU is in the copy
    void stall() {
        if (keptBytes > 0 && waitingBuffers.isEmpty() && decoder.ulpdu() == current) {
            decoder.releaseJoined();
            return;
        }
        int unread = current == null ? 0 : current.writerIndex() - index;
        int bytes = decoder.ulpduLength() + unread;
        for (ByteBuf later : waitingBuffers) {
            bytes += later.readableBytes();
        }
        ByteBuf copy = allocator.directBuffer(Math.max(1, bytes));
        copy.writeBytes(decoder.ulpdu(), decoder.ulpduIndex(), decoder.ulpduLength());
        if (current != null) {
            copy.writeBytes(current, index, unread);
        }
        for (ByteBuf later = waitingBuffers.poll(); later != null; later = waitingBuffers.poll()) {
            copy.writeBytes(later);
            later.release();
        }
        decoder.replaceUlpdu(copy);
        releaseGathered();
        releaseCurrent();
        current = copy;
        index = decoder.ulpduLength();
        budget.reserveBeyondLimit(bytes);
        keptBytes = bytes;
    }

    /** Returns whether an incomplete FPDU waits for memory. */
    boolean waitsForMemory() {
        return usesReservation && reservation.isWaiting();
    }

    /**
     * Passes the ULPDU found last to the receiver. Call it before the next {@link #next()}.
     *
     * @return whether the receiver took it
     */
    boolean deliver(UlpduReceiver receiver) {
        return receiver.receive(decoder.ulpdu(), decoder.ulpduIndex(), decoder.ulpduLength());
    }

    @Nullable
    ProtocolFault fault() {
        return decoder.fault();
    }

    /** Returns whether the bytes so far end in the middle of an FPDU. */
    boolean insideFpdu() {
        return partial != null;
    }

    /** Returns the bytes of valid FPDUs since the start of Full Operation. */
    long position() {
        return decoder.position();
    }

    /** Returns the number of bytes held of an incomplete FPDU. */
    int held() {
        return partial == null ? 0 : partial.writerIndex();
    }

    /** Releases all buffers. */
    void release() {
        releaseGathered();
        if (partial != null) {
            partial.release();
        }
        partial = null;
        reservation.close();
        decoder.release();
        releaseCurrent();
        for (ByteBuf bytes = waitingBuffers.poll(); bytes != null; bytes = waitingBuffers.poll()) {
            bytes.release();
        }
    }

    private Result decodeInPlace(ByteBuf bytes) {
        int end = bytes.writerIndex();
        Result result = decoder.decode(bytes, index, end - index);
        if (result == Result.FPDU) {
            index += decoder.wireLength();
        } else if (result == Result.INCOMPLETE) {
            gather(bytes);
        }
        return result;
    }

    private Result decodeGathered(ByteBuf bytes) {
        gather(bytes);
        ByteBuf whole = Objects.requireNonNull(partial);
        if (whole.writerIndex() < decoder.needed()) {
            return Result.INCOMPLETE;
        }
        Result result = decoder.decode(whole, 0, whole.writerIndex());
        if (result == Result.FPDU) {
            gatheredFpdu = whole;
            endPartial();
        }
        return result;
    }

    /** Copies the bytes that the decoder needs, as far as they have arrived. */
    private void gather(ByteBuf bytes) {
        int taken = Math.min(bytes.writerIndex() - index, decoder.needed() - held());
        ByteBuf target = partialOf(held() + taken);
        target.writeBytes(bytes, index, taken);
        index += taken;
    }

    /** Returns the buffer of the incomplete FPDU, with the capacity for a number of bytes. */
    private ByteBuf partialOf(int length) {
        ByteBuf target = partial == null ? BUFFERS.tryTake(allocator) : partial;
        if (target == null) {
            target = allocator.directBuffer(reserve(length), FpduDecoder.maxWireLength());
        } else if (target.capacity() < length) {
            target.capacity(reserve(length));
        }
        partial = target;
        return target;
    }

    /** Reserves memory from the budget. Returns the capacity, with spare room if the budget allows it. */
    private int reserve(int length) {
        int needed = Math.max(decoder.needed(), MIN_CAPACITY);
        int capacity = (int) Math.min(needed, Math.max(MIN_CAPACITY, (long) GROWTH * length));
        usesReservation = true;
        if (!reservation.reserveOrWait(capacity)) {
            reservation.reserveBeyondLimit(length);
            capacity = length;
        }
        return capacity;
    }

    /** Clears the field, whose buffer the caller has taken over or released. */
    private void endPartial() {
        partial = null;
        if (usesReservation) {
            usesReservation = false;
            reservation.release();
        }
    }

    private @Nullable ByteBuf unread() {
        while (current == null || index >= current.writerIndex()) {
            releaseCurrent();
            current = waitingBuffers.poll();
            if (current == null) {
                return null;
            }
            index = current.readerIndex();
        }
        return current;
    }

    private void releaseCurrent() {
        if (current != null) {
            current.release();
            current = null;
            releaseKeptBytes();
        }
    }

    private void releaseKeptBytes() {
        if (keptBytes > 0) {
            budget.release(keptBytes);
            keptBytes = 0;
        }
    }

    private void releaseGathered() {
        if (gatheredFpdu != null) {
            gatheredFpdu.release();
            gatheredFpdu = null;
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
