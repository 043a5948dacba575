package io.iwarp.ddp;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.internal.mpa.Ulpdu;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Seeds;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Whatever goes into a send buffer comes out of a receiver, and the segments between them are as RFC 5041 has them. */
class DdpPropertyTest {
    private static final int SINK_LENGTH = 200_000;
    private static final long SINK_BASE = -SINK_LENGTH - 5;

    @Test
    @Requirement({
        "DDP-4", "DDP-12", "DDP-13", "DDP-16", "DDP-18", "DDP-20", "DDP-21", "DDP-22", "DDP-24", "DDP-26", "DDP-27",
        "DDP-28", "DDP-29", "DDP-30", "DDP-33", "DDP-34", "DDP-36", "DDP-38", "DDP-39"
    })
    void whatGoesInComesOut() {
        Seeds.forEach(150, (seed, random) -> {
            try (Stream stream = new Stream(random)) {
                int messages = 1 + random.nextInt(20);
                for (int i = 0; i < messages; i++) {
                    stream.sendOne();
                }
                assertThat(stream.peer.ulp.faults).isEmpty();
                assertThat(stream.peer.ulp.events).isEqualTo(stream.expectedEvents);
                assertThat(stream.peer.ulp.delivered).containsExactlyElementsOf(stream.expectedSends);
                assertThat(ReceiverFixture.contentOf(stream.sink)).isEqualTo(stream.expectedSink);
            }
        });
    }

    @Test
    @Requirement({"DDP-35", "DDP-36", "DDP-37"})
    void theOrderOfPlacementDoesNotMatter() {
        Seeds.forEach(100, (seed, random) -> {
            try (ReceiverFixture peer = new ReceiverFixture()) {
                byte[] content = bytes(random, random.nextInt(20_000));
                DdpMessage message = DdpChannel.message(content);
                List<byte[]> segments = Ulpdus.cut(message, 128 + random.nextInt(4000));
                byte[] last = segments.remove(segments.size() - 1);
                if (!segments.isEmpty()) {
                    segments.add(segments.get(random.nextInt(segments.size())));
                }
                Collections.shuffle(segments, random);
                peer.ulp.post(0, content.length);
                segments.forEach(peer::receives);
                assertThat(peer.ulp.delivered).isEmpty();

                peer.receives(last);

                assertThat(peer.ulp.delivered).containsExactly(content);
            }
        });
    }

    private static byte[] bytes(Random random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    /** One direction of a stream, with a model of what has to come out. */
    private static final class Stream implements AutoCloseable {
        final Random random;
        final ReceiverFixture peer;
        final MemoryRegion sink;
        final List<String> expectedEvents = new ArrayList<>();
        final List<byte[]> expectedSends = new ArrayList<>();
        final byte[] expectedSink = new byte[SINK_LENGTH];
        private final SendBuffer buffer;
        private final int[] msn = new int[DdpSegment.QUEUES];
        private final int mulpduRange;

        Stream(Random random) {
            this.random = random;
            int firstMsn = random.nextBoolean() ? 1 : -random.nextInt(5);
            Arrays.fill(msn, firstMsn);
            peer = new ReceiverFixture(firstMsn);
            buffer = Ulpdus.buffer(firstMsn);
            sink = region(SINK_LENGTH, SINK_BASE, AccessRight.REMOTE_WRITE);
            mulpduRange = random.nextBoolean() ? 1000 : 64768 - 128 + 1;
        }

        private MemoryRegion region(int length, long base, AccessRight... rights) {
            List<ByteBuf> pieces = new ArrayList<>();
            for (int left = length; left > 0; ) {
                int piece = Math.min(left, 1 + random.nextInt(random.nextBoolean() ? 300 : 100_000));
                pieces.add(ByteBufAllocator.DEFAULT.directBuffer(piece, piece).setZero(0, piece));
                left -= piece;
            }
            MemoryRegion region = peer.keep(peer.domain
                    .region()
                    .buffers(pieces)
                    .baseTaggedOffset(base)
                    .rights(rights)
                    .register());
            pieces.forEach(ByteBuf::release);
            return region;
        }

        void sendOne() {
            int length = random.nextInt(4) == 0 ? 0 : random.nextInt(random.nextBoolean() ? 200 : 100_000);
            byte[] content = bytes(random, length);
            DdpMessage message = new DdpMessage();
            fill(message, content);
            int control = random.nextInt(256);
            if (random.nextBoolean()) {
                int from = random.nextInt(SINK_LENGTH - length + 1);
                message.tagged(control, sink.stag(), SINK_BASE + from);
                System.arraycopy(content, 0, expectedSink, from, length);
                expectedEvents.add(String.format("tagged %08x control %02x", sink.stag(), control));
                cut(message, SINK_BASE + from);
            } else {
                int queue = random.nextInt(DdpSegment.QUEUES);
                int rsvdUlp = random.nextInt();
                message.untagged(control, rsvdUlp, queue);
                post(queue, length + random.nextInt(10));
                expectedSends.add(content);
                expectedEvents.add(String.format(
                        "untagged queue %d MSN %s control %02x rsvd %08x length %d",
                        queue, Integer.toUnsignedString(msn[queue]), control, rsvdUlp, length));
                cut(message, 0);
                msn[queue]++;
            }
        }

        private void fill(DdpMessage message, byte[] content) {
            if (content.length > 0 && random.nextBoolean()) {
                int before = random.nextInt(100);
                MemoryRegion source = region(before + content.length + random.nextInt(100), 0);
                source.setBytes(before, Unpooled.wrappedBuffer(content));
                message.payload().cover(source.slice(before, content.length));
            } else {
                message.payload().wrap(Unpooled.wrappedBuffer(content), 0, content.length);
            }
        }

        private void post(int queue, int room) {
            if (room > 0 && random.nextBoolean()) {
                UntaggedBuffer buffer = new UntaggedBuffer();
                buffer.sink().cover(region(room, 0).slice(0, room));
                peer.ulp.post(queue, buffer);
            } else {
                peer.ulp.post(queue, room);
            }
        }

        private void cut(DdpMessage message, long firstOffset) {
            long length = message.payload().length();
            long offset = 0;
            Ulpdu ulpdu = new Ulpdu();
            Ulpdus.send(buffer, message);
            while (buffer.sendable()) {
                int mulpdu = 128 + random.nextInt(mulpduRange);
                buffer.cut(ulpdu, mulpdu);
                byte[] bytes = Ulpdus.bytes(ulpdu);
                DdpSegment segment = Ulpdus.segment(bytes);
                long left = length - offset;
                assertThat((long) segment.payloadLength()).isEqualTo(Math.min(left, mulpdu - segment.headerLength()));
                assertThat(segment.last()).isEqualTo(left == segment.payloadLength());
                assertHeader(segment, message, firstOffset + offset);
                offset += segment.payloadLength();
                peer.receives(bytes);
            }
            assertThat(offset).isEqualTo(length);
        }

        private void assertHeader(DdpSegment segment, DdpMessage message, long offset) {
            assertThat(segment.tagged()).isEqualTo(message.tagged());
            assertThat(segment.control()).isEqualTo(message.control());
            if (message.tagged()) {
                assertThat(segment.stag()).isEqualTo(message.stag());
                assertThat(segment.taggedOffset()).isEqualTo(offset);
            } else {
                assertThat(segment.rsvdUlp()).isEqualTo(message.rsvdUlp());
                assertThat(segment.queueNumber()).isEqualTo(message.queueNumber());
                assertThat(segment.msn()).isEqualTo(msn[message.queueNumber()]);
                assertThat(segment.messageOffset()).isEqualTo(offset);
            }
        }

        @Override
        public void close() {
            buffer.releaseCopy();
            peer.close();
        }
    }
}
