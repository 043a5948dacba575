package io.iwarp.ddp;

import io.iwarp.ProtocolError;
import io.iwarp.internal.ProtocolFault;
import io.iwarp.internal.memory.ByteSpan;
import io.iwarp.memory.AccessRight;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A layer above DDP that records all calls. Its queues are on the heap; post buffers to them. */
final class RecordingUlp implements DdpUlp {
    /** The calls of DDP, one line each, in order. */
    final List<String> events = new ArrayList<>();

    /** The payloads of delivered untagged messages. */
    final List<byte[]> delivered = new ArrayList<>();

    final List<ProtocolFault> faults = new ArrayList<>();
    /** For each fault the bytes of its segment's header, as far as they arrived; null without a segment. */
    final List<byte @Nullable []> faultHeaders = new ArrayList<>();

    int faultUlpduLength;
    boolean faultHeaderComplete;

    @Nullable
    ProtocolFault verdict;

    /** What the delivery of a message returns. */
    @Nullable
    ProtocolFault deliveryVerdict;

    AccessRight right = AccessRight.REMOTE_WRITE;
    Consumer<DdpMessage> onSent = message -> {};
    Consumer<DdpMessage> onSourceRevoked = message -> {};
    Runnable onDelivery = () -> {};
    Runnable onFault = () -> {};
    /** Runs when the transport has taken everything that was written: a ULP may then close without losing anything. */
    Runnable onAllSent = () -> {};
    /** Returns whether the handler has nothing left to send. */
    BooleanSupplier idle = () -> false;

    Runnable onHalfClosed = () -> {};
    boolean recordsReads = true;
    boolean recordsPlacements;
    /** Whether the queues hold back a message that finds no buffer. */
    boolean awaitsBuffers;
    /** Whether sent messages are written down. */
    boolean records = true;

    private boolean sendingFailed;

    private final Tagged tagged = new Tagged();
    private final List<Queue> queues = List.of(new Queue(0), new Queue(1), new Queue(2), new Queue(3));

    /** Posts a buffer of its own memory. */
    UntaggedBuffer post(int queueNumber, int room) {
        return post(queueNumber, Unpooled.wrappedBuffer(new byte[room]));
    }

    UntaggedBuffer post(int queueNumber, ByteBuf memory) {
        UntaggedBuffer buffer = new UntaggedBuffer();
        buffer.sink().wrap(memory, 0, memory.capacity());
        return post(queueNumber, buffer);
    }

    UntaggedBuffer post(int queueNumber, UntaggedBuffer buffer) {
        queues.get(queueNumber).buffers.add(buffer);
        return buffer;
    }

    @Override
    public Placement placementOf(DdpSegment segment) {
        if (verdict != null) {
            return new Placement.Refused(verdict);
        }
        return segment.tagged() ? tagged : queues.get(segment.queueNumber());
    }

    @Override
    public void onPlaced() {
        if (recordsPlacements) {
            events.add("placed");
        }
    }

    @Override
    public void onSent(DdpMessage message) {
        if (records) {
            events.add("sent " + text(message));
        }
        onSent.accept(message);
        if (!sendingFailed && idle.getAsBoolean()) {
            events.add("all sent");
            onAllSent.run();
        }
    }

    @Override
    public void onSourceRevoked(DdpMessage message, long bytesRead) {
        events.add("revoked after " + bytesRead);
        sendingFailed = true;
        onSourceRevoked.accept(message);
    }

    @Override
    public void onMessageTimeout(ProtocolError error, String detail) {
        events.add("timeout " + detail);
    }

    @Override
    public void onFault(ProtocolFault fault, @Nullable DdpSegment segment) {
        events.add("fault " + fault.error().name());
        faults.add(fault);
        sendingFailed |= fault.error() == ProtocolError.MPA_CONNECTION_LOST
                || fault.error() == ProtocolError.DDP_LOCAL_CATASTROPHIC;
        faultHeaders.add(
                segment == null
                        ? null
                        : ByteBufUtil.getBytes(segment.buffer(), segment.headerIndex(), segment.headerLength()));
        faultHeaderComplete = segment != null && segment.headerComplete();
        faultUlpduLength = segment == null ? -1 : segment.ulpduLength();
        onFault.run();
    }

    /** The handler above DDP has heard that the peer closed its half. */
    void onHalfClosed() {
        events.add("half closed");
        onHalfClosed.run();
    }

    @Override
    public void onReadComplete() {
        if (recordsReads) {
            events.add("read complete");
        }
    }

    /** The payload of a short message, as text. */
    private static String text(DdpMessage message) {
        int length = (int) Math.min(message.payload().length(), 16);
        return new String(bytes(message.payload(), length), StandardCharsets.US_ASCII);
    }

    static byte[] bytes(ByteSpan span, int length) {
        byte[] bytes = new byte[length];
        span.get(0, Unpooled.wrappedBuffer(bytes), 0, length);
        return bytes;
    }

    private final class Tagged implements TaggedTarget {
        @Override
        public AccessRight right() {
            return right;
        }

        @Override
        public boolean beginPlacement() {
            return true;
        }

        @Override
        public void onPlaced(DdpSegment segment) {
            if (recordsPlacements) {
                events.add("placed tagged " + segment.payloadLength());
            }
        }

        @Override
        public @Nullable ProtocolFault deliver(DdpSegment last) {
            events.add(String.format("tagged %08x control %02x", last.stag(), last.control()));
            onDelivery.run();
            return deliveryVerdict;
        }
    }

    private final class Queue implements UntaggedQueue {
        private final int number;
        private final List<UntaggedBuffer> buffers = new ArrayList<>();

        Queue(int number) {
            this.number = number;
        }

        @Override
        public int available() {
            return buffers.size();
        }

        @Override
        public boolean awaitBuffer() {
            return awaitsBuffers;
        }

        @Override
        public @Nullable UntaggedBuffer buffer(int ahead) {
            return Integer.compareUnsigned(ahead, buffers.size()) < 0 ? buffers.get(ahead) : null;
        }

        @Override
        public @Nullable ProtocolFault deliver(UntaggedBuffer buffer) {
            if (buffers.remove(0) != buffer) {
                throw new AssertionError("delivered a buffer that is not the head");
            }
            int inSink = (int) Math.min(buffer.messageLength(), buffer.sink().length());
            byte[] message = bytes(buffer.sink(), inSink);
            delivered.add(message);
            events.add(String.format(
                    "untagged queue %d MSN %s control %02x rsvd %08x length %d",
                    number,
                    Integer.toUnsignedString(buffer.msn()),
                    buffer.control(),
                    buffer.rsvdUlp(),
                    buffer.messageLength()));
            onDelivery.run();
            return deliveryVerdict;
        }
    }
}
