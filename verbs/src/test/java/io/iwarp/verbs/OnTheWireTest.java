package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.CloseReason;
import io.iwarp.Counter;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Seeds;
import io.iwarp.testing.Segment;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import java.io.ByteArrayOutputStream;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What two whole stacks put on the wire between them, and what happens when the wire changes or cuts it. */
class OnTheWireTest {
    private static final int LENGTH = 4096;
    private static final int CRC_LENGTH = 4;

    private final ProtectionDomain domain = ProtectionDomain.create();
    private final MemoryRegion region = domain.region()
            .allocate(UnpooledByteBufAllocator.DEFAULT, LENGTH)
            .rights(AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_ATOMIC)
            .register();
    private final ByteBuf inbox = Unpooled.buffer(LENGTH);
    private final ByteBuf sink = Unpooled.directBuffer(LENGTH, LENGTH);

    @AfterEach
    void close() {
        region.close();
        domain.close();
        inbox.release();
        sink.release();
    }

    private static QueuePairSettings settings(MpaSettings.Builder mpa) {
        return QueuePairSettings.builder().mpa(mpa.build()).build();
    }

    /** Keeps a copy of what an end sends from now on. */
    private static final class Copy extends ChannelOutboundHandlerAdapter {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        static Copy of(SimulatedPair.End end) {
            Copy copy = new Copy();
            end.pipeline().addFirst(copy);
            return copy;
        }

        @Override
        public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
            ByteBuf sent = (ByteBuf) message;
            byte[] copied = new byte[sent.readableBytes()];
            sent.getBytes(sent.readerIndex(), copied);
            bytes.writeBytes(copied);
            ctx.write(message, promise);
        }

        /** The ULPDUs of FPDUs without markers, whose CRCs are good. */
        List<byte[]> ulpdus() {
            List<byte[]> ulpdus = new ArrayList<>();
            byte[] all = bytes.toByteArray();
            for (int start = 0; start < all.length; ) {
                int length = ByteBuffer.wrap(all).getShort(start) & 0xffff;
                int end = start + Short.BYTES + length + (-(Short.BYTES + length) & 3) + CRC_LENGTH;
                byte[] ulpdu = Arrays.copyOfRange(all, start + Short.BYTES, start + Short.BYTES + length);
                assertThat(Arrays.copyOfRange(all, start, end)).isEqualTo(Segment.fpdu(ulpdu));
                ulpdus.add(ulpdu);
                start = end;
            }
            return ulpdus;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @Requirement("MPA-8")
    void eachMessageHasVersionOneOfDdpAndOfRdmapInBothRevisions(int revision) {
        MpaSettings.Builder mpa = MpaSettings.builder().revision(revision).enhanced(revision == 2);
        CompletableFuture<Completion> received = new CompletableFuture<>();
        try (SimulatedPair pair =
                new SimulatedPair(domain, settings(mpa), qp -> qp.receive(inbox).thenAccept(received::complete))) {
            QueuePair initiator = pair.initiator.queuePair();
            QueuePair responder = pair.responder.queuePair();
            assertThat(initiator.parameters().revision()).isEqualTo(revision);
            assertThat(responder.parameters().revision()).isEqualTo(revision);
            Copy sentByInitiator = Copy.of(pair.initiator);
            Copy sentByResponder = Copy.of(pair.responder);

            initiator.write(Unpooled.copyInt(1), region.remoteBuffer(0, Integer.BYTES));
            initiator.read(sink, region.remoteBuffer());
            initiator.fetchAdd(region.remoteBuffer(0, Long.BYTES), 1);
            initiator.send(Unpooled.copyInt(2));
            pair.run();
            initiator.write(Unpooled.copyInt(3), new RemoteBuffer(~region.stag(), 0, Integer.BYTES));
            pair.run();

            assertThat(received).isCompleted();
            assertThat(opcodesOfVersionOne(sentByInitiator)).containsExactlyInAnyOrder(0x0, 0x1, 0x3, 0xa);
            assertThat(opcodesOfVersionOne(sentByResponder)).containsExactlyInAnyOrder(0x2, 0x7, 0xb);
        }
    }

    private static Set<Integer> opcodesOfVersionOne(Copy sent) {
        Set<Integer> opcodes = new TreeSet<>();
        for (byte[] ulpdu : sent.ulpdus()) {
            assertThat(ulpdu[0] & 0x3).as("DV").isEqualTo(1);
            assertThat(ulpdu[1] >> 6 & 0x3).as("RV").isEqualTo(1);
            opcodes.add(ulpdu[1] & 0xf);
        }
        return opcodes;
    }

    /** Changes bytes on their way, by exclusive or, counted from the next one that comes. */
    private static final class Noise extends ChannelInboundHandlerAdapter {
        private final byte[] change;
        private int seen;

        Noise(byte[] change) {
            this.change = change;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            for (int i = bytes.readerIndex(); i < bytes.writerIndex(); i++, seen++) {
                bytes.setByte(i, bytes.getByte(i) ^ (seen < change.length ? change[seen] : 0));
            }
            ctx.fireChannelRead(bytes);
        }
    }

    /** A digest of 32 bits finds each burst of up to 32 bits; the defaults have to switch it on. */
    @Test
    @Requirement("DDP-5")
    void noSegmentThatWasChangedOnItsWayIsPlacedWithTheDefaults() {
        int fpduLength = Segment.write(0, 0, new byte[Long.BYTES]).fpdu().length;
        Random random = new Random(5);
        for (int bit = 0; bit < Byte.SIZE * fpduLength; bit++) {
            byte[] single = new byte[fpduLength];
            single[bit / Byte.SIZE] = (byte) (1 << bit % Byte.SIZE);
            changedOnItsWay(single);
            byte[] burst = new byte[fpduLength];
            ByteBuffer.wrap(burst).putInt(Math.min(bit / Byte.SIZE, fpduLength - Integer.BYTES), random.nextInt() | 1);
            changedOnItsWay(burst);
        }
    }

    private void changedOnItsWay(byte[] change) {
        try (SimulatedPair pair = new SimulatedPair(domain, QueuePairSettings.DEFAULT, qp -> {})) {
            pair.responder.pipeline().addFirst(new Noise(change));

            pair.initiator.queuePair().write(Unpooled.copyLong(-1), region.remoteBuffer(0, Long.BYTES));
            pair.run();

            QueuePair responder = pair.responder.queuePair();
            assertThat(region.getVolatile(0)).as("memory").isZero();
            assertThat(responder.counters().get(Counter.MESSAGES_DELIVERED)).isZero();
            if (change[0] == 0 && change[1] == 0) {
                assertThat(responder.closeReason().error()).isEqualTo(ProtocolError.MPA_CRC_MISMATCH);
            }
        }
    }

    /** Cuts what comes into pieces of any length. */
    private static final class Cutter extends ChannelInboundHandlerAdapter {
        private final Random random;

        Cutter(Random random) {
            this.random = random;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            while (bytes.isReadable()) {
                ctx.fireChannelRead(bytes.readRetainedSlice(1 + random.nextInt(bytes.readableBytes())));
                if (random.nextBoolean()) {
                    ctx.fireChannelReadComplete();
                }
            }
            bytes.release();
        }
    }

    /** Also where a message waits for a receive, so that its segment is looked at again. */
    @Test
    @Requirement("DDP-10")
    void eachSegmentReachesDdpOnceHoweverTheWireCutsIt() {
        QueuePairSettings waiting = QueuePairSettings.builder()
                .receiveTimeout(Duration.ofSeconds(10))
                .build();
        Seeds.forEach(50, (seed, random) -> {
            List<Integer> received = new ArrayList<>();
            List<Integer> sent = new ArrayList<>();
            long segments = 0;
            try (SimulatedPair pair = new SimulatedPair(domain, waiting, qp -> {})) {
                QueuePair initiator = pair.initiator.queuePair();
                QueuePair responder = pair.responder.queuePair();
                pair.responder.pipeline().addFirst(new Cutter(random));
                Copy copy = Copy.of(pair.initiator);
                for (int i = 0; i < 20; i++) {
                    if (random.nextBoolean()) {
                        initiator.send(Unpooled.copyInt(i));
                        sent.add(i);
                    } else {
                        initiator.write(Unpooled.wrappedBuffer(new byte[3000]), region.remoteBuffer(0, 3000));
                    }
                    pair.run();
                }
                for (int i = 0; i < sent.size(); i++) {
                    ByteBuf message = Unpooled.buffer(Integer.BYTES);
                    responder.receive(message).thenAccept(done -> {
                        received.add(message.getInt(0));
                        message.release();
                    });
                    pair.run();
                }
                segments = copy.ulpdus().size();
                long payload = copy.ulpdus().stream()
                        .mapToLong(ulpdu -> ulpdu.length - (ulpdu[0] < 0 ? 14 : 18))
                        .sum();

                assertThat(received).isEqualTo(sent);
                assertThat(responder.counters().get(Counter.FPDUS_RECEIVED)).isEqualTo(segments);
                assertThat(responder.counters().get(Counter.SEGMENTS_PLACED)).isEqualTo(segments);
                assertThat(responder.counters().get(Counter.BYTES_PLACED)).isEqualTo(payload);
                assertThat(responder.counters().get(Counter.MESSAGES_DELIVERED)).isEqualTo(20);
            }
        });
    }

    /** An initiator that cannot learn its segment size once the peer has accepted. */
    private static final class NamelessEnd extends SimulatedPair.End {
        NamelessEnd(IwarpChannelInitializer initializer) {
            super(initializer);
        }

        @Override
        public SocketAddress localAddress() {
            throw new ChannelException("no name today");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Requirement("SETUP-22")
    void failingInitiatorSendsATerminateAndCloses(boolean enhanced) {
        NamelessEnd end = new NamelessEnd(IwarpChannelInitializer.initiator(
                domain, settings(MpaSettings.builder().enhanced(enhanced)), new byte[0], qp -> {}));
        end.runTasks();
        ByteBuf request = end.readOutbound();
        assertThat(request.readableBytes()).isEqualTo(enhanced ? 24 : 20);
        request.release();
        Copy sent = Copy.of(end);

        byte[] reply = SimulatedPeer.frame(
                SimulatedPeer.REPLY_KEY, enhanced ? "50020004" : "40010000", enhanced ? "00100010" : "");
        end.writeInbound(Unpooled.wrappedBuffer(reply));
        end.runTasks();

        assertThat(sent.ulpdus()).containsExactly(Segment.terminate("20050000").ulpdu());
        assertThat(end.isOutputShutdown()).as("nothing follows the Terminate").isTrue();
        CloseReason reason = end.queuePair().closeReason();
        assertThat(reason.error()).isEqualTo(ProtocolError.MPA_LOCAL_CATASTROPHIC);
        assertThat(reason.endedBy()).isEqualTo(EndedBy.LOCAL_FAULT);
        end.advanceTimeBy(1, TimeUnit.MINUTES);
        end.runTasks();
        assertThat(end.isOpen())
                .as("a peer that does not close is not waited for")
                .isFalse();
        end.finishAndReleaseAll();
    }
}
