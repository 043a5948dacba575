package io.iwarp.ddp;

import io.iwarp.Counters;
import io.iwarp.ProtocolFault;
import io.iwarp.memory.StreamAssociation;
import io.iwarp.mpa.Ulpdu;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/** The segmenter and the receiver of DDP without a channel, for tests of the layer above. */
public final class DdpEnd {
    private final DdpSegmenter segmenter = new DdpSegmenter(ByteBufAllocator.DEFAULT);
    private final DdpReceiver receiver;

    public DdpEnd(StreamAssociation association, DdpUlp ulp, Counters counters) {
        this.receiver = new DdpReceiver(association, ulp, counters);
    }

    public boolean receive(ByteBuf ulpdu) {
        return receiver.receive(ulpdu, 0, ulpdu.readableBytes());
    }

    public void endBurst() {
        receiver.endBurst();
    }

    public void peerClosedHalf() {
        receiver.peerClosedHalf();
    }

    public void fail(ProtocolFault fault) {
        receiver.fail(fault);
    }

    public void silence() {
        receiver.silence();
    }

    public void begin(DdpMessage message) {
        segmenter.begin(message);
    }

    public boolean cut(Ulpdu ulpdu, int mulpdu) {
        return segmenter.cut(ulpdu, mulpdu);
    }

    public long bytesCut() {
        return segmenter.bytesCut();
    }

    public boolean busy() {
        return segmenter.busy();
    }

    public void abandon() {
        segmenter.abandon();
    }

    public void release() {
        segmenter.release();
    }
}
