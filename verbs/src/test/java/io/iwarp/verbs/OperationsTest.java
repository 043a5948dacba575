package io.iwarp.verbs;

import static io.iwarp.verbs.Loopback.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.Operation;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.MemoryWindow;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.testing.Requirement;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.net.SocketAddress;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reads, atomics, Immediate Data and invalidation between two endpoints over real TCP. */
class OperationsTest {
    private static final int LENGTH = 1 << 20;

    private final Loopback loopback = new Loopback();
    private final ProtectionDomain domain = ProtectionDomain.create();
    private MemoryRegion remote;
    private QueuePair initiator;
    private QueuePair responder;
    private CompletableFuture<Completion> received;
    private final ByteBuf inbox = Unpooled.directBuffer(16, 16);

    @BeforeEach
    void connect() throws Exception {
        remote = domain.region()
                .allocate(UnpooledByteBufAllocator.DEFAULT, LENGTH)
                .rights(AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_ATOMIC)
                .register();
        CompletableFuture<CompletableFuture<Completion>> posted = new CompletableFuture<>();
        SocketAddress address =
                loopback.accept(domain, QueuePairSettings.DEFAULT, qp -> posted.complete(qp.receive(inbox)));
        initiator = loopback.connect(address, domain, QueuePairSettings.DEFAULT, qp -> {});
        responder = loopback.nextAccepted();
        received = await(posted);
    }

    @AfterEach
    void close() throws Exception {
        initiator.close();
        await(initiator.closed());
        await(responder.closed());
        loopback.close();
        remote.close();
        domain.close();
        assertThat(inbox.refCnt()).isOne();
        inbox.release();
    }

    @Test
    @Requirement({"RDMAP-17", "RDMAP-22", "RDMAP-30", "RDMAP-32"})
    void aReadBringsTheBytesOfThePeer() throws Exception {
        ByteBuf pattern = Unpooled.buffer(LENGTH);
        for (int i = 0; i < LENGTH / 4; i++) {
            pattern.writeInt(i * 0x9e3779b9);
        }
        remote.setBytes(0, pattern.duplicate());
        ByteBuf sink = Unpooled.directBuffer(LENGTH, LENGTH);
        Completion read = await(initiator.read(sink, remote.remoteBuffer()));
        assertThat(read.operation()).isEqualTo(Operation.READ);
        assertThat(read.bytes()).isEqualTo(LENGTH);
        assertThat(sink).isEqualTo(pattern);
        assertThat(sink.refCnt()).isOne();
        assertThat(domain.device().regionCount())
                .as("the sink is registered no longer")
                .isOne();
        sink.clear();
        try (MemoryRegion region = domain.register(sink, AccessRight.LOCAL_WRITE)) {
            assertThat(await(initiator.read(region.slice(100, 1000), remote.remoteBuffer(7, 1000)))
                            .bytes())
                    .isEqualTo(1000);
        }
        assertThat(sink.slice(100, 1000)).isEqualTo(pattern.slice(7, 1000));
        assertThat(await(initiator.read(sink, new RemoteBuffer(0, 0, 0))).bytes())
                .isZero();
        sink.release();
    }

    @Test
    @Requirement({"EXT-3", "EXT-27"})
    void atomicsChangeTheNumberOfThePeerAndBringTheOldOne() throws Exception {
        RemoteBuffer number = remote.remoteBuffer(64, 8);
        assertThat(await(initiator.fetchAdd(number, 5))).isZero();
        assertThat(await(initiator.fetchAdd(number, -2))).isEqualTo(5);
        assertThat(await(initiator.compareSwap(number, 4, 9))).isEqualTo(3);
        assertThat(await(initiator.compareSwap(number, 3, 9))).isEqualTo(3);
        assertThat(remote.getVolatile(64)).isEqualTo(9);
    }

    @Test
    @Requirement({"EXT-28", "EXT-30", "EXT-31", "RDMAP-37"})
    void immediateDataTellsThePeerThatTheWriteIsInPlace() throws Exception {
        ByteBuf bytes = Unpooled.copyInt(0xcafebabe);
        Completion sent = await(initiator.writeWithImmediate(
                bytes, remote.remoteBuffer(), new ImmediateData(0x1122334455667788L), PostOptions.SOLICITED));
        assertThat(sent.bytes()).isEqualTo(4);
        Completion taken = await(received);
        assertThat(taken.hasImmediate()).isTrue();
        assertThat(taken.immediate()).isEqualTo(0x1122334455667788L);
        assertThat(taken.solicited()).isTrue();
        assertThat(taken.bytes()).isZero();
        assertThat(inbox.writerIndex()).isZero();
        ByteBuf placed = Unpooled.buffer(4);
        remote.getBytes(0, placed, 4);
        assertThat(placed.getInt(0)).isEqualTo(0xcafebabe);
    }

    @Test
    @Requirement({"RDMAP-38", "RDMAP-40"})
    void aWindowEndsWhenThePeerTakesItBackWithItsSend() throws Exception {
        MemoryWindow window =
                responder.window(remote, 0, 16).rights(AccessRight.REMOTE_READ).bind();
        ByteBuf sink = Unpooled.directBuffer(16, 16);
        await(initiator.read(sink, window.remoteBuffer()));
        sink.release();
        await(initiator.sendWithInvalidate(Unpooled.copyInt(7), window.remoteBuffer()));
        Completion taken = await(received);
        assertThat(taken.invalidatedStag()).isEqualTo(window.stag());
        assertThat(taken.invalidatedWindow()).isSameAs(window);
        assertThat(taken.bytes()).isEqualTo(4);
        assertThat(window.isValid()).isFalse();
        assertThat(remote.isValid()).isTrue();
    }
}
