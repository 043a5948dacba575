package io.iwarp.ddp;

import io.iwarp.Counter;
import io.iwarp.IwarpException;
import io.iwarp.ProtocolError;
import io.iwarp.internal.ConnectionCounters;
import io.iwarp.internal.ProtocolFault;
import io.iwarp.internal.memory.ByteSpan;
import io.iwarp.internal.memory.StreamAssociation;
import io.iwarp.internal.memory.TaggedBuffer;
import io.iwarp.memory.AccessRight;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Checks, places and delivers the segments of the peer (RFC 5041 sections 5 and 7), without I/O.
 *
 * <p>Its inputs are {@link #receive}, {@link #fail} and {@link #peerClosedHalf}. Its outputs are calls of
 * {@link DdpUlp} and of its queues. Each segment is checked first, in this order. The first failed check ends
 * reception:
 *
 * <ol>
 *   <li>the ULPDU is long enough for its header;
 *   <li>the version; for an untagged segment the queue number;
 *   <li>the checks of {@link DdpUlp#placementOf};
 *   <li>untagged, even without payload because it uses a buffer: MSN, buffer, message offset, length, and with the L
 *       flag, that each byte of the message has arrived;
 *   <li>tagged, with payload only: STag, association, right, wrap, bounds.
 * </ol>
 *
 * <p>Then the payload is placed, all of it or nothing. Segments of one message may arrive in any order and overlap, but
 * the one with the L flag comes last (section 4.1) and completes the message. Untagged messages are delivered in MSN
 * order, so a message that completes early waits for those before it.
 *
 * <p>After an error all later segments are discarded, and nothing more is reported (section 7.1).
 *
 * <p>It belongs to the event loop of the stream.
 */
final class DdpReceiver {
    private final StreamAssociation association;
    private final DdpUlp ulp;
    private final ConnectionCounters counters;
    private final IncompleteMessages incomplete;
    private final DdpSegment segment = new DdpSegment();
    private final ByteBuf waitedHeader = Unpooled.buffer(DdpSegment.UNTAGGED_HEADER_LENGTH);
    private final int[] nextMsn = new int[DdpSegment.QUEUES];
    /** For each queue, the MSN after the highest one with a placed segment: {@link #nextMsn} if no message waits. */
    private final int[] endMsn = new int[DdpSegment.QUEUES];

    private boolean isDiscarding;
    private boolean isStalled;
    /** Whether the stall is for memory, which the timeout of the message bounds. */
    private boolean isAwaitingMemory;

    private boolean isFaultReported;
    private boolean isHalfClosed;

    /**
     * Creates a receiver whose queues all begin at MSN 1.
     *
     * @param association says which STags this stream may use
     * @param ulp the layer above
     * @param counters counts placements and deliveries; written only by the event loop
     * @param messageTimeout how long a message may be incomplete
     */
    DdpReceiver(StreamAssociation association, DdpUlp ulp, ConnectionCounters counters, Duration messageTimeout) {
        this(association, ulp, counters, messageTimeout, DdpSegment.FIRST_MSN);
    }

    /** Creates a receiver whose queues all begin at the given MSN. */
    DdpReceiver(
            StreamAssociation association,
            DdpUlp ulp,
            ConnectionCounters counters,
            Duration messageTimeout,
            int firstMsn) {
        this.association = association;
        this.ulp = ulp;
        this.counters = counters;
        this.incomplete = new IncompleteMessages(messageTimeout, this::onMessageTimeout);
        Arrays.fill(nextMsn, firstMsn);
        Arrays.fill(endMsn, firstMsn);
    }

    /** Sets the event loop of the stream, before the first ULPDU. */
    void start(EventExecutor eventLoop) {
        incomplete.start(eventLoop);
    }

    /**
     * Handles one ULPDU.
     *
     * @param bytes the buffer that contains it in one piece; it is not retained or released, and its indexes do not
     *     change
     * @param index the index of its first byte
     * @param length its length in bytes, at least 0
     * @return false if the input {@linkplain UntaggedQueue#awaitBuffer stalls}: then nothing was placed, and the same
     *     ULPDU must come again before any other; otherwise true
     */
    boolean receive(ByteBuf bytes, int index, int length) {
        if (isDiscarding) {
            return true;
        }
        segment.wrap(bytes, index, length);
        boolean wasStalled = isStalled;
        isStalled = false;
        isAwaitingMemory = false;
        ProtocolFault fault = handleOrFail();
        if (fault != null) {
            report(fault, segment);
        } else if (isStalled && !isAwaitingMemory) {
            incomplete.pause();
        } else if (wasStalled) {
            incomplete.resume();
        }
        return !isStalled;
    }

    /** Ends a burst of ULPDUs and clears the reference to the last buffer. */
    void endBurst() {
        segment.clear();
    }

    /** The layer below, or the sender of this side, failed. Reports it unless an error was reported before. */
    void fail(ProtocolFault fault) {
        report(fault, null);
    }

    /** The peer closed its half. A segment after that is an error (RFC 5041 section 6.2.1). */
    void peerClosedHalf() {
        isHalfClosed = true;
    }

    /** Discards all later segments without a report. */
    void discardInput() {
        isDiscarding = true;
        incomplete.stop();
    }

    private void onMessageTimeout(UntaggedBuffer message) {
        boolean noMemory = isAwaitingMemory;
        discardInput();
        String bound = " within " + incomplete.timeout() + ", the message timeout: ";
        long arrived = message.coverage().arrived();
        if (noMemory) {
            ulp.onMessageTimeout(
                    ProtocolError.DDP_UNTAGGED_NO_BUFFER,
                    message.describeMessage() + " got no memory for more than " + arrived + " bytes" + bound
                            + "other streams of the device hold what IwarpDevice.maxManagedReceiveBytes allows; raise"
                            + " it");
        } else {
            ulp.onMessageTimeout(
                    ProtocolError.DDP_LOCAL_CATASTROPHIC,
                    message.describeMessage() + " was not complete" + bound + arrived + " bytes of it have arrived");
        }
    }

    private void report(ProtocolFault fault, @Nullable DdpSegment culprit) {
        discardInput();
        if (!isFaultReported) {
            isFaultReported = true;
            ulp.onFault(fault, culprit);
        }
    }

    /**
     * Handles the segment. An exception, for example because the application released memory, becomes a fault of the
     * stream.
     */
    private @Nullable ProtocolFault handleOrFail() {
        try {
            return handle();
        } catch (Throwable failure) {
            isStalled = false;
            return new ProtocolFault(
                    ProtocolError.DDP_LOCAL_CATASTROPHIC, "this side failed while it handled a segment", failure);
        }
    }

    private @Nullable ProtocolFault handle() {
        if (isHalfClosed) {
            return new ProtocolFault(
                    ProtocolError.MPA_CONNECTION_LOST, "a segment arrived after the peer had closed its half");
        }
        if (!segment.headerComplete()) {
            return new ProtocolFault(
                    ProtocolError.RDMAP_OPERATION_UNSPECIFIED,
                    "a ULPDU has " + segment.ulpduLength() + " bytes, too few for a DDP header (expected: at least "
                            + DdpSegment.TAGGED_HEADER_LENGTH + " if tagged, " + DdpSegment.UNTAGGED_HEADER_LENGTH
                            + " if untagged)");
        }
        if (segment.version() != DdpSegment.VERSION) {
            return new ProtocolFault(
                    segment.tagged()
                            ? ProtocolError.DDP_TAGGED_INVALID_VERSION
                            : ProtocolError.DDP_UNTAGGED_INVALID_VERSION,
                    "DDP version " + segment.version() + ", expected " + DdpSegment.VERSION);
        }
        if (!segment.tagged() && Integer.compareUnsigned(segment.queueNumber(), DdpSegment.QUEUES) >= 0) {
            return new ProtocolFault(
                    ProtocolError.DDP_UNTAGGED_INVALID_QN,
                    "queue number " + Integer.toUnsignedString(segment.queueNumber()) + ", the queues are 0.."
                            + (DdpSegment.QUEUES - 1));
        }
        Placement placement = ulp.placementOf(segment);
        if (placement instanceof Placement.Refused refused) {
            return refused.fault();
        }
        return segment.tagged() ? handleTagged((TaggedTarget) placement) : handleUntagged((UntaggedQueue) placement);
    }

    private @Nullable ProtocolFault handleTagged(TaggedTarget target) {
        ProtocolFault fault =
                segment.payloadLength() > 0 && target.beginPlacement() ? placeTagged(target.right()) : null;
        if (fault != null) {
            return fault;
        }
        ulp.onPlaced();
        target.onPlaced(segment);
        if (!segment.last()) {
            return null;
        }
        counters.add(Counter.MESSAGES_DELIVERED, 1);
        return target.deliver(segment);
    }

    private @Nullable ProtocolFault placeTagged(AccessRight right) {
        int stag = segment.stag();
        long offset = segment.taggedOffset();
        int length = segment.payloadLength();
        TaggedBuffer buffer = association.lookup(stag);
        ProtocolFault fault = association.check(buffer, right, stag, offset, length);
        if (fault != null || buffer == null) {
            return fault;
        }
        if (!buffer.place(offset, segment.buffer(), segment.payloadIndex(), length)) {
            return StreamAssociation.unknown(right, stag);
        }
        countPlacement(length);
        return null;
    }

    private @Nullable ProtocolFault handleUntagged(UntaggedQueue queue) {
        int queueNumber = segment.queueNumber();
        int ahead = segment.msn() - nextMsn[queueNumber];
        UntaggedBuffer buffer = queue.buffer(ahead);
        if (buffer == null) {
            isStalled = ahead == 0 && queue.awaitBuffer();
            return isStalled ? null : noBufferFault(queueNumber, ahead, queue.available());
        }
        ProtocolFault fault = placeUntagged(queue, buffer);
        if (fault != null || isStalled) {
            return fault;
        }
        ulp.onPlaced();
        if (segment.msn() - endMsn[queueNumber] >= 0) {
            endMsn[queueNumber] = segment.msn() + 1;
        }
        return ahead == 0 ? deliver(queue, queueNumber, buffer) : null;
    }

    private @Nullable ProtocolFault placeUntagged(UntaggedQueue queue, UntaggedBuffer buffer) {
        if (buffer.isComplete()) {
            return new ProtocolFault(
                    ProtocolError.DDP_UNTAGGED_MSN_OUT_OF_RANGE,
                    describeMessage() + " was already complete: its last segment has arrived");
        }
        boolean first = !buffer.hasStarted();
        buffer.start(segment);
        ProtocolFault fault = checkOffset(buffer.capacity());
        if (fault == null) {
            fault = checkCoverage(buffer);
        }
        if (fault != null) {
            return fault;
        }
        ByteSpan sink = buffer.sinkFor(segment);
        fault = sink == null ? awaitMemory(queue) : copy(sink);
        if (fault == null && sink != null) {
            buffer.placed(segment);
        }
        watch(buffer, first);
        return fault;
    }

    private @Nullable ProtocolFault awaitMemory(UntaggedQueue queue) {
        isStalled = queue.awaitBuffer();
        isAwaitingMemory = isStalled;
        return isStalled ? null : noMemoryFault();
    }

    /** Bounds the time of a message that is not complete with its first segment. */
    private void watch(UntaggedBuffer buffer, boolean first) {
        if (first && !buffer.isComplete()) {
            incomplete.add(buffer);
        } else if (!first && buffer.isComplete()) {
            incomplete.remove(buffer);
        }
    }

    private @Nullable ProtocolFault checkOffset(long room) {
        long offset = segment.messageOffset();
        int length = segment.payloadLength();
        if (offset > room) {
            return new ProtocolFault(
                    ProtocolError.DDP_UNTAGGED_INVALID_MO,
                    describeMessage() + ": message offset " + offset + " is beyond the buffer of " + room + " bytes");
        }
        // The sender of a message that is too long makes a segment that begins directly after the last byte of the
        // buffer. A larger offset cannot come from a message without gaps.
        if (offset + length > Math.min(room, DdpMessage.MAX_LENGTH)) {
            return new ProtocolFault(
                    ProtocolError.DDP_UNTAGGED_MESSAGE_TOO_LONG,
                    describeMessage() + ": " + length + " bytes at message offset " + offset
                            + " do not fit into the buffer of " + room + " bytes");
        }
        return null;
    }

    /** A gap in a delivered message would reveal previous content of the buffer, for example of another peer. */
    private @Nullable ProtocolFault checkCoverage(UntaggedBuffer buffer) {
        if (segment.isWholeMessage()) {
            return null;
        }
        Coverage coverage = buffer.coverage();
        long offset = segment.messageOffset();
        int length = segment.payloadLength();
        if (buffer.ascendingOnly() && offset > coverage.contiguous()) {
            return new ProtocolFault(
                    ProtocolError.DDP_UNTAGGED_INVALID_MO,
                    describeMessage() + ": a segment at message offset " + offset + " arrived before the bytes from "
                            + coverage.contiguous()
                            + "; a receive without a posted buffer takes segments in ascending order only");
        }
        if (!coverage.fits(offset, length)) {
            return new ProtocolFault(
                    ProtocolError.DDP_LOCAL_CATASTROPHIC,
                    describeMessage() + ": " + length + " bytes at message offset " + offset
                            + " leave too many gaps, this side keeps " + Coverage.MAX_PIECES
                            + " pieces beyond the first gap: send segments in ascending order");
        }
        if (segment.last() && offset > coverage.contiguous()) {
            return new ProtocolFault(
                    ProtocolError.DDP_UNTAGGED_INVALID_MO,
                    describeMessage() + ": its last segment, " + length + " bytes at message offset " + offset
                            + ", arrived before the bytes from " + coverage.contiguous());
        }
        return null;
    }

    /** The buffer belongs to the application, which may have released or resized it after it was posted. */
    private @Nullable ProtocolFault copy(ByteSpan sink) {
        int length = segment.payloadLength();
        if (length == 0) {
            return null;
        }
        try {
            sink.put(segment.messageOffset(), segment.buffer(), segment.payloadIndex(), length);
        } catch (IwarpException
                | IllegalStateException
                | IndexOutOfBoundsException
                | UnsupportedOperationException unusable) {
            return new ProtocolFault(
                    ProtocolError.DDP_LOCAL_CATASTROPHIC,
                    describeMessage() + ": the posted receive buffer cannot be written: " + unusable,
                    unusable);
        }
        countPlacement(length);
        return null;
    }

    /**
     * Delivers the complete messages at the head of a queue. After that {@link #segment} is the last segment of the
     * last one.
     */
    private @Nullable ProtocolFault deliver(UntaggedQueue queue, int queueNumber, UntaggedBuffer first) {
        ProtocolFault fault = null;
        boolean waited = false;
        UntaggedBuffer head = first;
        while (fault == null && !isDiscarding && head != null && head.isComplete()) {
            if (waited) {
                markLastSegment(head);
            }
            nextMsn[queueNumber]++;
            counters.add(Counter.MESSAGES_DELIVERED, 1);
            fault = queue.deliver(head);
            waited = true;
            head = nextMsn[queueNumber] == endMsn[queueNumber] ? null : queue.buffer(0);
        }
        return fault;
    }

    /**
     * A message that waited has another last segment. Its header is copied now, because its buffer may be reused after
     * delivery.
     */
    private void markLastSegment(UntaggedBuffer buffer) {
        buffer.lastHeader(waitedHeader);
        segment.wrap(waitedHeader, 0, buffer.lastSegmentLength());
    }

    private void countPlacement(int length) {
        counters.add(Counter.SEGMENTS_PLACED, 1);
        counters.add(Counter.BYTES_PLACED, length);
    }

    private ProtocolFault noMemoryFault() {
        return new ProtocolFault(
                ProtocolError.DDP_UNTAGGED_NO_BUFFER,
                describeMessage() + ": " + segment.payloadLength() + " bytes at message offset "
                        + segment.messageOffset() + " found no memory");
    }

    private ProtocolFault noBufferFault(int queueNumber, int ahead, int available) {
        if (ahead == 0) {
            return new ProtocolFault(
                    ProtocolError.DDP_UNTAGGED_NO_BUFFER, describeMessage() + " found no receive buffer");
        }
        String next = Integer.toUnsignedString(nextMsn[queueNumber]);
        return new ProtocolFault(
                ProtocolError.DDP_UNTAGGED_MSN_OUT_OF_RANGE,
                describeMessage() + ": the next MSN to deliver is " + next + ", and there are buffers for " + available
                        + " messages from there");
    }

    private String describeMessage() {
        return UntaggedBuffer.describeMessage(segment.msn(), segment.queueNumber());
    }
}
