package io.iwarp.verbs;

import static io.iwarp.verbs.Loopback.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.CloseReason;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.testing.Requirement;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Operations on memory go past the application that owns it. */
class SilentTargetTest {
    private final List<String> events = new CopyOnWriteArrayList<>();

    private void record(QueuePair queuePair) {
        queuePair.setCompletionListener((qp, completion) -> events.add(completion.toString()));
        queuePair.setListener(new QueuePairListener() {
            @Override
            public void onReady(QueuePair qp) {
                events.add("ready");
            }

            @Override
            public void onInputShutdown(QueuePair qp) {
                events.add("half closed");
            }

            @Override
            public void onClosed(QueuePair qp, CloseReason reason) {
                events.add("closed");
            }
        });
    }

    @Test
    @Requirement({"RDMAP-12", "RDMAP-19", "EXT-15"})
    void validWritesReadsAndAtomicsDoNotReachTheTargetsApplication() throws Exception {
        ByteBuf bytes = Unpooled.directBuffer(8, 8).writeLong(42);
        ByteBuf sink = Unpooled.directBuffer(8, 8);
        ByteBuf inbox = Unpooled.directBuffer(8, 8);
        ProtectionDomain domain = ProtectionDomain.create();
        try (Loopback loopback = new Loopback();
                MemoryRegion region = domain.region()
                        .allocate(UnpooledByteBufAllocator.DEFAULT, 8)
                        .rights(AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_ATOMIC)
                        .register()) {
            SocketAddress address = loopback.accept(domain, QueuePairSettings.DEFAULT, queuePair -> {
                record(queuePair);
                queuePair.receiveQueue().receive(1, inbox);
                queuePair.receiveQueue().receive(2, inbox);
            });
            QueuePair initiator = loopback.connect(address, domain, QueuePairSettings.DEFAULT, qp -> {});
            RemoteBuffer target = region.remoteBuffer();
            for (int i = 0; i < 10; i++) {
                await(initiator.write(bytes, target));
                await(initiator.read(sink.clear(), target));
                await(initiator.fetchAdd(target, 1));
                await(initiator.compareSwap(target, 1, 2));
                await(initiator.write(Unpooled.EMPTY_BUFFER, target));
                await(initiator.read(sink.clear().writerIndex(8), new RemoteBuffer(0, 0, 0)));
            }
            await(initiator.send(bytes.slice(0, 3)));
            initiator.close();
            await(initiator.closed());
            await(loopback.nextAccepted().closed());
            assertThat(events)
                    .hasSize(5)
                    .startsWith("ready", "RECEIVE 1, 3 bytes", "half closed")
                    .anyMatch(event -> event.startsWith("RECEIVE 2, flushed"))
                    .endsWith("closed");
        }
        domain.close();
        bytes.release();
        sink.release();
        inbox.release();
    }
}
