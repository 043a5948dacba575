package io.iwarp.rdmap;

import io.iwarp.Counter;
import io.iwarp.ProtocolError;
import io.iwarp.ddp.Coverage;
import io.iwarp.ddp.DdpMessage;
import io.iwarp.ddp.DdpSegment;
import io.iwarp.ddp.Placement;
import io.iwarp.ddp.TaggedTarget;
import io.iwarp.ddp.UntaggedBuffer;
import io.iwarp.ddp.UntaggedQueue;
import io.iwarp.internal.ConnectionCounters;
import io.iwarp.internal.ProtocolFault;
import io.iwarp.internal.RingQueue;
import io.iwarp.memory.AccessRight;
import io.iwarp.mpa.ReadyToReceive;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Starts and completes the requests of this side. Reads and atomics beyond the ORD and fenced requests remain in the
 * {@link RequestQueue}, with all later requests. Matches the responses of the peer to the requests. It is the tagged
 * target of Read Responses, which arrive in the order of the Reads.
 */
final class Requester implements TaggedTarget {
    /** Read Requests are batched only while the peer has at least this many bytes to respond with. */
    private static final int MIN_BUSY_BYTES = 512 * 1024;
    /** A batch of Read Requests ends when it requests this number of bytes. */
    private static final int MAX_BATCH_BYTES = 512 * 1024;
    /** A batch requests at most an eighth of the bytes that the peer still has to respond with. */
    private static final int BATCH_DIVISOR = 8;

    private final Consumer<DdpMessage> output;
    private final RequestQueue queue;
    private final Consumer<ProtocolFault> failure;
    private final ConnectionCounters counters;
    private final RingQueue<RdmapRequest> reads = new RingQueue<>();
    /** The bytes that have arrived for the oldest Read. */
    private final Coverage readCoverage = new Coverage();

    private final RingQueue<RdmapRequest> atomics = new RingQueue<>();
    private final HeaderQueue atomicResponses =
            new HeaderQueue(AtomicLayout.RESPONSE_LENGTH, atomics::size, this::onAtomicResponse);
    /** The header-only messages that are not in flight. */
    private final ArrayDeque<DdpMessage> spareHeaders = new ArrayDeque<>();

    private int ord;
    private int nextIdentifier = 1;
    /** The Reads and atomics of which the transport has reported the last byte. */
    private long sentCount;
    /** The Reads and atomics to which the peer can respond, or has responded. */
    private long requestedCount;

    private long responseCount;
    private long responseBytes;
    /** The bytes of the Reads whose responses have not arrived. */
    private long awaitedBytes;
    /** The bytes of the Reads in the batch: their requests are written and not flushed. */
    private long batchBytes;

    private int batchCount;
    private boolean isStopped;

    /**
     * @param output writes the messages
     * @param queue the requests of the layer above
     * @param failure ends the stream after an error of this side
     * @param counters counts Reads and atomics
     */
    Requester(
            Consumer<DdpMessage> output,
            RequestQueue queue,
            Consumer<ProtocolFault> failure,
            ConnectionCounters counters) {
        this.output = output;
        this.queue = queue;
        this.failure = failure;
        this.counters = counters;
    }

    /** Sets the negotiated ORD, the maximum number of outstanding Reads and atomics, at least 0. */
    void setOrd(int agreedOrd) {
        ord = agreedOrd;
    }

    /** Starts the posted requests that may start. */
    void startRequests() {
        for (RdmapRequest next = queue.next(); next != null && !isStopped; next = queue.next()) {
            if (next.awaitsResponse() && ord == 0) {
                failure.accept(new ProtocolFault(
                        ProtocolError.RDMAP_LOCAL_CATASTROPHIC,
                        "a Read or atomic was posted, but the set-up agreed on an ORD of 0: raise the ORD here and the"
                                + " IRD of the peer"));
                return;
            }
            if (!mayStart(next)) {
                return;
            }
            queue.start();
            start(next);
        }
    }

    private boolean mayStart(RdmapRequest request) {
        int outstanding = outstandingCount();
        if (request.fenced() && outstanding > 0) {
            return false;
        }
        return !request.awaitsResponse() || outstanding < ord;
    }

    private void start(RdmapRequest request) {
        if (request.awaitsResponse()) {
            request.setIdentifier(nextIdentifier++);
        }
        writeMessages(request);
    }

    private void writeMessages(RdmapRequest request) {
        if (request.hasPayload()) {
            output.accept(request.message());
        }
        if (request.isRead()) {
            reads.add(request);
            awaitedBytes += request.readLength();
            batchBytes += request.readLength();
            batchCount++;
        } else if (request.awaitsResponse()) {
            atomics.add(request);
        }
        Opcode header = request.headerOpcode();
        if (header != null) {
            output.accept(headerMessage(request, header));
        }
    }

    /**
     * Returns the message of a request that consists of a header. Its owner is the request that completes when it has
     * been sent: none for a Read or atomic, whose response may arrive before.
     */
    private DdpMessage headerMessage(RdmapRequest request, Opcode opcode) {
        DdpMessage spare = spareHeaders.poll();
        DdpMessage message = spare == null ? new DdpMessage() : spare;
        ByteBuf header = spare == null
                ? Unpooled.buffer(AtomicLayout.REQUEST_LENGTH, AtomicLayout.REQUEST_LENGTH)
                : spare.payload().bufferAt(0);
        return request.fill(message, opcode, header).owner(request.awaitsResponse() ? null : request);
    }

    /**
     * Sends the ready-to-receive message: in the peer-to-peer model, the responder may send after it. It is not in the
     * queue, so its completion is not reported (RFC 6581 section 9.2).
     */
    void sendReadyToReceive(ReadyToReceive kind) {
        RdmapRequest request = new RdmapRequest();
        writeMessages(
                switch (kind) {
                    case WRITE -> request.write(RdmapRequest.EMPTY_MESSAGE_STAG, 0);
                    case SEND -> request.send(false);
                    case READ ->
                        request.read(RdmapRequest.EMPTY_MESSAGE_STAG, 0, 0, RdmapRequest.EMPTY_MESSAGE_STAG, 0);
                });
    }

    /**
     * Sends a Write of 0 bytes, which refers to no memory, so every peer accepts it (RFC 5040 section 5.1). It is not
     * in the queue, so its completion is not reported.
     */
    void sendKeepAlive() {
        writeMessages(new RdmapRequest().write(RdmapRequest.EMPTY_MESSAGE_STAG, 0));
    }

    /**
     * Returns whether all messages that are not flushed are Read Requests, and these may wait for more. While the peer
     * still has much to respond with, a delayed request does not delay its response.
     *
     * @param unflushedCount the number of messages of this stream that are not flushed
     */
    boolean mayBatch(int unflushedCount) {
        long busyBytes = awaitedBytes - batchBytes;
        return unflushedCount == batchCount
                && batchBytes < MAX_BATCH_BYTES
                && busyBytes >= MIN_BUSY_BYTES
                && busyBytes >= BATCH_DIVISOR * batchBytes;
    }

    /** All messages are flushed. */
    void endBatch() {
        batchBytes = 0;
        batchCount = 0;
    }

    /** The transport has taken all bytes of a message of this requester. */
    void onSent(DdpMessage message) {
        RdmapRequest owner = (RdmapRequest) message.owner();
        boolean payload = owner != null && owner.message() == message;
        if (!payload) {
            spareHeaders.add(message);
        }
        if (owner == null) {
            sentCount++;
            countRequested(sentCount);
        } else if (!payload || owner.isPayloadAlone()) {
            complete(owner);
        }
    }

    /** Checks a segment of a Read Response. */
    Placement placementOfReadResponse(DdpSegment segment) {
        RdmapRequest read = reads.peek();
        if (read == null) {
            return refused(ProtocolError.RDMAP_UNEXPECTED_OPCODE, "a Read Response arrived and no Read is outstanding");
        }
        int length = segment.payloadLength();
        long arrived = readCoverage.contiguous();
        if (length > 0) {
            if (segment.stag() != read.sinkStag()) {
                return refused(
                        ProtocolError.DDP_TAGGED_INVALID_STAG,
                        String.format(
                                "a Read Response for STag 0x%08x, the oldest outstanding Read has the sink 0x%08x",
                                segment.stag(), read.sinkStag()));
            }
            long offset = segment.taggedOffset() - read.sinkTaggedOffset();
            if (Long.compareUnsigned(offset, read.readLength()) > 0 || length > read.readLength() - offset) {
                return refused(
                        ProtocolError.DDP_TAGGED_BASE_OR_BOUNDS,
                        String.format(
                                "a Read Response with %d bytes for tagged offset 0x%x, asked for were %d from 0x%x",
                                length, segment.taggedOffset(), read.readLength(), read.sinkTaggedOffset()));
            }
            if (!readCoverage.fits(offset, length)) {
                return refused(
                        ProtocolError.RDMAP_LOCAL_CATASTROPHIC,
                        "a Read Response arrived in more than " + Coverage.MAX_PIECES
                                + " pieces beyond the first gap: send segments in ascending order");
            }
            arrived = readCoverage.contiguousWith(offset, length);
        }
        if (segment.last() && arrived != read.readLength()) {
            return refused(
                    ProtocolError.RDMAP_OPERATION_UNSPECIFIED,
                    "a Read Response of " + read.readLength() + " bytes ended with bytes from " + arrived + " missing");
        }
        return this;
    }

    private static Placement refused(ProtocolError error, String detail) {
        return new Placement.Refused(new ProtocolFault(error, detail));
    }

    @Override
    public AccessRight right() {
        return AccessRight.LOCAL_WRITE;
    }

    @Override
    public boolean beginPlacement() {
        return readOfResponse().beginPlacement();
    }

    /** Returns the Read to which a checked Read Response belongs: the oldest one. */
    private RdmapRequest readOfResponse() {
        return Objects.requireNonNull(reads.peek(), "a Read Response without a Read");
    }

    @Override
    public void onPlaced(DdpSegment segment) {
        int length = segment.payloadLength();
        if (length > 0) {
            RdmapRequest read = readOfResponse();
            read.endPlacement();
            // Repeated bytes do not count as progress; otherwise a peer could postpone a deadline forever.
            long added = readCoverage.add(segment.taggedOffset() - read.sinkTaggedOffset(), length);
            responseBytes += added;
            awaitedBytes -= added;
        }
    }

    @Override
    public @Nullable ProtocolFault deliver(DdpSegment last) {
        readCoverage.clear();
        onResponse(reads.remove());
        return null;
    }

    /**
     * Returns the queue for Atomic Responses, with one buffer for each outstanding atomic. The MSN of a response
     * identifies its atomic (RFC 7306 section 5).
     */
    UntaggedQueue atomicResponses() {
        return atomicResponses;
    }

    private @Nullable ProtocolFault onAtomicResponse(UntaggedBuffer message, ByteBuf bytes) {
        if (message.messageLength() != AtomicLayout.RESPONSE_LENGTH) {
            return new ProtocolFault(
                    ProtocolError.RDMAP_OPERATION_UNSPECIFIED,
                    "an Atomic Response has " + message.messageLength() + " bytes (expected: "
                            + AtomicLayout.RESPONSE_LENGTH + ")");
        }
        RdmapRequest atomic = Objects.requireNonNull(atomics.peek(), "a response for which there was no buffer");
        int identifier = bytes.getInt(AtomicLayout.ORIGINAL_IDENTIFIER);
        if (identifier != atomic.identifier()) {
            return new ProtocolFault(
                    ProtocolError.RDMAP_OPERATION_UNSPECIFIED,
                    "an Atomic Response to request " + Integer.toUnsignedString(identifier)
                            + ", the oldest outstanding one is " + Integer.toUnsignedString(atomic.identifier()));
        }
        atomic.setOriginalValue(bytes.getLong(AtomicLayout.ORIGINAL_VALUE));
        onResponse(atomics.remove());
        return null;
    }

    /**
     * Reads and atomics are counted as requested when the transport has taken their last byte. The response may arrive
     * first: the transport reports whole bursts.
     */
    private void countRequested(long total) {
        if (total > requestedCount) {
            counters.add(Counter.READS_REQUESTED, total - requestedCount);
            requestedCount = total;
        }
    }

    private void onResponse(RdmapRequest request) {
        responseBytes++;
        responseCount++;
        countRequested(responseCount);
        counters.add(Counter.READS_COMPLETED, 1);
        startRequests();
        complete(request);
    }

    private void complete(RdmapRequest request) {
        request.markDone();
        if (!isStopped) {
            ProtocolFault fault = queue.completeDone();
            if (fault != null) {
                failure.accept(fault);
            }
        }
    }

    /** Returns the number of Reads and atomics that were written and wait for a response. */
    int outstandingCount() {
        return reads.size() + atomics.size();
    }

    /** Returns whether the peer can respond to a Read or atomic: the transport has taken it. */
    boolean isAwaitingResponse() {
        return requestedCount > responseCount;
    }

    /** Returns the number of Reads and atomics that wait for a response, as text. */
    String describeOutstanding() {
        int count = outstandingCount();
        return count + (count == 1 ? " Read or atomic" : " Reads or atomics");
    }

    /** Returns a counter that grows by the bytes of each response, and by one when a response is complete. */
    long responseBytes() {
        return responseBytes;
    }

    /** Returns whether no request waits or is outstanding. */
    boolean idle() {
        return queue.waitingCount() == 0 && outstandingCount() == 0;
    }

    /** Stops sending and completing requests. */
    void stop() {
        isStopped = true;
        RdmapRequest read = reads.peek();
        if (read != null) {
            read.endPlacement();
        }
    }
}
