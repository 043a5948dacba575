package io.iwarp.verbs;

import static io.iwarp.verbs.Loopback.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.ConnectionClosedException;
import io.iwarp.Counter;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.testing.Requirement;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two stacks over TCP loopback, seen through the verbs. */
class QueuePairTest {
    private final Loopback loopback = new Loopback();
    private final ProtectionDomain domain = ProtectionDomain.create();

    @AfterEach
    void release() throws Exception {
        loopback.close();
        domain.close();
    }

    private static ByteBuf text(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
    }

    private static ByteBuf random(int length, long seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return Unpooled.directBuffer(length).writeBytes(bytes);
    }

    private static QueuePairSettings with(boolean markers, boolean crc) {
        return QueuePairSettings.builder()
                .mpa(MpaSettings.builder().requestMarkers(markers).crc(crc).build())
                .build();
    }

    @ParameterizedTest
    @CsvSource({
        "false,true,false,true",
        "true,true,true,true",
        "true,true,false,true",
        "false,true,true,false",
        "false,false,false,false",
        "true,false,true,false"
    })
    @Requirement({
        "MPA-16",
        "MPA-35",
        "MPA-36",
        "MPA-56",
        "RDMAP-1",
        "RDMAP-36",
        "RDMAP-62",
        "DDP-26",
        "DDP-27",
        "DDP-41"
    })
    void aWriteIsInPlaceWhenTheSendBehindItArrives(
            boolean initiatorMarkers, boolean initiatorCrc, boolean responderMarkers, boolean responderCrc)
            throws Exception {
        int length = 1_000_001;
        ByteBuf source = random(length, 1);
        MemoryRegion region = domain.region()
                .allocate(UnpooledByteBufAllocator.DEFAULT, length)
                .baseTaggedOffset(0xffff_ffff_0000_0000L)
                .rights(AccessRight.REMOTE_WRITE)
                .register();
        ByteBuf sink = Unpooled.directBuffer(16, 16);
        CompletableFuture<Boolean> equal = new CompletableFuture<>();
        SocketAddress address = loopback.accept(domain, with(responderMarkers, responderCrc), queuePair -> {
            queuePair.setCompletionListener((qp, completion) -> {
                ByteBuf placed = region.view(0, length);
                equal.complete(completion.successful() && placed.equals(source));
                placed.release();
            });
            queuePair.receiveQueue().receive(7, sink);
        });
        QueuePair initiator = loopback.connect(address, domain, with(initiatorMarkers, initiatorCrc), qp -> {});
        CompletableFuture<Completion> written = initiator.write(source, region.remoteBuffer());
        ByteBuf done = text("done");
        CompletableFuture<Completion> sent = initiator.send(done);
        assertThat(await(equal)).isTrue();
        assertThat(await(written).bytes()).isEqualTo(length);
        assertThat(await(sent).bytes()).isEqualTo(4);
        assertThat(sink.toString(StandardCharsets.UTF_8)).isEqualTo("done");
        assertThat(initiator.counters().get(Counter.MARKERS_SENT) > 0).isEqualTo(responderMarkers);
        initiator.close();
        await(initiator.closed());
        await(loopback.nextAccepted().closed());
        region.close();
        for (ByteBuf buffer : new ByteBuf[] {source, sink, done}) {
            assertThat(buffer.release()).isTrue();
        }
    }

    @Test
    @Requirement({"RDMAP-13", "RDMAP-33", "RDMAP-34", "RDMAP-36", "RDMAP-66", "RDMAP-68", "DDP-33", "DDP-36"})
    void messagesArriveInOrderEachInItsReceiveAndEmptyOnesToo() throws Exception {
        int count = 500;
        List<ByteBuf> sinks = new ArrayList<>();
        List<Long> received = new ArrayList<>();
        CompletableFuture<Void> all = new CompletableFuture<>();
        QueuePairSettings deep = QueuePairSettings.builder()
                .receiveQueueDepth(count)
                .sendQueueDepth(count)
                .build();
        SocketAddress address = loopback.accept(domain, deep, queuePair -> {
            queuePair.setCompletionListener((qp, completion) -> {
                if (completion.successful()) {
                    received.add(completion.workRequestId() << 32 | completion.bytes());
                    if (received.size() == count) {
                        all.complete(null);
                    }
                }
            });
            for (int i = 0; i < count; i++) {
                ByteBuf sink = Unpooled.directBuffer(count, count);
                sinks.add(sink);
                queuePair.receiveQueue().receive(i, sink);
            }
        });
        List<Long> sent = new ArrayList<>();
        QueuePair initiator = loopback.connect(
                address,
                domain,
                deep,
                qp -> qp.setCompletionListener((same, completion) -> sent.add(completion.workRequestId())));
        ByteBuf message = random(count, 2);
        for (int i = 0; i < count; i++) {
            initiator.sendQueue().send(i, message.slice(0, i));
        }
        await(all);
        initiator.close();
        await(initiator.closed());
        for (int i = 0; i < count; i++) {
            assertThat(received.get(i)).isEqualTo((long) i << 32 | i);
            assertThat(sent.get(i)).isEqualTo(i);
            assertThat(sinks.get(i)).isEqualTo(message.slice(0, i));
        }
        message.release();
        sinks.forEach(ByteBuf::release);
    }

    @Test
    void postingBeyondTheDepthFailsAtTheCall() throws Exception {
        QueuePairSettings shallow = QueuePairSettings.builder()
                .sendQueueDepth(2)
                .receiveQueueDepth(3)
                .build();
        ByteBuf sink = Unpooled.directBuffer(8, 8);
        SocketAddress address = loopback.accept(domain, shallow, queuePair -> {
            queuePair.setCompletionListener((qp, completion) -> {});
            queuePair.sendQueue().send(1, Unpooled.EMPTY_BUFFER);
            queuePair.sendQueue().send(2, Unpooled.EMPTY_BUFFER);
            assertThatThrownBy(() -> queuePair.sendQueue().send(3, sink))
                    .isInstanceOf(QueueFullException.class)
                    .hasMessageContaining("sendQueueDepth: 2");
            queuePair.receiveQueue().receive(1, sink);
            queuePair.receiveQueue().receive(2, sink);
            queuePair.receiveQueue().receive(3, sink);
            assertThatThrownBy(() -> queuePair.receiveQueue().receive(4, sink))
                    .isInstanceOf(QueueFullException.class)
                    .hasMessageContaining("receiveQueueDepth: 3");
        });
        QueuePair initiator = loopback.connect(address, domain, shallow, qp -> {});
        assertThatThrownBy(() -> initiator.sendQueue().send(1, Unpooled.EMPTY_BUFFER))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("completion listener");
        initiator.abort();
        await(initiator.closed());
        initiator.setCompletionListener((qp, completion) -> {});
        assertThatThrownBy(() -> initiator.sendQueue().send(1, Unpooled.EMPTY_BUFFER))
                .isInstanceOf(ConnectionClosedException.class)
                .hasMessageContaining("aborted by the application");
        assertThat(initiator.send(Unpooled.EMPTY_BUFFER))
                .failsWithin(Duration.ofMinutes(1))
                .withThrowableThat()
                .withCauseInstanceOf(ConnectionClosedException.class);
        await(loopback.nextAccepted().closed());
        assertThat(sink.refCnt()).isOne();
        sink.release();
    }

    @Test
    @Requirement("RDMAP-12")
    void aWriteIsNotReportedToItsTarget() throws Exception {
        MemoryRegion target = domain.region()
                .allocate(UnpooledByteBufAllocator.DEFAULT, 8)
                .rights(AccessRight.REMOTE_WRITE)
                .register();
        ByteBuf sink = Unpooled.directBuffer(8, 8);
        List<String> reported = new ArrayList<>();
        SocketAddress address = loopback.accept(domain, QueuePairSettings.DEFAULT, queuePair -> {
            queuePair.setCompletionListener((qp, completion) -> reported.add(completion.toString()));
            queuePair.receiveQueue().receive(1, sink);
        });
        QueuePair initiator = loopback.connect(address, domain, QueuePairSettings.DEFAULT, qp -> {});
        ByteBuf eight = random(8, 3);
        await(initiator.write(eight, target.remoteBuffer()));
        await(initiator.send(eight));
        initiator.close();
        await(loopback.nextAccepted().closed());
        assertThat(reported).containsExactly("RECEIVE 1, 8 bytes");
        assertThat(sink).isEqualTo(eight);
        target.close();
        eight.release();
        sink.release();
    }

    @Test
    @Requirement("RDMAP-71")
    void bytesThatAreNoRdmaMessageAreRefused() throws Exception {
        SocketAddress address = loopback.accept(domain, QueuePairSettings.DEFAULT, qp -> {});
        QueuePair initiator = loopback.connect(address, domain, QueuePairSettings.DEFAULT, qp -> {});
        ByteBuf raw = text("raw");
        assertThat(initiator.channel().writeAndFlush(raw).await().cause())
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("post it as an operation");
        assertThat(raw.refCnt()).isZero();
        initiator.close();
        await(initiator.closed());
    }
}
