package io.iwarp.ddp;

import io.iwarp.internal.ConnectionCounters;
import io.iwarp.internal.memory.StreamAssociation;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.testing.Segment;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A receiver with a protection domain of its own, memory to place into, and a ULP that writes everything down. */
final class ReceiverFixture implements AutoCloseable {
    static final Duration MESSAGE_TIMEOUT = Duration.ofSeconds(10);

    private final List<Runnable> closers = new ArrayList<>();
    final ProtectionDomain domain = ProtectionDomain.create();
    final StreamAssociation stream = StreamAssociation.open(domain);
    final RecordingUlp ulp = new RecordingUlp();
    final ConnectionCounters counters = new ConnectionCounters();
    final EmbeddedChannel loop = new EmbeddedChannel();
    final DdpReceiver receiver;

    ReceiverFixture() {
        this(DdpSegment.FIRST_MSN);
    }

    ReceiverFixture(int firstMsn) {
        receiver = new DdpReceiver(stream, ulp, counters, MESSAGE_TIMEOUT, firstMsn);
        receiver.start(loop.eventLoop());
    }

    /** Registers memory of zeros that the peer may write. */
    MemoryRegion region(int length, long base) {
        return region(domain, length, base, AccessRight.REMOTE_WRITE);
    }

    MemoryRegion region(ProtectionDomain owner, int length, long base, AccessRight... rights) {
        return keep(owner.region()
                .allocate(ByteBufAllocator.DEFAULT, length)
                .baseTaggedOffset(base)
                .rights(rights)
                .register());
    }

    ProtectionDomain otherDomain() {
        ProtectionDomain other = domain.device().createProtectionDomain();
        closers.add(0, other::close);
        return other;
    }

    StreamAssociation otherStream() {
        StreamAssociation other = StreamAssociation.open(domain);
        closers.add(0, other::close);
        return other;
    }

    MemoryRegion keep(MemoryRegion region) {
        closers.add(0, region::close);
        return region;
    }

    void receives(Segment segment) {
        receives(segment.ulpdu());
    }

    /** Hands over a ULPDU with other bytes around it, as it lies in the input. */
    void receives(byte[] ulpdu) {
        var unused = takes(ulpdu);
    }

    /** Returns whether the receiver has taken the segment; otherwise it is held back. */
    boolean takes(Segment segment) {
        return takes(segment.ulpdu());
    }

    private boolean takes(byte[] ulpdu) {
        ByteBuf input = Unpooled.buffer().writeZero(5).writeBytes(ulpdu).writeZero(5);
        return receiver.receive(input, 5, ulpdu.length);
    }

    static byte[] contentOf(MemoryRegion region) {
        ByteBuf view = region.view(0, region.length());
        byte[] content = ByteBufUtil.getBytes(view);
        view.release();
        return content;
    }

    @Override
    public void close() {
        closers.forEach(Runnable::run);
        stream.close();
        domain.close();
    }
}
