package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.Counter;
import io.iwarp.ProtocolError;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.testing.Requirement;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.util.ResourceLeakDetector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The longest Read that there is, through two whole stacks. Each region consists of the same few bytes over and over,
 * so that a region of 4 GiB needs 256 KiB.
 */
class GreatestReadTest {
    private static final long LENGTH = 0xffff_ffffL;
    private static final int SOURCE_PIECE = 256 << 10;
    private static final int SINK_PIECE = (256 << 10) - 8;
    /** So that the tagged offsets pass 2^32 and 2^63 on their way. */
    private static final long SOURCE_BASE = (1L << 32) - 0x1234;

    private static final long SINK_BASE = Long.MAX_VALUE - 0x8765_4321L;
    private static final int READ_RESPONSE = 0x42;
    private static final int TAGGED_HEADER = 14;

    private final ResourceLeakDetector.Level leakDetection = ResourceLeakDetector.getLevel();
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final MemoryRegion source = repeated(SOURCE_PIECE, SOURCE_BASE, AccessRight.REMOTE_READ);
    private final MemoryRegion sink = repeated(SINK_PIECE, SINK_BASE, AccessRight.LOCAL_WRITE);

    private MemoryRegion repeated(int piece, long base, AccessRight right) {
        ByteBuf bytes = Unpooled.directBuffer(piece, piece);
        while (bytes.isWritable()) {
            bytes.writeLong((bytes.writerIndex() + 1) * 0x9e3779b97f4a7c15L);
        }
        List<ByteBuf> pieces = new ArrayList<>();
        for (long left = LENGTH; left > 0; left -= piece) {
            pieces.add(bytes.slice(0, (int) Math.min(piece, left)));
        }
        MemoryRegion region = domain.region()
                .buffers(pieces)
                .baseTaggedOffset(base)
                .rights(right)
                .register();
        bytes.release();
        return region;
    }

    /** A stack trace for each access to each of 65,536 segments would take longer than all else. */
    @BeforeEach
    void lookForLeaksNowAndThen() {
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.SIMPLE);
    }

    @AfterEach
    void close() {
        ResourceLeakDetector.setLevel(leakDetection);
        source.close();
        sink.close();
        domain.close();
    }

    /** Looks at each FPDU of the response. The transport hands over each as it was sent. */
    private final class Response extends ChannelInboundHandlerAdapter {
        private long received;
        private boolean last;
        private int fpduLeft;

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            look(bytes);
            ctx.fireChannelRead(message);
        }

        private void look(ByteBuf bytes) {
            int index = bytes.readerIndex();
            while (index < bytes.writerIndex()) {
                if (fpduLeft == 0) {
                    int ulpdu = bytes.getUnsignedShort(index);
                    segment(bytes, index + Short.BYTES, ulpdu - TAGGED_HEADER);
                    fpduLeft = Short.BYTES + ulpdu + (-(Short.BYTES + ulpdu) & 3) + Integer.BYTES;
                }
                int here = Math.min(fpduLeft, bytes.writerIndex() - index);
                index += here;
                fpduLeft -= here;
            }
        }

        private void segment(ByteBuf bytes, int header, int payload) {
            long position = received;
            require(!last, "nothing follows the last segment");
            require(bytes.getUnsignedByte(header + 1) == READ_RESPONSE, "opcode");
            require(bytes.getInt(header + 2) == sink.stag(), "STag");
            require(bytes.getLong(header + 6) == SINK_BASE + position, "TO");
            received += payload;
            last = (bytes.getByte(header) & 0x40) != 0;
            require(last == (received == LENGTH), "L");
        }

        private void require(boolean right, String what) {
            if (!right) {
                throw new AssertionError(what + ", with " + received + " bytes received");
            }
        }
    }

    /** Carries what an end sends as soon as it is sent, so that it does not pile up. */
    private static final class Shortcut extends ChannelOutboundHandlerAdapter {
        private final SimulatedPair pair;

        Shortcut(SimulatedPair pair) {
            this.pair = pair;
        }

        @Override
        public void flush(ChannelHandlerContext ctx) {
            ctx.flush();
            SimulatedPair.carryBytes(pair.responder, pair.initiator);
        }
    }

    @Test
    @Requirement({"RDMAP-32", "DDP-25"})
    void itsResponseIsCutByTheMulpduToTheLastByte() {
        QueuePairSettings settings = QueuePairSettings.builder()
                .mpa(MpaSettings.builder().crc(false).emss(MpaSettings.MAX_EMSS).build())
                .build();
        try (SimulatedPair pair = new SimulatedPair(domain, settings, qp -> {})) {
            Response response = new Response();
            pair.initiator.pipeline().addFirst(response);
            pair.responder.pipeline().addFirst(new Shortcut(pair));

            CompletableFuture<Completion> read =
                    pair.initiator.queuePair().read(sink.slice(0, LENGTH), source.remoteBuffer());
            pair.run();

            assertThat(read).isCompletedWithValueMatching(done -> done.bytes() == LENGTH);
            assertThat(response.received).isEqualTo(LENGTH);
            assertThat(response.last).isTrue();
        }
        long last = LENGTH - LENGTH % SINK_PIECE;
        ByteBuf expected = bytes(source, last);
        ByteBuf placed = bytes(sink, last);
        assertThat(placed).isEqualTo(expected);
        expected.release();
        placed.release();
    }

    @Test
    @Requirement("RDMAP-84")
    void oneThatEndsAnByteTooLateIsRefused() {
        try (SimulatedPair pair = new SimulatedPair(domain, QueuePairSettings.DEFAULT, qp -> {})) {
            CompletableFuture<Completion> read = pair.initiator
                    .queuePair()
                    .read(sink.slice(0, LENGTH), new RemoteBuffer(source.stag(), SOURCE_BASE + 1, LENGTH));
            pair.run();

            assertThat(read).isCompletedExceptionally();
            assertThat(pair.responder.queuePair().closeReason().error()).isEqualTo(ProtocolError.RDMAP_BASE_OR_BOUNDS);
            assertThat(pair.initiator.queuePair().counters().get(Counter.SEGMENTS_PLACED))
                    .as("only the Terminate")
                    .isEqualTo(1);
        }
    }

    /** The bytes from an offset to the end. */
    private static ByteBuf bytes(MemoryRegion region, long offset) {
        int length = (int) (LENGTH - offset);
        ByteBuf copy = Unpooled.directBuffer(length, length);
        region.getBytes(offset, copy, length);
        return copy;
    }
}
