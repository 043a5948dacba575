package io.iwarp.ddp;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.iwarp.internal.ByteBudget;
import io.iwarp.internal.SendReservation;
import io.iwarp.internal.memory.TaggedBuffer;
import io.iwarp.internal.mpa.MpaEvent;
import io.iwarp.internal.mpa.Ulpdu;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.testing.Segment;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.lang.management.ManagementFactory;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The steady path allocates nothing for each segment. */
class AllocationTest {
    private static final int SEGMENTS = 20_000;
    /** What the measurement itself and the virtual machine may need once. */
    private static final long SLACK = 20_000;

    /** Leak detection would record each access. */
    private static final ByteBufAllocator WITHOUT_LEAK_DETECTION = new UnpooledByteBufAllocator(true, true);

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Test
    void cuttingASegmentAllocatesNothing() {
        DdpMessage message = DdpChannel.message(new byte[100 * SEGMENTS]);
        SendBuffer buffer = Ulpdus.buffer();
        Ulpdu ulpdu = new Ulpdu();

        assertThat(allocatedBy(() -> {
                    Ulpdus.send(buffer, message);
                    while (buffer.sendable()) {
                        buffer.cut(ulpdu, 128);
                    }
                }))
                .isLessThan(SLACK);
    }

    @Test
    void cuttingShortMessagesFromASourceAllocatesNothing() {
        try (ReceiverFixture peer = new ReceiverFixture()) {
            int stag = peer.region(peer.domain, 64, 0, AccessRight.REMOTE_READ).stag();
            TaggedBuffer source = Objects.requireNonNull(peer.stream.lookup(stag));
            DdpMessage message = new DdpMessage().tagged(0x42, 1, 0);
            SendBuffer buffer = new SendBuffer(
                    WITHOUT_LEAK_DETECTION, DdpHandler.DEFAULT_TRANSMIT_WINDOW, new SendReservation(new ByteBudget(0)));
            Ulpdu ulpdu = new Ulpdu();

            assertThat(allocatedBy(() -> {
                        for (int i = 0; i < SEGMENTS; i++) {
                            Ulpdus.send(buffer, message.source(source, 0, 1 + i % 64));
                            buffer.cut(ulpdu, 128);
                            Ulpdus.take(buffer);
                        }
                    }))
                    .isLessThan(SLACK);
            buffer.releaseCopy();
        }
    }

    @Test
    void shortMessagesFromASourceAllocatePerBurst() {
        try (DdpChannel ddp = new DdpChannel(DdpHandler.DEFAULT_TRANSMIT_WINDOW, WITHOUT_LEAK_DETECTION).ready()) {
            MemoryRegion region = ddp.domain
                    .region()
                    .allocate(ByteBufAllocator.DEFAULT, 64)
                    .rights(AccessRight.REMOTE_READ)
                    .register();
            TaggedBuffer buffer = Objects.requireNonNull(ddp.stream.lookup(region.stag()));
            ddp.transport.takesOnFlush = true;
            ddp.transport.keepsBytes = false;
            ddp.ulp.records = false;
            DdpMessage[] messages = new DdpMessage[1000];
            for (int i = 0; i < messages.length; i++) {
                messages[i] = new DdpMessage().tagged(0x42, 1, 0).source(buffer, 0, 1 + i % 64);
            }

            long allocated = allocatedBy(() -> {
                for (int round = 0; round < SEGMENTS / messages.length; round++) {
                    for (DdpMessage message : messages) {
                        ddp.write(message);
                    }
                    ddp.flush();
                    ddp.channel.runPendingTasks();
                }
            });

            assertThat(ddp.transport.segments).isEqualTo(2 * SEGMENTS);
            assertThat(allocated).isLessThan(4L * SEGMENTS);
            region.close();
        }
    }

    @Test
    void placingAnUntaggedSegmentAllocatesNothing() {
        try (ReceiverFixture peer = new ReceiverFixture()) {
            peer.ulp.post(0, 100);
            byte[] bytes =
                    Segment.untagged(0, 1).last(false).payload(new byte[100]).ulpdu();
            ByteBuf ulpdu = Unpooled.wrappedBuffer(bytes);

            assertThat(allocatedBy(() -> {
                        for (int i = 0; i < SEGMENTS; i++) {
                            peer.receiver.receive(ulpdu, 0, bytes.length);
                        }
                    }))
                    .isLessThan(SLACK);
            assertThat(peer.ulp.faults).isEmpty();
        }
    }

    @Test
    void placingATaggedSegmentAllocatesNothing() {
        try (ReceiverFixture peer = new ReceiverFixture()) {
            int stag = peer.region(100, 0).stag();
            byte[] bytes =
                    Segment.tagged(stag, 0).last(false).payload(new byte[100]).ulpdu();
            ByteBuf ulpdu = Unpooled.wrappedBuffer(bytes);

            assertThat(allocatedBy(() -> {
                        for (int i = 0; i < SEGMENTS; i++) {
                            peer.receiver.receive(ulpdu, 0, bytes.length);
                        }
                    }))
                    .isLessThan(SLACK);
            assertThat(peer.ulp.faults).isEmpty();
        }
    }

    @Test
    void sendingALongMessageAllocatesForEachBurstAndNotForEachSegment() {
        try (DdpChannel ddp = new DdpChannel()) {
            ddp.transport.takesOnFlush = true;
            ddp.transport.keepsBytes = false;
            ddp.established(128);
            ddp.fire(new MpaEvent.TransmitReady());
            DdpMessage message = DdpChannel.message(new byte[110 * SEGMENTS]);

            long allocated = allocatedBy(() -> {
                ddp.writeAndFlush(message);
                ddp.channel.runPendingTasks();
            });

            assertThat(ddp.transport.segments).isGreaterThanOrEqualTo(SEGMENTS);
            int bursts = 1 + ddp.transport.flushes;
            assertThat(allocated).isLessThan(SLACK + 2_000L * bursts).isLessThan(8L * SEGMENTS);
        }
    }

    /** Bytes that a second run allocates, when everything has been loaded and grown by a first. */
    private long allocatedBy(Runnable work) {
        work.run();
        long before = threads.getCurrentThreadAllocatedBytes();
        work.run();
        return threads.getCurrentThreadAllocatedBytes() - before;
    }
}
