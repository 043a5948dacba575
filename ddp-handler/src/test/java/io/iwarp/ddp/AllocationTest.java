package io.iwarp.ddp;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.iwarp.mpa.MpaEvent;
import io.iwarp.mpa.Ulpdu;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** The steady path allocates nothing for each segment. */
class AllocationTest {
    private static final int SEGMENTS = 20_000;
    /** What the measurement itself and the virtual machine may need once. */
    private static final long SLACK = 20_000;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Test
    void cuttingASegmentAllocatesNothing() {
        DdpMessage message = DdpChannel.message(new byte[100 * SEGMENTS]);
        DdpSegmenter segmenter = new DdpSegmenter(ByteBufAllocator.DEFAULT);
        Ulpdu ulpdu = new Ulpdu();

        assertThat(allocatedBy(() -> {
                    segmenter.begin(message);
                    while (segmenter.busy()) {
                        segmenter.cut(ulpdu, 128);
                    }
                }))
                .isLessThan(SLACK);
    }

    @Test
    void placingAnUntaggedSegmentAllocatesNothing() {
        try (ReceiverFixture peer = new ReceiverFixture()) {
            peer.ulp.post(0, 100);
            byte[] octets =
                    Segment.untagged(0, 1).notLast().payload(new byte[100]).octets();
            ByteBuf ulpdu = Unpooled.wrappedBuffer(octets);

            assertThat(allocatedBy(() -> {
                        for (int i = 0; i < SEGMENTS; i++) {
                            peer.receiver.receive(ulpdu, 0, octets.length);
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
            byte[] octets =
                    Segment.tagged(stag, 0).notLast().payload(new byte[100]).octets();
            ByteBuf ulpdu = Unpooled.wrappedBuffer(octets);

            assertThat(allocatedBy(() -> {
                        for (int i = 0; i < SEGMENTS; i++) {
                            peer.receiver.receive(ulpdu, 0, octets.length);
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
            ddp.transport.keepsOctets = false;
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

    /** Octets that a second run allocates, when everything has been loaded and grown by a first. */
    private long allocatedBy(Runnable work) {
        work.run();
        long before = threads.getCurrentThreadAllocatedBytes();
        work.run();
        return threads.getCurrentThreadAllocatedBytes() - before;
    }
}
