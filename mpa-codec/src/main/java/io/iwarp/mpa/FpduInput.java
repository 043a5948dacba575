package io.iwarp.mpa;

import io.iwarp.ProtocolFault;
import io.iwarp.internal.EventLoopBuffers;
import io.iwarp.internal.InputBudget;
import io.iwarp.mpa.FpduDecoder.Progress;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The receiving side of MPA without a channel: it takes bytes in pieces of any size, and returns ULPDUs.
 *
 * <p>After each {@link #add}, call {@link #next()} until it does not return {@link Progress#FPDU}. FPDUs are decoded in
 * place. One that spans several pieces is gathered in a buffer of its own. A piece may be added while a ULPDU is
 * handled: it waits.
 *
 * <p>There is such a buffer only while an FPDU is incomplete. It grows with the received data, so a peer that announces
 * a large FPDU and stalls pins at most {@link #GROWTH} times what it has sent. Buffers that an event loop keeps anyway
 * are used with their full size, and take nothing of the budget.
 *
 * <p>If the budget has no room for such a buffer, the input {@linkplain #waitsForMemory waits}. It keeps what it got
 * until then, in a buffer without spare capacity. Bytes of a read cannot be refused, so only the caller can stop more
 * from coming: it should not read until it is woken.
 */
final class FpduInput {

    /** Avoids a second allocation when the first bytes do not contain the length. */
    static final int MIN_CAPACITY = 256;

    /** The capacity that the buffer of an incomplete FPDU is given for each byte that is there. */
    static final int GROWTH = 4;

    /** One for the FPDU that ends each read of a busy connection, some for connections whose peer is slow. */
    private static final EventLoopBuffers BUFFERS = new EventLoopBuffers(FpduDecoder.maxWireLength(), 4);

    private final ByteBufAllocator allocator;
    private final FpduDecoder decoder;
    private final InputBudget budget;
    /** What is taken of the budget for the partial FPDU. */
    private final InputBudget.Claim claim;
    /** Whether the claim has been used for the partial FPDU. */
    private boolean isClaimed;

    private final ArrayDeque<ByteBuf> waitingBuffers = new ArrayDeque<>();
    private @Nullable ByteBuf current;
    private int index;

    /** The first part of an FPDU whose rest has not arrived. */
    private @Nullable ByteBuf partial;
    /** The complete FPDU whose ULPDU was found last, if it came in several pieces. */
    private @Nullable ByteBuf gatheredFpdu;
    /** What is taken of the budget for the current buffer: its capacity if it is the copy of a stall, otherwise 0. */
    private int keptBytes;

    /**
     * @param budget limits what the streams of a device hold together, of incomplete FPDUs and in stalls
     * @param wake called by any thread when the input has got the memory that it waited for
     */
    FpduInput(ByteBufAllocator allocator, FpduDecoder decoder, InputBudget budget, Runnable wake) {
        this.allocator = allocator;
        this.decoder = decoder;
        this.budget = budget;
        this.claim = budget.claim(wake);
    }

    /** Takes in the bytes and their reference. */
    void add(ByteBuf bytes) {
        waitingBuffers.add(inOnePiece(bytes));
    }

    /**
     * Decodes the next FPDU. The ULPDU of the last one becomes invalid.
     *
     * @return FPDU: see {@link #deliver}; INCOMPLETE: add more bytes; FAULT: see {@link #fault()}, then call only
     *     {@link #release()}
     */
    Progress next() {
        releaseGathered();
        for (ByteBuf bytes = unread(); bytes != null; bytes = unread()) {
            Progress progress = partial == null ? decodeInPlace(bytes) : decodeGathered(bytes);
            if (progress != Progress.INCOMPLETE) {
                return progress;
            }
        }
        decoder.release();
        return Progress.INCOMPLETE;
    }

    /**
     * Called when the upper layer could not accept the last ULPDU. Copies it and all unread bytes, so that they do not
     * hold the buffers of the event loop, or much larger ones, in which they came. Call it again after an {@link #add}
     * in the stall. The copy is counted, but not refused: without it the bytes of the peer would be lost.
     */
    @SuppressWarnings("ReferenceEquality") // whether the ULPDU lies in the copy, not an equal one
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
        decoder.ulpduIn(copy);
        releaseGathered();
        releaseCurrent();
        current = copy;
        index = decoder.ulpduLength();
        budget.charge(bytes);
        keptBytes = bytes;
    }

    /** Returns whether an incomplete FPDU waits for memory. */
    boolean waitsForMemory() {
        return isClaimed && claim.isWaiting();
    }

    /**
     * Passes on the ULPDU found last. Do not call it after another {@link #next()}.
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

    /** Returns how many bytes of an unfinished FPDU are held. */
    int held() {
        return partial == null ? 0 : partial.writerIndex();
    }

    /** Releases everything held. */
    void release() {
        releaseGathered();
        if (partial != null) {
            partial.release();
        }
        partial = null;
        claim.close();
        decoder.release();
        releaseCurrent();
        for (ByteBuf bytes = waitingBuffers.poll(); bytes != null; bytes = waitingBuffers.poll()) {
            bytes.release();
        }
    }

    private Progress decodeInPlace(ByteBuf bytes) {
        int end = bytes.writerIndex();
        Progress progress = decoder.decode(bytes, index, end - index);
        if (progress == Progress.FPDU) {
            index += decoder.wireLength();
        } else if (progress == Progress.INCOMPLETE) {
            gather(bytes);
        }
        return progress;
    }

    private Progress decodeGathered(ByteBuf bytes) {
        gather(bytes);
        ByteBuf whole = Objects.requireNonNull(partial);
        if (whole.writerIndex() < decoder.needed()) {
            return Progress.INCOMPLETE;
        }
        Progress progress = decoder.decode(whole, 0, whole.writerIndex());
        if (progress == Progress.FPDU) {
            gatheredFpdu = whole;
            endPartial();
        }
        return progress;
    }

    /** Copies what the decoder needs, or all there is. */
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
            target = allocator.directBuffer(claim(length), FpduDecoder.maxWireLength());
        } else if (target.capacity() < length) {
            target.capacity(claim(length));
        }
        partial = target;
        return target;
    }

    /** Takes memory of the budget. Returns the capacity, which leaves room for more bytes if the budget has room. */
    private int claim(int length) {
        int needed = Math.max(decoder.needed(), MIN_CAPACITY);
        int capacity = (int) Math.min(needed, Math.max(MIN_CAPACITY, (long) GROWTH * length));
        isClaimed = true;
        if (!claim.request(capacity)) {
            claim.charge(length);
            capacity = length;
        }
        return capacity;
    }

    /** Drops the reference to the buffer, which the caller has taken over or released. */
    private void endPartial() {
        partial = null;
        if (isClaimed) {
            isClaimed = false;
            claim.release();
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
            releaseCharge();
        }
    }

    private void releaseCharge() {
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
