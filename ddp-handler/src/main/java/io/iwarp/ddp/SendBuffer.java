package io.iwarp.ddp;

import io.iwarp.internal.EventLoopBuffers;
import io.iwarp.internal.RingQueue;
import io.iwarp.internal.SendReservation;
import io.iwarp.internal.memory.ByteSpan;
import io.iwarp.internal.memory.TaggedBuffer;
import io.iwarp.internal.mpa.Ulpdu;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.util.IllegalReferenceCountException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one stream that are not sent, in the order of writing, and how far they are cut into segments and
 * taken by the transport. It does no I/O.
 *
 * <pre>
 *     first       takenEnd         next                   flushedEnd        end
 *       │ unreported │ cut           │ being cut, to be cut   │ not flushed    │
 *   ────┴────────────┴───────────────┴────────────────────────┴────────────────┴──►  position of a message
 * </pre>
 *
 * <p><b>Segments.</b> {@link #cut} fills a ULPDU with the next segment (RFC 5041 section 5.2). Each is as large as the
 * current MULPDU allows. A change of the MULPDU applies to segments that are cut later (section 3 rules 1 and 2).
 * Segments of a message have ascending offsets, and only the last one has the L flag. A message of 0 bytes makes one
 * segment.
 *
 * <p>A payload is sent by reference, except for a segment that spans two pieces of a region, and for a region that
 * peers may change: bytes that change between the computation of the CRC and the transport's copy would end the stream.
 * A source is always copied, and only while its STag is valid. A copy is valid until the next cut unless its buffer is
 * retained. Otherwise the buffer is reused for the next copy. Segments of a source end where a word of 8 bytes ends in
 * memory, and so may be up to 7 bytes shorter: each word is read atomically.
 *
 * <p><b>Bursts.</b> A burst is a sequence of segments that is written and flushed together. The promise of its last
 * segment completes when the transport has taken it. Bursts are accounted for in their order, whatever the order of
 * their promises.
 *
 * <p><b>Held bytes.</b> Until a burst is taken, this side holds its headers and copies. Bytes beyond
 * {@link SendReservation#FREE_BYTES} are reserved from the device. If the device has none left, the next segment waits
 * until a burst is taken. A stream is thus blocked by its own peer only, never by other streams.
 *
 * <p>It belongs to the event loop of the stream.
 */
final class SendBuffer {
    static final int DEFAULT_WINDOW = 1024 * 1024;
    /**
     * The CRC, perhaps a copy, and the kernel's copy read the bytes of a burst. With short bursts they are in the cache
     * of the core each time. See the rows at an MTU of 1,500 in {@code checks/benchmarks/compare}.
     */
    private static final int BURSTS_PER_WINDOW = 8;
    /** The least {@link #maxBurst}, in which the largest segment fits. */
    private static final int MIN_MAX_BURST = 64 * 1024;

    private static final int MIN_RING = 8;
    /** Minimum capacity of a buffer for copies, so that small segments of any size can share it. */
    private static final int MIN_COPY_CAPACITY = 4 * 1024;

    private static final int MAX_COPY_CAPACITY = 64 * 1024;
    /** Enough buffers for a full default window, and for the segment that is being filled. */
    private static final EventLoopBuffers COPY_BUFFERS =
            new EventLoopBuffers(MAX_COPY_CAPACITY, DEFAULT_WINDOW / MAX_COPY_CAPACITY + 2);

    private final RingQueue<DdpMessage> messages = new RingQueue<>();
    private long takenEnd;
    private long next;
    private long flushedEnd;

    /**
     * Whether the message at {@link #next} has been started: at least one attempt was made to cut a segment. The next
     * four fields are valid only in that case.
     */
    private boolean isNextStarted;

    private int headerLength;
    private int msn;
    private long length;
    private long offset;

    private final int[] nextMsn = new int[DdpSegment.QUEUES];
    private final ByteBufAllocator allocator;
    private final SendReservation reservation;
    private @Nullable ByteBuf copy;

    private final int window;
    private final int maxBurst;
    /** The promises of the bursts in flight. */
    private final ArrayDeque<ChannelFuture> bursts = new ArrayDeque<>();
    /** The number of bursts before them. */
    private long removedBurstCount;
    /** Three rings, with the end of each burst in flight: as position of a message, and in bytes of the stream. */
    private long[] messageEnds = new long[MIN_RING];

    private long[] byteEnds = new long[MIN_RING];
    /** The bytes held for all bursts before the end of each burst in flight. */
    private long[] heldEnds = new long[MIN_RING];

    private long bytesCut;
    private long bytesTaken;
    /** The total number of bytes that were ever held. */
    private long bytesHeld;
    /** The number of them that were released. */
    private long bytesReleased;
    /** The maximum number of bytes held at a time, of which the reservation may be a part. */
    private long maxHeld = SendReservation.FREE_BYTES;
    /** Whether the payload of the segment being cut belongs to the message, not to this buffer. */
    private boolean isPayloadLent;
    /** Whether markers are inserted, so that every payload is copied. */
    private boolean markers;

    /**
     * Creates a buffer whose queues all begin at MSN 1.
     *
     * @param allocator allocates the buffers for segments that are copied
     * @param window the maximum number of bytes of all bursts together
     * @param reservation reserves what is held
     */
    SendBuffer(ByteBufAllocator allocator, int window, SendReservation reservation) {
        this(allocator, window, reservation, DdpSegment.FIRST_MSN);
    }

    /** Creates a buffer whose queues all begin at the given MSN. */
    SendBuffer(ByteBufAllocator allocator, int window, SendReservation reservation, int firstMsn) {
        this.allocator = allocator;
        this.reservation = reservation;
        this.window = window;
        this.maxBurst = Math.max(MIN_MAX_BURST, window / BURSTS_PER_WINDOW);
        Arrays.fill(nextMsn, firstMsn);
    }

    /** Sets whether MPA inserts markers, and so copies every payload. */
    void setMarkers(boolean inserted) {
        markers = inserted;
    }

    /** Adds a message of at most 2^32 - 1 bytes. */
    void add(DdpMessage message) {
        messages.add(message);
    }

    /** Allows the messages added so far to be sent. */
    void flush() {
        flushedEnd = messages.end();
    }

    /** Returns whether there is a message to cut a segment from. */
    boolean sendable() {
        return next < flushedEnd;
    }

    /** Returns whether there is no message, and no burst in flight. */
    boolean isEmpty() {
        return messages.isEmpty() && bursts.isEmpty();
    }

    /** Returns whether some segments of a message are cut, and others are still to be cut. */
    boolean isInsideMessage() {
        return isNextStarted;
    }

    // Segments.

    /**
     * Cuts the next segment. Call it only if {@link #sendable}. A message is numbered when its first segment is to be
     * cut.
     *
     * @param ulpdu takes the segment; its payload refers to a copy, or to the message's buffer, which must stay alive
     *     until the ULPDU was written
     * @param mulpdu the maximum length of the ULPDU in bytes, at least 128
     * @return false if the source of the {@link #current} message was revoked: then nothing was cut
     * @throws IllegalStateException if the memory of the message was released; then nothing was cut
     */
    boolean cut(Ulpdu ulpdu, int mulpdu) {
        DdpMessage current = messages.get(next);
        if (!isNextStarted) {
            start(current);
        }
        int count = (int) Math.min(mulpdu - headerLength, length - offset);
        boolean last = offset + count == length;
        TaggedBuffer source = current.source();
        if (source != null && !last) {
            count -= source.bytesIntoWord(current.sourceOffset() + offset + count);
        }
        if (!putPayload(ulpdu, current, count)) {
            return false;
        }
        if (current.tagged()) {
            DdpSegment.putTagged(ulpdu.header(), current, offset, last);
        } else {
            DdpSegment.putUntagged(ulpdu.header(), current, msn, offset, last);
        }
        offset += count;
        bytesCut += ulpdu.length();
        bytesHeld += isPayloadLent && !markers && ulpdu.isReferable() ? ulpdu.length() - count : ulpdu.length();
        if (last) {
            isNextStarted = false;
            next++;
        }
        return true;
    }

    /**
     * Records that the last segment was written.
     *
     * @param position returns the position on the wire after it
     */
    void written(LongSupplier position) {
        long last = next - 1;
        if (!isNextStarted && last >= messages.first()) {
            messages.get(last).setWireEnd(position.getAsLong());
        }
    }

    private void start(DdpMessage message) {
        isNextStarted = true;
        length = message.messageLength();
        offset = 0;
        if (message.tagged()) {
            headerLength = DdpSegment.TAGGED_HEADER_LENGTH;
        } else {
            headerLength = DdpSegment.UNTAGGED_HEADER_LENGTH;
            msn = nextMsn[message.queueNumber()]++;
        }
    }

    /** Returns the message of the segment that could not be cut. */
    DdpMessage current() {
        return messages.get(next);
    }

    /** Returns how many bytes of the {@link #current} message were cut. */
    long currentBytesCut() {
        return offset;
    }

    private boolean putPayload(Ulpdu ulpdu, DdpMessage current, int count) {
        isPayloadLent = false;
        if (count == 0) {
            ulpdu.clearPayload();
            return true;
        }
        TaggedBuffer source = current.source();
        if (source == null) {
            putPayload(ulpdu, current.payload(), count);
            return true;
        }
        long from = current.sourceOffset() + offset;
        int index = source.misalignment(from);
        ByteBuf bytes = copyBuffer(index + count);
        if (!source.fetch(from, bytes, index, count)) {
            return false;
        }
        ulpdu.payload(bytes, index, count);
        return true;
    }

    private void putPayload(Ulpdu ulpdu, ByteSpan payload, int count) {
        if (payload.contiguousAt(offset) >= count && !payload.peersMayChange()) {
            ByteBuf buffer = payload.bufferAt(offset);
            if (buffer.refCnt() == 0) {
                throw new IllegalReferenceCountException(0);
            }
            isPayloadLent = true;
            ulpdu.payload(buffer, payload.indexAt(offset), count);
        } else {
            int index = payload.misalignment(offset);
            ByteBuf gathered = copyBuffer(index + count);
            payload.get(offset, gathered, index, count);
            ulpdu.payload(gathered, index, count);
        }
    }

    /** Returns a buffer for the bytes of one segment: that of the last cut, unless it is retained. */
    private ByteBuf copyBuffer(int count) {
        ByteBuf buffer = copy;
        if (buffer == null || buffer.refCnt() > 1 || buffer.capacity() < count) {
            releaseCopy();
            buffer = COPY_BUFFERS.take(allocator, Math.max(count, MIN_COPY_CAPACITY));
            copy = buffer;
        }
        return buffer;
    }

    /** Releases the memory that cuts may have taken. Later cuts take it again. */
    void releaseCopy() {
        if (copy != null) {
            copy.release();
            copy = null;
        }
    }

    // Bursts.

    /** Returns the free bytes of the window. */
    private int windowLeft() {
        return window - (int) (bytesCut - bytesTaken);
    }

    /** Returns whether the window has room for a segment of any size, and this side may hold the next one. */
    boolean hasRoomFor(int mulpdu) {
        return windowLeft() >= mulpdu && reserve(mulpdu);
    }

    /** Returns whether this side may hold the next segment too. Reserves its bytes if necessary. */
    boolean reserve(int mulpdu) {
        long held = bytesHeld - bytesReleased;
        if (held + mulpdu <= maxHeld || held + nextLength(mulpdu) <= maxHeld) {
            return true;
        }
        boolean grown = reservation.grow();
        maxHeld = SendReservation.FREE_BYTES + reservation.reservedBytes();
        return grown;
    }

    /** Returns the maximum length of the next segment in bytes. */
    private long nextLength(int mulpdu) {
        long remaining = isNextStarted ? length - offset : messages.get(next).messageLength();
        return Math.min(mulpdu, remaining + DdpSegment.UNTAGGED_HEADER_LENGTH);
    }

    /** Returns the maximum number of bytes of the next burst. */
    int burstRoom() {
        return Math.min(maxBurst, windowLeft());
    }

    /**
     * Ends a burst: all segments cut since the last one.
     *
     * @param promise completes when the transport has taken its last segment
     */
    void endBurst(ChannelFuture promise) {
        int count = bursts.size();
        if (count == byteEnds.length) {
            messageEnds = doubled(messageEnds);
            byteEnds = doubled(byteEnds);
            heldEnds = doubled(heldEnds);
        }
        messageEnds[slot(count, byteEnds)] = next;
        byteEnds[slot(count, byteEnds)] = bytesCut;
        heldEnds[slot(count, heldEnds)] = bytesHeld;
        bursts.add(promise);
    }

    /** Returns the promise of the oldest burst if it is complete; null otherwise. */
    @Nullable
    ChannelFuture completedBurst() {
        ChannelFuture oldest = bursts.peek();
        return oldest != null && oldest.isDone() ? oldest : null;
    }

    /** Returns why the transport refused a burst that was not removed; null if it refused none. */
    @Nullable
    Throwable refusal() {
        for (ChannelFuture burst : bursts) {
            if (burst.cause() != null) {
                return burst.cause();
            }
        }
        return null;
    }

    /**
     * Removes the oldest burst.
     *
     * @param wasTaken whether the transport has taken it: then its messages are sent
     * @return whether a message ends in it
     */
    boolean removeBurst(boolean wasTaken) {
        int oldest = slot(0, byteEnds);
        bursts.remove();
        removedBurstCount++;
        bytesTaken = byteEnds[oldest];
        releaseHeld(bursts.isEmpty() ? bytesHeld : heldEnds[oldest]);
        boolean endsMessage = messageEnds[oldest] > takenEnd;
        if (wasTaken) {
            takenEnd = messageEnds[oldest];
        }
        return endsMessage;
    }

    private void releaseHeld(long upTo) {
        bytesReleased = upTo;
        if (maxHeld > SendReservation.FREE_BYTES) {
            reservation.shrinkTo(bytesHeld - bytesReleased);
            maxHeld = SendReservation.FREE_BYTES + reservation.reservedBytes();
        }
    }

    /** Returns a ring of twice the size with the same ends. */
    private long[] doubled(long[] ring) {
        long[] larger = new long[2 * ring.length];
        for (int i = 0; i < ring.length; i++) {
            larger[slot(i, larger)] = ring[slot(i, ring)];
        }
        return larger;
    }

    /** Returns where a ring has the end of the burst that is {@code i} bursts after the oldest. */
    private int slot(int i, long[] ring) {
        return (int) (removedBurstCount + i) & (ring.length - 1);
    }

    /** Removes and returns the oldest message that the transport has taken; null if there is none. */
    @Nullable
    DdpMessage takeSent() {
        return messages.first() < takenEnd ? messages.remove() : null;
    }

    // The end.

    /** Fails the messages that are not cut to the end. */
    void failUnsent(Throwable cause) {
        failFrom(next, cause);
    }

    /** Fails all messages that the transport has not taken. Bursts in flight then report no message. */
    void failUntaken(Throwable cause) {
        Arrays.fill(messageEnds, takenEnd);
        failFrom(takenEnd, cause);
    }

    /** Fails all messages, and forgets the bursts. */
    void clear(Throwable cause) {
        bursts.clear();
        releaseHeld(bytesHeld);
        failFrom(messages.first(), cause);
    }

    private void failFrom(long from, Throwable cause) {
        // A failed promise may call a listener that writes, so the positions are consistent before.
        List<DdpMessage> failed = messages.removeFrom(from);
        takenEnd = Math.min(takenEnd, from);
        next = Math.min(next, from);
        flushedEnd = next;
        isNextStarted = false;
        for (DdpMessage message : failed) {
            message.fail(cause);
        }
    }
}
