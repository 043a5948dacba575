package io.iwarp.rdmap;

import io.iwarp.CloseReason;
import io.iwarp.Counter;
import io.iwarp.Counters;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.ProtocolFault;
import io.iwarp.ddp.DdpMessage;
import io.iwarp.ddp.DdpSegment;
import io.iwarp.ddp.DdpUlp;
import io.iwarp.ddp.UntaggedQueue;
import io.iwarp.memory.AccessRight;
import io.iwarp.mpa.MpaParameters;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * One RDMAP stream without I/O: what may come in, what goes out, and how the stream ends
 * (<a href="https://www.rfc-editor.org/rfc/rfc5040">RFC 5040</a>).
 *
 * <p>Events come from DDP ({@link DdpUlp}) and from the handler (the {@code on...} methods of this class). Commands come
 * from the layer above: {@link #submit}, {@link #flush}, {@link #close}, {@link #abort}. Outputs are calls on
 * {@link RdmapLink} and {@link RdmapUlp}. Everything happens on the event loop of the connection.
 *
 * <pre>
 *              onTransmitReady          close, all sent        FIN of the peer, deadline
 *   STARTING ───────────────► OPEN ───► DRAINING ───► HALF_CLOSED ──────────────► ENDED
 *      │                        │           │              │                        ▲
 *      │ refused, failed        └─ fault ───┴──────────────┤                        │
 *      │                               TERMINATING ── Terminate sent, then drained ─┤
 *      └────────────────────────────────────────────────────────────────────────────┘
 * </pre>
 */
final class RdmapStream implements DdpUlp {
    private enum Phase {
        /** Requests have to wait: start-up, or a responder that has not heard an FPDU yet. */
        STARTING,
        /** Requests are accepted. */
        OPEN,
        /** The application closed; what was submitted still goes out. */
        DRAINING,
        /** FIN was sent; waiting for the peer's. */
        HALF_CLOSED,
        /** A Terminate is on its way out. */
        TERMINATING,
        /** The layer above knows that it is over; the connection may still be draining. */
        ENDED
    }

    private final RdmapUlp ulp;
    private final RdmapLink link;
    private final Counters counters;
    private final DdpMessage terminateMessage = new DdpMessage();
    private final UntaggedQueue terminateQueue = new TerminateQueue(this::onTerminate);

    private Phase phase = Phase.STARTING;
    private boolean established;
    private boolean peerClosedHalf;
    private boolean outputClosed;
    private long unsent;
    private long octetsAtDeadline;
    private @Nullable CloseReason firstCause;
    private @Nullable ByteBuf terminateOctets;

    RdmapStream(RdmapUlp ulp, RdmapLink link, Counters counters) {
        this.ulp = ulp;
        this.link = link;
        this.counters = counters;
    }

    void onEstablished(MpaParameters parameters) {
        established = true;
        ulp.onEstablished(parameters);
    }

    void onTransmitReady() {
        if (phase == Phase.STARTING) {
            phase = Phase.OPEN;
            ulp.onReady();
        }
    }

    /** Start-up failed: the stream never began. */
    void onStartupFailed(CloseReason reason) {
        end(note(reason));
    }

    /** Start-up ended with a rejection: the stream never began. */
    void onRejected(byte[] privateData) {
        CloseReason reason =
                note(new CloseReason(EndedBy.PEER_CLOSED, null, "the connection request was rejected", null));
        ulp.onRejected(privateData);
        end(reason);
    }

    /** Takes a request of the layer above; it leaves with the next {@link #flush}. Only between ready and close. */
    void submit(RdmapRequest request) {
        if (phase != Phase.OPEN) {
            throw new IllegalStateException("request submitted while the stream is " + phase);
        }
        unsent++;
        link.write(request);
    }

    void flush() {
        link.flush();
    }

    /** {@return whether {@link #submit} may be called now} */
    boolean open() {
        return phase == Phase.OPEN;
    }

    /** Ends the stream in order: what was submitted is sent, then FIN, then the peer's FIN is awaited. */
    void close(CloseReason reason) {
        note(reason);
        if (phase == Phase.OPEN) {
            phase = Phase.DRAINING;
            octetsAtDeadline = counters.get(Counter.ULPDU_OCTETS_SENT);
            link.armDeadline();
            closeOutputWhenDrained();
        } else if (phase == Phase.STARTING) {
            link.close();
        }
    }

    /** Ends the stream at once: nothing more is sent, the connection is closed. */
    void abort(CloseReason reason) {
        CloseReason cause = note(reason);
        link.close();
        end(cause);
    }

    @Override
    public @Nullable ProtocolFault examine(DdpSegment segment) {
        int control = segment.control();
        Opcode opcode = Opcode.of(control);
        if (opcode == null || !offered(opcode) || !onItsQueue(opcode, segment)) {
            return new ProtocolFault(ProtocolError.RDMAP_UNEXPECTED_OPCODE, describeOpcode(control, segment));
        }
        if (RdmapLayout.version(control) != RdmapLayout.VERSION) {
            return new ProtocolFault(
                    ProtocolError.RDMAP_INVALID_VERSION,
                    "RDMAP version " + RdmapLayout.version(control) + ", expected " + RdmapLayout.VERSION);
        }
        return null;
    }

    /** A Read Response without an outstanding Read, and the messages of RFC 7306, are unexpected on every queue. */
    private static boolean offered(Opcode opcode) {
        return switch (opcode) {
            case RDMA_WRITE, SEND, SEND_WITH_SOLICITED_EVENT, TERMINATE, READ_REQUEST -> true;
            default -> false;
        };
    }

    private static boolean onItsQueue(Opcode opcode, DdpSegment segment) {
        return segment.tagged() ? opcode.tagged() : opcode.travelsOn(segment.queueNumber());
    }

    private static String describeOpcode(int control, DdpSegment segment) {
        String where = segment.tagged() ? "a tagged segment" : "queue " + segment.queueNumber();
        return String.format("opcode 0x%x on %s", RdmapLayout.opcode(control), where);
    }

    @Override
    public AccessRight placementRight(DdpSegment segment) {
        return AccessRight.REMOTE_WRITE;
    }

    @Override
    public UntaggedQueue queue(int queueNumber) {
        return switch (queueNumber) {
            case RdmapLayout.SEND_QUEUE -> ulp.receiveQueue();
            case RdmapLayout.TERMINATE_QUEUE -> terminateQueue;
            default -> EmptyQueue.INSTANCE;
        };
    }

    /** A Write is not reported: its target learns of it by a later message (RFC 5040 section 5.1). */
    @Override
    public @Nullable ProtocolFault onTaggedDelivery(DdpSegment last) {
        return null;
    }

    @Override
    public void onSent(DdpMessage message) {
        if (message == terminateMessage) {
            onTerminateSent();
            return;
        }
        unsent--;
        ulp.onSent((RdmapRequest) message);
        if (phase == Phase.DRAINING) {
            closeOutputWhenDrained();
        }
    }

    private void closeOutputWhenDrained() {
        if (unsent == 0) {
            phase = Phase.HALF_CLOSED;
            closeOutput();
            if (peerClosedHalf) {
                link.close();
            }
        }
    }

    private void closeOutput() {
        if (!outputClosed) {
            outputClosed = true;
            link.closeOutput();
        }
    }

    @Override
    public void onFault(ProtocolFault fault, @Nullable DdpSegment segment) {
        if (phase == Phase.ENDED || phase == Phase.TERMINATING) {
            return;
        }
        CloseReason reason = reasonOf(fault);
        note(reason);
        if (phase == Phase.STARTING || outputClosed || isTerminate(segment)) {
            abort(reason);
            return;
        }
        phase = Phase.TERMINATING;
        link.armDeadline();
        sendTerminate(Terminate.of(fault.error(), segment));
    }

    private static CloseReason reasonOf(ProtocolFault fault) {
        EndedBy endedBy = fault.error() == ProtocolError.MPA_CONNECTION_LOST ? EndedBy.TRANSPORT : EndedBy.LOCAL_FAULT;
        return new CloseReason(endedBy, fault.error(), fault.detail(), null);
    }

    /** A Terminate is never answered by a Terminate, however bad it is. */
    private static boolean isTerminate(@Nullable DdpSegment segment) {
        return segment != null
                && segment.headerComplete()
                && !segment.tagged()
                && segment.queueNumber() == RdmapLayout.TERMINATE_QUEUE;
    }

    private void sendTerminate(Terminate terminate) {
        ByteBuf octets = Unpooled.directBuffer(terminate.length());
        terminate.encode(octets);
        terminateOctets = octets;
        terminateMessage.untagged(Opcode.TERMINATE.control(), 0, RdmapLayout.TERMINATE_QUEUE);
        terminateMessage.payload().wrap(octets, 0, octets.readableBytes());
        terminateMessage.finalWords(true);
        link.write(terminateMessage);
        link.flush();
    }

    /**
     * After the Terminate this side is silent, but it goes on reading until the peer closes: closing a socket with unread
     * input would make the kernel send RST, which can destroy the Terminate on its way.
     */
    private void onTerminateSent() {
        counters.add(Counter.TERMINATES_SENT, 1);
        releaseTerminate();
        closeOutput();
        if (firstCause != null) {
            end(firstCause);
        }
        if (peerClosedHalf) {
            link.close();
        }
    }

    private void releaseTerminate() {
        if (terminateOctets != null) {
            terminateMessage.payload().clear();
            terminateOctets.release();
            terminateOctets = null;
        }
    }

    private void onTerminate(ByteBuf octets) {
        counters.add(Counter.TERMINATES_RECEIVED, 1);
        Terminate terminate = Terminate.decode(octets);
        CloseReason reason = terminate == null
                ? new CloseReason(
                        EndedBy.PEER_TERMINATE, null, "the peer terminated the stream without saying why", null)
                : new CloseReason(EndedBy.PEER_TERMINATE, terminate.error(), terminate.describe(), null);
        abort(reason);
    }

    @Override
    public void onHalfClosed() {
        peerClosedHalf = true;
        if (outputClosed) {
            link.close();
        } else if (phase == Phase.OPEN || phase == Phase.STARTING) {
            ulp.onPeerClosedHalf();
        }
    }

    @Override
    public void onReadComplete() {
        if (phase != Phase.ENDED) {
            ulp.onReadComplete();
        }
    }

    /** The connection is gone. */
    void onDisconnected() {
        releaseTerminate();
        end(note(
                established
                        ? new CloseReason(EndedBy.PEER_CLOSED, null, "the peer closed the connection", null)
                        : new CloseReason(EndedBy.TRANSPORT, null, "there was no connection to be had", null)));
    }

    /** The transport failed: reset, timed out, unreachable. {@link #onDisconnected} follows. */
    void onTransportFailure(Throwable cause) {
        note(new CloseReason(
                EndedBy.TRANSPORT, ProtocolError.MPA_CONNECTION_LOST, "the connection was lost: " + cause, cause));
    }

    /** Nothing moved for the close timeout: cut the connection. */
    void onDeadline() {
        long octets = counters.get(Counter.ULPDU_OCTETS_SENT);
        if (phase == Phase.DRAINING && octets > octetsAtDeadline) {
            octetsAtDeadline = octets;
            link.armDeadline();
            return;
        }
        if (phase == Phase.DRAINING) {
            end(note(new CloseReason(
                    EndedBy.TIMEOUT,
                    null,
                    "the peer took none of the " + unsent + " requests still to be sent within the close timeout",
                    null)));
        }
        link.close();
    }

    /** Keeps the first cause, and returns it. */
    private CloseReason note(CloseReason reason) {
        if (firstCause == null) {
            firstCause = reason;
        }
        return firstCause;
    }

    private void end(CloseReason reason) {
        if (phase != Phase.ENDED) {
            phase = Phase.ENDED;
            ulp.onEnded(reason);
        }
    }
}
