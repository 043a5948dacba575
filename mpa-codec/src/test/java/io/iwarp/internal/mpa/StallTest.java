package io.iwarp.internal.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.Role;
import io.iwarp.internal.ConnectionCounters;
import io.iwarp.internal.InputBudget;
import io.iwarp.internal.mpa.FpduDecoder.Result;
import io.iwarp.memory.IwarpDevice;
import io.iwarp.mpa.MpaSettings;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A receiver that cannot take a ULPDU now. */
class StallTest {
    private static final int MAX = 2_000;

    private final FramingChannel mpa = FramingChannel.initiator(true, true);
    private final ReferenceFramer peer = new ReferenceFramer(true, true);
    private final List<byte[]> taken = new ArrayList<>();
    private boolean full;

    @AfterEach
    void nothingIsLeft() {
        assertThat(mpa.finish()).isFalse();
    }

    private void takeUnlessFull() {
        mpa.onUlpdu = (buffer, index, length) -> {
            if (!full) {
                taken.add((byte[]) mpa.seen.get(mpa.seen.size() - 1));
            }
            return !full;
        };
    }

    private static byte[] concatenate(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    private boolean autoRead() {
        return mpa.channel.config().isAutoRead();
    }

    /** Pieces of any size come, also during a pause; the receiver is full at random, and at random asks for more. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void everyUlpduIsTakenOnceAndInOrder(long seed) {
        Random random = new Random(seed);
        takeUnlessFull();
        List<byte[]> ulpdus = new ArrayList<>();
        ByteArrayOutputStream wire = new ByteArrayOutputStream();
        for (int i = 0; i < 100; i++) {
            byte[] ulpdu = new byte[random.nextInt(MAX)];
            random.nextBytes(ulpdu);
            ulpdus.add(ulpdu);
            wire.writeBytes(peer.frame(ulpdu));
        }
        byte[] bytes = wire.toByteArray();
        for (int from = 0; from < bytes.length; ) {
            int to = Math.min(bytes.length, from + 1 + random.nextInt(2 * MAX));
            full = random.nextInt(3) > 0;
            mpa.receive(Arrays.copyOfRange(bytes, from, to));
            from = to;
            full = random.nextBoolean();
            mpa.channel.read();
        }
        full = false;
        mpa.channel.read();
        assertThat(taken).as("seed %s", seed).containsExactlyElementsOf(ulpdus);
        assertThat(autoRead()).isTrue();
    }

    @Test
    void theTransportIsNotReadDuringThePauseAndThePeersCloseWaits() {
        takeUnlessFull();
        full = true;
        mpa.receive(peer.frame(new byte[1]));
        assertThat(autoRead()).isFalse();
        mpa.receive(peer.frame(new byte[2]));
        mpa.channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        mpa.channel.read();
        assertThat(taken).isEmpty();
        assertThat(autoRead()).isFalse();
        assertThat(mpa.seen(MpaEvent.InputShutdown.class)).isEmpty();
        full = false;
        mpa.channel.read();
        assertThat(taken).extracting(ulpdu -> ulpdu.length).containsExactly(1, 2);
        assertThat(mpa.seen(MpaEvent.InputShutdown.class)).hasSize(1);
        assertThat(mpa.seen(MpaEvent.Fault.class)).isEmpty();
        assertThat(autoRead()).isTrue();
    }

    @Test
    void manualReadsStayManual() {
        takeUnlessFull();
        mpa.channel.config().setAutoRead(false);
        full = true;
        mpa.receive(peer.frame(new byte[1]));
        full = false;
        mpa.channel.read();
        assertThat(taken).hasSize(1);
        assertThat(autoRead()).isFalse();
    }

    @Test
    void aConnectionThatEndsDuringThePauseLeavesNothing() {
        takeUnlessFull();
        full = true;
        mpa.receive(peer.frame(new byte[1]));
        mpa.receive(Arrays.copyOf(peer.frame(new byte[MAX]), MAX));
        mpa.close();
        mpa.channel.read();
        assertThat(taken).isEmpty();
        assertThat(mpa.seen(MpaEvent.Fault.class)).isEmpty();
    }

    private FramingChannel stalling(IwarpDevice device, boolean markers) {
        FramingChannel end = new FramingChannel(MpaSettings.DEFAULT, TcpSegmentSize::of, device)
                .establish(Role.RESPONDER, true, false, markers);
        end.onUlpdu = (buffer, index, length) -> {
            if (!full) {
                taken.add((byte[]) end.seen.get(end.seen.size() - 1));
            }
            return !full;
        };
        return end;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void stallCopiesInputAndReleasesReadBuffers(boolean markers) {
        IwarpDevice device = IwarpDevice.create();
        FramingChannel end = stalling(device, markers);
        ReferenceFramer sender = new ReferenceFramer(true, markers);
        full = true;
        byte[] all = concatenate(sender.frame(new byte[700]), sender.frame(new byte[800]), sender.frame(new byte[900]));
        int cut = all.length - 500;
        ByteBuf first = Unpooled.directBuffer(256 * 1024).writeBytes(all, 0, cut);
        ByteBuf second = Unpooled.directBuffer(256 * 1024).writeBytes(all, cut, 500);

        end.channel.writeInbound(first);
        assertThat(first.refCnt()).isZero();
        assertThat(device.partialFpduBytes()).isBetween(cut - 100L, (long) cut);
        end.channel.writeInbound(second);
        assertThat(second.refCnt()).isZero();
        assertThat(device.partialFpduBytes()).isBetween(all.length - 100L, (long) all.length);
        end.channel.read();
        assertThat(taken).isEmpty();

        full = false;
        end.channel.read();
        assertThat(taken).extracting(ulpdu -> ulpdu.length).containsExactly(700, 800, 900);
        assertThat(device.partialFpduBytes()).isZero();
        assertThat(end.finish()).isFalse();
        assertThat(mpa.seen(MpaEvent.Fault.class)).isEmpty();
    }

    /** Markers are removed by a copy. A stall keeps its own copy of that, and none of a ULPDU that was taken. */
    @Test
    void aLaterStallInTheSameBytesHoldsNoMoreThanItCounts() {
        UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
        InputBudget budget = new InputBudget(1 << 20);
        FpduInput input = new FpduInput(
                allocator, new FpduDecoder(allocator, true, true, new ConnectionCounters()), budget, () -> {});
        int[] lengths = {600, 700, 600, 8};
        int taken = 2;
        for (int length : lengths) {
            input.add(Unpooled.wrappedBuffer(peer.frame(new byte[length])));
        }
        for (int i = 0; i < lengths.length; i++) {
            assertThat(input.next()).isEqualTo(Result.FPDU);
            if (i != taken) {
                input.stall();
                assertThat(allocator.metric().usedDirectMemory()).isEqualTo(budget.reservedBytes());
            }
            int expected = lengths[i];
            assertThat(input.deliver((buffer, index, length) -> length == expected))
                    .isTrue();
        }
        input.release();
        assertThat(budget.reservedBytes()).isZero();
    }

    /** Under TLS one read comes in pieces, and each is added to what waits. */
    @Test
    void oneReadMayWaitAtTheSmallestLimit() {
        IwarpDevice device = IwarpDevice.builder().maxPartialFpduBytes(1 << 20).build();
        FramingChannel end = stalling(device, false);
        ReferenceFramer sender = new ReferenceFramer(true, false);
        byte[] first = sender.frame(new byte[64_000]);
        byte[] read = concatenate(
                sender.frame(new byte[64_000]),
                sender.frame(new byte[64_000]),
                sender.frame(new byte[64_000]),
                sender.frame(new byte[64_000]));
        full = true;
        end.receive(Arrays.copyOf(first, first.length - 1));
        end.receive(Arrays.copyOfRange(first, first.length - 1, first.length));
        int piece = 16 * 1024;
        for (int from = 0; from < read.length; from += piece) {
            end.receive(Arrays.copyOfRange(read, from, Math.min(read.length, from + piece)));
        }
        assertThat(end.seen(MpaEvent.Fault.class)).isEmpty();
        assertThat(device.partialFpduBytes()).isEqualTo(64_000 + read.length);

        full = false;
        end.channel.read();
        assertThat(taken).hasSize(5);
        assertThat(device.partialFpduBytes()).isZero();
        assertThat(end.finish()).isFalse();
    }

    @Test
    void aStallBeyondTheLimitKeepsWhatWasRead() {
        IwarpDevice device = IwarpDevice.builder().maxPartialFpduBytes(1 << 20).build();
        List<FramingChannel> ends = new ArrayList<>();
        full = true;
        for (int i = 0; i < 20; i++) {
            FramingChannel end = stalling(device, false);
            ends.add(end);
            ReferenceFramer sender = new ReferenceFramer(true, false);
            end.receive(concatenate(sender.frame(new byte[60_000]), sender.frame(new byte[60_000])));
        }
        assertThat(device.partialFpduBytes()).isBetween(20 * 120_000L, 20 * 120_100L);
        assertThat(ends)
                .allSatisfy(end -> assertThat(end.seen(MpaEvent.Fault.class)).isEmpty());
        full = false;
        for (FramingChannel end : ends) {
            end.channel.read();
        }
        assertThat(taken).hasSize(40);
        ends.forEach(FramingChannel::finish);
        assertThat(device.partialFpduBytes()).isZero();
    }
}
