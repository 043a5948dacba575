package io.iwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import io.iwarp.Role;
import io.iwarp.internal.mpa.Agreed;
import io.iwarp.internal.mpa.AgreedParameters;
import io.iwarp.internal.mpa.MpaEvent;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.mpa.ReadyToReceive;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Two streams that a queue joins in each direction. A source of chance decides the settings, what is posted, how
 * messages are cut, when segments are taken and arrive, when receives are posted, and who closes when, or that the
 * connection is lost. What must hold is checked after each step.
 */
final class StreamPair implements AutoCloseable {
    private static final CloseReason CLOSED =
            new CloseReason(EndedBy.LOCAL_APPLICATION, null, "closed for the test", null);
    private static final CloseReason CLOSED_WITH_PEER =
            new CloseReason(EndedBy.PEER_CLOSED, null, "the peer closed", null);
    private static final int MAX_POSTS = 60;
    private static final int MESSAGE_ROOM = 1024;
    private static final int MIN_MULPDU = 128;
    private static final int MAX_MULPDU = 32 * 1024;

    // What lies where in the memory that the peer may use.
    private static final int NUMBERS = 64;
    private static final int COUNTER = NUMBERS * Long.BYTES;
    private static final int SOURCE = COUNTER + Long.BYTES;
    private static final int SOURCE_LENGTH = 600;
    /** With Reads of this length, Read Requests wait for each other. */
    private static final int LARGE_SOURCE_LENGTH = 400 * 1024;
    /** One pair of so many has large Reads. */
    private static final int PAIRS_FOR_LARGE = 20;

    private final Random random;
    private final int sourceLength;
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final End initiator;
    private final End responder;
    private boolean lost;

    StreamPair(Random random) {
        this.random = random;
        ReadyToReceive[] kinds = ReadyToReceive.values();
        int choice = random.nextInt(kinds.length + 1);
        ReadyToReceive first = choice == kinds.length ? null : kinds[choice];
        boolean large = random.nextInt(PAIRS_FOR_LARGE) == 0;
        sourceLength = large ? LARGE_SOURCE_LENGTH : SOURCE_LENGTH;
        int depth = 1 + random.nextInt(large ? 16 : 4);
        initiator = new End(Agreed.enhanced(Role.INITIATOR, MIN_MULPDU, depth, first));
        responder = new End(Agreed.enhanced(Role.RESPONDER, MIN_MULPDU, depth, first));
        initiator.hears();
    }

    private End other(End end) {
        return end == initiator ? responder : initiator;
    }

    private End oneEnd() {
        return random.nextBoolean() ? initiator : responder;
    }

    /** Does something that is possible. */
    void step() {
        End end = oneEnd();
        int dice = random.nextInt(1000);
        if (dice < 250) {
            end.post();
        } else if (dice < 550) {
            end.rdma.transmitSegment();
        } else if (dice < 850) {
            carry(end, other(end));
        } else if (dice < 990) {
            end.rdma.post(MESSAGE_ROOM);
        } else if (dice < 998) {
            end.close();
        } else {
            lose();
        }
        initiator.check();
        responder.check();
    }

    /** The network loses the connection with all that is on the wire. */
    private void lose() {
        if (!lost && initiator.rdma.ended.isEmpty() && responder.rdma.ended.isEmpty()) {
            lost = true;
            for (End end : new End[] {initiator, responder}) {
                end.rdma.wire.clear();
                end.rdma.takeFailure(new IOException("lost for the test"));
                end.rdma.disconnect();
            }
        }
    }

    /**
     * Carries the next thing that one end has sent.
     *
     * @return whether there was anything that the other end took
     */
    private boolean carry(End from, End to) {
        if (to.rdma.closedConnection()) {
            boolean anything = !from.rdma.wire.isEmpty();
            from.rdma.wire.clear();
            return anything;
        }
        byte[] next = from.rdma.wire.peek();
        if (next != null) {
            to.hears();
            boolean taken = to.rdma.take(next);
            if (taken) {
                from.rdma.wire.remove();
            }
            return taken;
        }
        if (from.rdma.finished() && !to.rdma.peerClosedHalf) {
            to.rdma.takeFinish();
            to.rdma.stream.close(CLOSED_WITH_PEER);
            return true;
        }
        if (from.rdma.closedConnection()) {
            to.rdma.disconnect();
            return true;
        }
        return false;
    }

    /** Without loss both streams end in order, and no deadline is needed for that. */
    void finish() {
        settle();
        oneEnd().close();
        settle();
        initiator.close();
        responder.close();
        settle();
        for (End end : new End[] {initiator, responder}) {
            assertThat(end.rdma.closedConnection())
                    .as("closed without a deadline")
                    .isTrue();
            end.rdma.disconnect();
            end.check();
            end.judge();
        }
    }

    /** Lets everything happen that can happen without a new post. */
    private void settle() {
        boolean moved = true;
        while (moved) {
            moved = false;
            for (End end : new End[] {initiator, responder}) {
                if (end.rdma.awaitingReceive()) {
                    end.rdma.post(MESSAGE_ROOM);
                    moved = true;
                }
                while (end.rdma.transmitSegment()) {
                    moved = true;
                }
                moved |= carry(end, other(end));
                end.check();
            }
        }
    }

    @Override
    public void close() {
        initiator.release();
        responder.release();
        domain.close();
    }

    private record Posted(RdmapRequest request, int offset, int length) {}

    /** One end, and what its application has posted. */
    private final class End {
        private final SimulatedStream rdma = new SimulatedStream(domain, SimulatedStream.TIMEOUTS);
        private final MemoryRegion memory = domain.region()
                .allocate(UnpooledByteBufAllocator.DEFAULT, SOURCE + sourceLength)
                .rights(AccessRight.REMOTE_WRITE, AccessRight.REMOTE_READ, AccessRight.REMOTE_ATOMIC)
                .register();
        private final MemoryRegion sink = domain.region()
                .allocate(UnpooledByteBufAllocator.DEFAULT, sourceLength)
                .rights(AccessRight.LOCAL_WRITE)
                .register();
        private final byte[] source = new byte[sourceLength];
        private final List<Posted> posted = new ArrayList<>();
        /** The messages that the peer has to get. */
        private final List<byte[]> messages = new ArrayList<>();

        private boolean ready;
        private long writes;
        private long atomics;
        private int checkedCompletions;
        private int checkedMessages;

        End(AgreedParameters agreed) {
            random.nextBytes(source);
            memory.setBytes(SOURCE, Unpooled.wrappedBuffer(source));
            rdma.awaitsReceives = true;
            rdma.mulpdu = () -> MIN_MULPDU + random.nextInt(Math.min(sourceLength / 2, MAX_MULPDU - MIN_MULPDU));
            rdma.takeEvent(new MpaEvent.Established(agreed));
        }

        /** A responder may send when it has heard an FPDU, an initiator at once. */
        void hears() {
            if (!ready) {
                ready = true;
                rdma.takeEvent(new MpaEvent.TransmitReady());
            }
        }

        void close() {
            rdma.stream.close(CLOSED);
        }

        void post() {
            if (rdma.state.refusalReason() != null || !rdma.state.mayStartRequests() || posted.size() == MAX_POSTS) {
                return;
            }
            MemoryRegion target = other(this).memory;
            long base = target.baseTaggedOffset();
            RdmapRequest request = new RdmapRequest();
            int offset = 0;
            int length = 0;
            switch (random.nextInt(6)) {
                case 0 -> request.send(false);
                case 1 -> request.write(target.stag(), base);
                case 2 -> request.writeWithImmediate(target.stag(), base, writes + 1, false);
                case 3 -> request.immediate(writes, false);
                case 4 -> {
                    offset = random.nextInt(sourceLength);
                    length = random.nextInt(sourceLength - offset + 1);
                    long from = base + SOURCE + offset;
                    request.read(sink.stag(), sink.baseTaggedOffset() + offset, length, target.stag(), from);
                }
                default -> request.fetchAdd(target.stag(), base + COUNTER, 1, 0);
            }
            fill(request);
            posted.add(new Posted(request.fenced(random.nextInt(4) == 0), offset, length));
            rdma.submit(request);
        }

        /** A Write writes its number everywhere, and each message says how many Writes were posted before it. */
        private void fill(RdmapRequest request) {
            boolean message = request.headerOpcode() == Opcode.IMMEDIATE_DATA;
            if (request.hasPayload()) {
                boolean write = request.message().tagged();
                writes += write ? 1 : 0;
                ByteBuffer bytes = ByteBuffer.allocate(write ? COUNTER : Long.BYTES + random.nextInt(500));
                do {
                    bytes.putLong(writes);
                } while (write && bytes.hasRemaining());
                request.payload().wrap(Unpooled.wrappedBuffer(bytes.array()), 0, bytes.capacity());
                if (!write) {
                    messages.add(bytes.array());
                }
            }
            if (message) {
                messages.add(ByteBuffer.allocate(Long.BYTES).putLong(writes).array());
            }
        }

        void check() {
            while (checkedCompletions < rdma.completed.size()) {
                Posted next = posted.get(checkedCompletions++);
                assertThat(rdma.completed.get(checkedCompletions - 1))
                        .as("completions")
                        .isSameAs(next.request());
                if (next.request().isRead()) {
                    byte[] read = bytes(sink, next.offset(), next.length());
                    assertThat(read)
                            .isEqualTo(Arrays.copyOfRange(
                                    other(this).source, next.offset(), next.offset() + next.length()));
                } else if (next.request().awaitsResponse()) {
                    assertThat(next.request().original()).as("original").isEqualTo(atomics++);
                }
            }
            while (checkedMessages < rdma.received.size()) {
                byte[] message = rdma.received.get(checkedMessages);
                assertThat(message).isEqualTo(other(this).messages.get(checkedMessages++));
                ByteBuffer numbers = ByteBuffer.wrap(bytes(memory, 0, COUNTER));
                long announced = ByteBuffer.wrap(message).getLong();
                while (numbers.hasRemaining()) {
                    assertThat(numbers.getLong()).as("number of a Write").isGreaterThanOrEqualTo(announced);
                }
            }
            assertThat(rdma.ended).as("ends").hasSizeLessThanOrEqualTo(1);
        }

        void judge() {
            CloseReason reason = rdma.ended.get(0);
            if (lost) {
                assertThat(reason.endedBy()).isIn(EndedBy.TRANSPORT, EndedBy.LOCAL_APPLICATION, EndedBy.PEER_CLOSED);
                return;
            }
            assertThat(reason.error()).as("%s", reason).isNull();
            assertThat(reason.endedBy()).isIn(EndedBy.LOCAL_APPLICATION, EndedBy.PEER_CLOSED);
            if (reason.endedBy() == EndedBy.LOCAL_APPLICATION) {
                assertThat(reason).isSameAs(CLOSED);
                assertThat(rdma.completed)
                        .as("all that was posted before the close")
                        .hasSize(posted.size());
                if (other(this).ready) {
                    // A responder that is closed before its first FPDU drops what it gets later.
                    assertThat(other(this).rdma.received).hasSameSizeAs(messages);
                }
            }
        }

        private byte[] bytes(MemoryRegion region, int offset, int length) {
            ByteBuf view = region.view(offset, length);
            byte[] bytes = ByteBufUtil.getBytes(view);
            view.release();
            return bytes;
        }

        void release() {
            rdma.disconnect();
            rdma.association.close();
            memory.close();
            sink.close();
        }
    }
}
