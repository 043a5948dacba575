package io.iwarp.rdmap;

import io.iwarp.Counter;
import io.iwarp.Operation;
import io.iwarp.ProtocolError;
import io.iwarp.ddp.DdpMessage;
import io.iwarp.ddp.DdpSegment;
import io.iwarp.ddp.TaggedTarget;
import io.iwarp.ddp.UntaggedBuffer;
import io.iwarp.ddp.UntaggedQueue;
import io.iwarp.internal.ConnectionCounters;
import io.iwarp.internal.ProtocolFault;
import io.iwarp.internal.RingQueue;
import io.iwarp.internal.memory.AtomicOperation;
import io.iwarp.internal.memory.StreamAssociation;
import io.iwarp.internal.memory.TaggedBuffer;
import io.iwarp.internal.mpa.WirePosition;
import io.iwarp.memory.AccessRight;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Handles the operations of the peer. It is the target of Writes, which are not reported to the application (RFC 5040
 * section 5.1). It responds to Reads and atomics, of which it accepts as many as the IRD allows. One queue holds the
 * responses to both, so they are sent in the order of the requests (<a
 * href="https://www.rfc-editor.org/rfc/rfc5040#section-5.2">RFC 5040 section 5.2</a>, <a
 * href="https://www.rfc-editor.org/rfc/rfc7306#section-7">RFC 7306 section 7</a>).
 *
 * <p>A request occupies the IRD until the transport has taken the last byte of its response. The source of a Read is
 * read when the response is segmented, so a response of 4 GiB needs no extra memory. Only a few responses are handed to
 * DDP at the same time, so that later requests of this side do not wait for all of them.
 *
 * <p>IRD overflow: if {@link #countFreeSlots} returns 0, a request of the peer finds no buffer, and DDP ends the stream
 * (RFC 5040 section 6.2). The transport may have taken a response that it has not reported, because the rest of its
 * burst is not taken. Such a response is still queued, but no longer counts against the IRD. All of them are in the
 * same burst, so at most twice the IRD exist.
 */
final class Responder implements TaggedTarget {
    /**
     * The maximum number of response bytes that DDP holds, unless a single response is larger: enough for two bursts.
     */
    private static final long MAX_PENDING_BYTES = 256 * 1024;

    private final Consumer<DdpMessage> output;
    private final RdmapUlp ulp;
    private final StreamAssociation stream;
    private final ConnectionCounters counters;
    private final HeaderQueue requests =
            new HeaderQueue(AtomicLayout.REQUEST_LENGTH, this::countFreeSlots, this::onRequest);
    private final AtomicOperation atomic = new AtomicOperation();

    /**
     * The responses in the order of the requests.
     *
     * <pre>
     *     first             taken          written         end
     *       │ not reported yet  │ with DDP     │ waiting      │
     *   ────┴───────────────────┴──────────────┴──────────────┴──►
     *                           └───── occupy the IRD ────────┘
     * </pre>
     */
    private final RingQueue<Response> responses = new RingQueue<>();

    /** The position of the first response that the transport may not have taken. */
    private long takenPosition;

    private long writtenPosition;
    private long pendingBytes;
    /**
     * At most as many as the IRD, so that a burst of requests does not increase the memory of the stream permanently.
     */
    private final ArrayDeque<Response> spareResponses = new ArrayDeque<>();

    private final WirePosition position;

    private int ird;
    private long bytesWritten;
    private boolean isStopped;
    private byte @Nullable [] refusedRead;

    /**
     * @param output writes the responses
     * @param ulp is notified of each operation served
     * @param stream the memory that the peer may access
     * @param counters counts requests and responses
     * @param position shows which responses the transport has taken
     */
    Responder(
            Consumer<DdpMessage> output,
            RdmapUlp ulp,
            StreamAssociation stream,
            ConnectionCounters counters,
            WirePosition position) {
        this.output = output;
        this.ulp = ulp;
        this.stream = stream;
        this.counters = counters;
        this.position = position;
    }

    /** Sets the negotiated IRD, the maximum number of requests to respond to at a time. */
    void setIrd(int agreedIrd) {
        ird = agreedIrd;
    }

    @Override
    public AccessRight right() {
        return AccessRight.REMOTE_WRITE;
    }

    @Override
    public boolean beginPlacement() {
        return true;
    }

    @Override
    public void onPlaced(DdpSegment segment) {
        bytesWritten += segment.payloadLength();
    }

    @Override
    public @Nullable ProtocolFault deliver(DdpSegment last) {
        long bytes = bytesWritten;
        bytesWritten = 0;
        ulp.onServed(Operation.WRITE, bytes);
        return null;
    }

    /** Returns the queue for Read and Atomic Requests. */
    UntaggedQueue requests() {
        return requests;
    }

    private int countFreeSlots() {
        updateTaken();
        int occupied = (int) (responses.end() - takenPosition);
        return Math.min(ird - occupied, 2 * ird - responses.size());
    }

    private void updateTaken() {
        takenPosition = Math.max(takenPosition, responses.first());
        if (takenPosition < writtenPosition && responses.get(takenPosition).wireEnd() != DdpMessage.NOT_WRITTEN) {
            long bytesTaken = position.taken();
            while (takenPosition < writtenPosition
                    && responses.get(takenPosition).wireEnd() <= bytesTaken) {
                takenPosition++;
            }
        }
    }

    private @Nullable ProtocolFault onRequest(UntaggedBuffer message, ByteBuf bytes) {
        if (isStopped) {
            return null;
        }
        boolean read = Opcode.of(message) == Opcode.READ_REQUEST;
        int expected = read ? ReadRequestLayout.LENGTH : AtomicLayout.REQUEST_LENGTH;
        if (message.messageLength() != expected) {
            return new ProtocolFault(
                    message.messageLength() < expected
                            ? ProtocolError.RDMAP_OPERATION_UNSPECIFIED
                            : ProtocolError.DDP_UNTAGGED_MESSAGE_TOO_LONG,
                    (read ? "a Read Request" : "an Atomic Request") + " has " + message.messageLength()
                            + " bytes (expected: " + expected + ")");
        }
        return read ? onReadRequest(message, bytes) : onAtomicRequest(bytes);
    }

    private @Nullable ProtocolFault onReadRequest(UntaggedBuffer message, ByteBuf bytes) {
        long length = bytes.getUnsignedInt(ReadRequestLayout.MESSAGE_SIZE);
        TaggedBuffer source = null;
        if (length > 0) {
            int stag = bytes.getInt(ReadRequestLayout.SOURCE_STAG);
            long offset = bytes.getLong(ReadRequestLayout.SOURCE_TAGGED_OFFSET);
            source = stream.lookup(stag);
            ProtocolFault fault = stream.check(source, AccessRight.REMOTE_READ, stag, offset, length);
            if (fault != null) {
                refusedRead = new byte[ReadRequestLayout.LENGTH];
                bytes.getBytes(0, refusedRead);
                return fault;
            }
        }
        Response response = spareResponse();
        response.read(message, bytes, source);
        respond(response);
        return null;
    }

    private @Nullable ProtocolFault onAtomicRequest(ByteBuf bytes) {
        int operation = bytes.getInt(AtomicLayout.OPERATION) & AtomicLayout.OPERATION_MASK;
        if (operation != AtomicLayout.FETCH_ADD && operation != AtomicLayout.COMPARE_SWAP) {
            return new ProtocolFault(
                    ProtocolError.RDMAP_UNEXPECTED_OPCODE,
                    "atomic operation code " + operation + ", there are " + AtomicLayout.FETCH_ADD + " and "
                            + AtomicLayout.COMPARE_SWAP);
        }
        int stag = bytes.getInt(AtomicLayout.STAG);
        long offset = bytes.getLong(AtomicLayout.TAGGED_OFFSET);
        TaggedBuffer target = stream.lookup(stag);
        ProtocolFault fault =
                stream.check(target, AccessRight.REMOTE_ATOMIC, stag, offset, AtomicLayout.OPERAND_LENGTH);
        if (fault != null || target == null) {
            return fault;
        }
        if (!target.isAligned(offset)) {
            return new ProtocolFault(
                    ProtocolError.RDMAP_STREAM_CATASTROPHIC,
                    String.format(
                            "an atomic on tagged offset 0x%x of STag 0x%08x, whose address is not a multiple of %d",
                            offset, stag, AtomicLayout.OPERAND_LENGTH));
        }
        long data = bytes.getLong(AtomicLayout.ADD_OR_SWAP);
        long mask = bytes.getLong(AtomicLayout.ADD_OR_SWAP_MASK);
        if (operation == AtomicLayout.FETCH_ADD) {
            atomic.fetchAdd(data, mask);
        } else {
            atomic.compareSwap(
                    data, mask, bytes.getLong(AtomicLayout.COMPARE), bytes.getLong(AtomicLayout.COMPARE_MASK));
        }
        if (!target.execute(offset, atomic)) {
            return StreamAssociation.unknown(AccessRight.REMOTE_ATOMIC, stag);
        }
        Response response = spareResponse();
        response.atomic(
                operation == AtomicLayout.FETCH_ADD ? Operation.FETCH_ADD : Operation.COMPARE_SWAP,
                bytes.getInt(AtomicLayout.REQUEST_IDENTIFIER),
                atomic.original());
        respond(response);
        return null;
    }

    private Response spareResponse() {
        Response response = spareResponses.poll();
        return response == null ? new Response() : response;
    }

    private void respond(Response response) {
        counters.add(Counter.PEER_READS_ACCEPTED, 1);
        responses.add(response);
        writeWaiting();
    }

    private void writeWaiting() {
        while (writtenPosition < responses.end()
                && (writtenPosition == responses.first() || pendingBytes < MAX_PENDING_BYTES)) {
            Response response = responses.get(writtenPosition++);
            pendingBytes += response.messageLength();
            output.accept(response);
        }
    }

    /** The transport has taken all bytes of the oldest response. */
    void onSent(Response response) {
        counters.add(Counter.PEER_READS_COMPLETED, 1);
        responses.remove();
        pendingBytes -= response.messageLength();
        writeWaiting();
        ulp.onServed(response.operation(), response.operandBytes());
        if (spareResponses.size() < ird) {
            spareResponses.add(response);
        }
    }

    /** Returns the number of responses that DDP has and has not reported as sent. While any waits, there is one. */
    int pendingMessageCount() {
        return (int) (writtenPosition - responses.first());
    }

    /** Stops accepting requests. Later requests are discarded; accepted ones still get a response. */
    void stop() {
        isStopped = true;
    }

    /** Returns the header of the last refused Read Request. Empty if none was refused. */
    byte[] refusedRead() {
        return refusedRead == null ? Terminate.NOTHING : refusedRead;
    }
}
