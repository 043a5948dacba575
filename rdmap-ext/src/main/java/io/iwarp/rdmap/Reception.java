package io.iwarp.rdmap;

import io.iwarp.ProtocolError;
import io.iwarp.ProtocolFault;
import io.iwarp.ddp.DdpSegment;
import io.iwarp.ddp.UntaggedQueue;
import io.iwarp.memory.AccessRight;
import org.jspecify.annotations.Nullable;

/**
 * Checks each received segment before it is placed
 * (<a href="https://www.rfc-editor.org/rfc/rfc5040#section-7.2">RFC 5040 section 7.2</a>), and routes each message to
 * its queue. The checks change no state, so a segment may be checked again.
 */
final class Reception {
    private final boolean extensions;
    private final UntaggedQueue sends;
    private final UntaggedQueue requests;
    private final UntaggedQueue terminates;
    private final Requester requester;
    private final Stall stall;
    private final ReadyToReceiveQueue readyToReceive;
    private long writtenBytes;

    /**
     * @param extensions whether the messages of RFC 7306 are accepted
     * @param readyToReceive the queue for the first message of a peer-to-peer initiator
     * @param sends the queue for Sends and Immediate Data
     * @param requests the queue for Read and Atomic Requests
     * @param terminates the queue for a Terminate
     * @param requester receives the responses to the requests of this side
     * @param stall ends when a segment is placed
     */
    Reception(
            boolean extensions,
            ReadyToReceiveQueue readyToReceive,
            UntaggedQueue sends,
            UntaggedQueue requests,
            UntaggedQueue terminates,
            Requester requester,
            Stall stall) {
        this.extensions = extensions;
        this.readyToReceive = readyToReceive;
        this.sends = sends;
        this.requests = requests;
        this.terminates = terminates;
        this.requester = requester;
        this.stall = stall;
    }

    /** Returns the error in a segment, or null. Call it before the segment is placed. */
    @Nullable
    ProtocolFault examine(DdpSegment segment) {
        int control = segment.control();
        Opcode opcode = Opcode.of(control);
        if (opcode == null || (opcode.extension() && !extensions) || !opcode.isOnItsQueue(segment)) {
            return new ProtocolFault(ProtocolError.RDMAP_UNEXPECTED_OPCODE, describeOpcode(control, segment));
        }
        if (RdmapLayout.version(control) != RdmapLayout.VERSION) {
            return new ProtocolFault(
                    ProtocolError.RDMAP_INVALID_VERSION,
                    "RDMAP version " + RdmapLayout.version(control) + ", expected " + RdmapLayout.VERSION);
        }
        if (opcode == Opcode.READ_RESPONSE) {
            return requester.examineReadResponse(segment);
        }
        return opcode.immediate() ? checkImmediate(segment) : null;
    }

    /** Immediate Data has exactly 8 bytes, so it is one segment (RFC 7306 section 6.3). */
    private static @Nullable ProtocolFault checkImmediate(DdpSegment segment) {
        int length = segment.payloadLength();
        if (length == RdmapLayout.IMMEDIATE_LENGTH && segment.messageOffset() == 0 && segment.last()) {
            return null;
        }
        return new ProtocolFault(
                ProtocolError.RDMAP_OPERATION_UNSPECIFIED,
                "a segment of Immediate Data with " + length + " bytes at message offset " + segment.messageOffset()
                        + (segment.last() ? "" : ", not the last of its message")
                        + ": Immediate Data is one segment of "
                        + RdmapLayout.IMMEDIATE_LENGTH + " bytes");
    }

    private static String describeOpcode(int control, DdpSegment segment) {
        String where = segment.tagged() ? "a tagged segment" : "queue " + segment.queueNumber();
        return String.format("opcode 0x%x on %s", RdmapLayout.opcode(control), where);
    }

    /** Returns the access right that a tagged segment needs. */
    AccessRight placementRight(DdpSegment segment) {
        return isReadResponse(segment) ? AccessRight.LOCAL_WRITE : AccessRight.REMOTE_WRITE;
    }

    /** Returns the queue for an untagged segment. */
    UntaggedQueue queue(DdpSegment segment) {
        return switch (segment.queueNumber()) {
            case RdmapLayout.SEND_QUEUE -> readyToReceive.takes(segment) ? readyToReceive : sends;
            case RdmapLayout.REQUEST_QUEUE -> requests;
            case RdmapLayout.TERMINATE_QUEUE -> terminates;
            default -> requester.atomicResponses();
        };
    }

    /** A valid segment has been placed. */
    void onPlaced(DdpSegment segment) {
        readyToReceive.onPlaced();
        stall.end();
        if (isReadResponse(segment)) {
            requester.onReadResponsePlaced(segment);
        } else if (segment.tagged()) {
            writtenBytes += segment.payloadLength();
        }
    }

    /**
     * A tagged message has been placed completely. A Write is not reported to the application. Only a later message
     * tells the application about it (RFC 5040 section 5.1).
     *
     * @return true for a Read Response, false for a Write of {@link #writtenBytes}
     */
    boolean onTaggedDelivery(DdpSegment last) {
        boolean readResponse = isReadResponse(last);
        if (readResponse) {
            requester.onReadResponse();
        }
        return readResponse;
    }

    /** Returns the length of the last delivered Write in bytes. Call it once for each Write. */
    long writtenBytes() {
        long bytes = writtenBytes;
        writtenBytes = 0;
        return bytes;
    }

    private static boolean isReadResponse(DdpSegment segment) {
        return Opcode.of(segment.control()) == Opcode.READ_RESPONSE;
    }
}
