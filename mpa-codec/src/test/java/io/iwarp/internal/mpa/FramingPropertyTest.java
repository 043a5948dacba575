package io.iwarp.internal.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.testing.Requirement;
import io.iwarp.testing.Seeds;
import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Two framing handlers with a hostile network between them. */
class FramingPropertyTest {

    private static final int BURSTS = 5;

    @ParameterizedTest
    @CsvSource({"true,true", "true,false", "false,true", "false,false"})
    @Requirement({"MPA-1", "MPA-7", "MPA-29", "MPA-36", "MPA-48", "MPA-49"})
    void whatGoesInComesOutWhateverTheCuts(boolean crc, boolean markers) {
        Seeds.forEach(3, (seed, random) -> sendAndReceive(crc, markers, random));
    }

    private static void sendAndReceive(boolean crc, boolean markers, Random random) {
        FramingChannel sender = FramingChannel.initiator(crc, markers);
        FramingChannel receiver = FramingChannel.responder(crc, markers);
        List<byte[]> sent = new ArrayList<>();
        for (int round = 0; round < BURSTS; round++) {
            int burst = 1 + random.nextInt(20);
            for (int i = 0; i < burst; i++) {
                byte[] bytes = FpduEncoderTest.randomUlpdu(random);
                write(sender, bytes, random);
                sent.add(bytes);
            }
            sender.channel.flush();
            deliver(sender.sent(), receiver, random);
        }

        assertThat(receiver.ulpdus()).containsExactlyElementsOf(sent);
        assertThat(receiver.seen(MpaEvent.Fault.class)).isEmpty();
        assertThat(sender.finish()).isFalse();
        assertThat(receiver.finish()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Requirement({"MPA-39", "MPA-40", "MPA-88"})
    void aFlippedBitStopsTheStreamAtItsFpdu(boolean markers) {
        Seeds.forEach(40, (seed, random) -> flipOneBit(markers, random));
    }

    private static void flipOneBit(boolean markers, Random random) {
        ReferenceFramer peer = new ReferenceFramer(true, markers);
        FramingChannel receiver = FramingChannel.responder(true, markers);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        List<byte[]> good = new ArrayList<>();
        List<Integer> ends = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            byte[] bytes = new byte[random.nextInt(700)];
            random.nextBytes(bytes);
            good.add(bytes);
            all.writeBytes(peer.frame(bytes));
            ends.add(all.size());
        }
        byte[] wire = all.toByteArray();
        int flipped = random.nextInt(wire.length * 8);
        wire[flipped / 8] ^= (byte) (0x80 >>> flipped % 8);
        long intact = ends.stream().filter(end -> end <= flipped / 8).count();
        deliver(wire, receiver, random);
        receiver.channel.pipeline().fireChannelInactive();

        assertThat(receiver.ulpdus()).containsExactlyElementsOf(good.subList(0, (int) intact));
        assertThat(receiver.seen(MpaEvent.Fault.class)).hasSize(1);
        assertThat(receiver.finish()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"true,true", "true,false", "false,true", "false,false"})
    void garbageCausesAtMostAFault(boolean crc, boolean markers) {
        Seeds.forEach(40, (seed, random) -> feedGarbage(crc, markers, random));
    }

    private static void feedGarbage(boolean crc, boolean markers, Random random) {
        FramingChannel receiver = FramingChannel.responder(crc, markers);
        byte[] garbage = new byte[random.nextInt(3000)];
        random.nextBytes(garbage);
        if (random.nextBoolean()) {
            // Short lengths, so that more than the first FPDU is looked at.
            for (int i = 0; i < garbage.length; i++) {
                garbage[i] = random.nextInt(4) == 0 ? garbage[i] : 0;
            }
        }
        deliver(garbage, receiver, random);
        receiver.channel.pipeline().fireChannelInactive();

        assertThat(receiver.seen(Throwable.class)).isEmpty();
        assertThat(receiver.seen(MpaEvent.Fault.class).size()).isLessThanOrEqualTo(1);
        assertThat(receiver.finish()).isFalse();
    }

    private static void write(FramingChannel sender, byte[] bytes, Random random) {
        int headerLength = Math.min(bytes.length, random.nextInt(60));
        int payloadLength = bytes.length - headerLength;
        EmbeddedChannel channel = sender.channel;
        ByteBuf payload = random.nextBoolean()
                ? channel.alloc().directBuffer(payloadLength + 1)
                : channel.alloc().heapBuffer(payloadLength + 1);
        payload.writeByte(0).writeBytes(bytes, headerLength, payloadLength);
        sender.outgoing.header().clear().writeBytes(bytes, 0, headerLength);
        sender.outgoing.payload(payload, 1, payloadLength);
        if (random.nextInt(4) == 0) {
            channel.write(sender.outgoing);
        } else {
            channel.write(sender.outgoing, channel.voidPromise());
        }
        payload.release();
    }

    /** Cuts anywhere: single bytes now and then, mostly pieces of some size, sometimes all at once. */
    private static void deliver(byte[] wire, FramingChannel receiver, Random random) {
        int bound = switch (random.nextInt(4)) {
            case 0 -> wire.length < 3000 ? 1 : 50;
            case 1 -> 600;
            case 2 -> 70_000;
            default -> Math.max(1, wire.length);
        };
        int from = 0;
        while (from < wire.length) {
            int to = Math.min(wire.length, from + 1 + random.nextInt(bound));
            receiver.receive(Arrays.copyOfRange(wire, from, to));
            from = to;
        }
    }
}
