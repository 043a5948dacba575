package io.iwarp.ddp;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.internal.memory.TaggedBuffer;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.testing.Requirement;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two streams over real TCP. */
class DdpLoopTest {
    private static final int MEBIBYTE = 1 << 20;

    private final TcpPair pair = new TcpPair();
    private final TcpPair.End initiator = pair.initiator;
    private final TcpPair.End responder = pair.responder;

    @AfterEach
    void close() {
        pair.close();
    }

    @Test
    @Requirement({"DDP-4", "DDP-8", "DDP-9", "DDP-26", "DDP-27", "DDP-43", "DDP-46", "DDP-47", "DDP-48"})
    void anOrderlyCloseLosesNothingInEitherDirection() {
        MemoryRegion sink = responder.region(4 * MEBIBYTE);
        ByteBuf content = ByteBufAllocator.DEFAULT.directBuffer(4 * MEBIBYTE, 4 * MEBIBYTE);
        byte[] bytes = new byte[content.capacity()];
        new Random(1).nextBytes(bytes);
        content.writeBytes(bytes);
        initiator.ulp.onAllSent = initiator::shutdownOutput;
        initiator.ulp.onHalfClosed = () -> initiator.channel().close();
        initiator.ulp.post(0, 16);
        responder.ulp.onHalfClosed = () -> {
            responder.write(DdpChannel.message("goodbye"));
            responder.channel().flush();
        };
        responder.ulp.onAllSent = () -> responder.channel().close();
        pair.connect();

        initiator.run(() -> {
            for (int i = 0; i < 25; i++) {
                DdpMessage write = new DdpMessage().tagged(0x40, sink.stag(), 0);
                write.payload().wrap(content, 0, content.capacity());
                initiator.write(write);
            }
            initiator.channel().flush();
        });
        TcpPair.await(initiator.closed);
        TcpPair.await(responder.closed);

        assertThat(responder.ulp.events)
                .hasSize(28)
                .startsWith(String.format("tagged %08x control 40", sink.stag()))
                .endsWith("half closed", "sent goodbye", "all sent");
        assertThat(initiator.ulp.delivered).extracting(String::new).containsExactly("goodbye");
        assertThat(initiator.ulp.events).last().isEqualTo("half closed");
        assertThat(initiator.exceptions).isEmpty();
        assertThat(responder.exceptions).isEmpty();
        assertThat(responder.ulp.faults).isEmpty();
        ByteBuf arrived = sink.view(0, content.capacity());
        assertThat(arrived).isEqualTo(content);
        arrived.release();
        content.release();
    }

    @Test
    @Requirement({"DDP-4", "DDP-33", "DDP-36", "DDP-41"})
    void bothDirectionsCarryMessagesAtTheSameTimeAndInOrder() {
        int messages = 2000;
        byte[] payload = new byte[70_000];
        new Random(2).nextBytes(payload);
        List<CompletableFuture<Void>> done = new ArrayList<>();
        for (TcpPair.End end : List.of(initiator, responder)) {
            CompletableFuture<Void> all = new CompletableFuture<>();
            done.add(all);
            IntStream.range(0, messages).forEach(i -> end.ulp.post(0, lengthOf(i)));
            end.ulp.onDelivery = () -> {
                if (end.ulp.delivered.size() == messages) {
                    all.complete(null);
                }
            };
        }
        responder.ulp.onHalfClosed = () -> responder.channel().close();
        pair.connect();
        for (TcpPair.End end : List.of(initiator, responder)) {
            end.run(() -> {
                for (int i = 0; i < messages; i++) {
                    DdpMessage send = DdpChannel.message(payload);
                    send.payload().wrap(Unpooled.wrappedBuffer(payload), 0, lengthOf(i));
                    end.write(send);
                }
                end.channel().flush();
            });
        }
        done.forEach(TcpPair::await);
        pair.initiator.channel().close().syncUninterruptibly();
        TcpPair.await(initiator.closed);
        TcpPair.await(responder.closed);

        for (TcpPair.End end : List.of(initiator, responder)) {
            assertThat(end.ulp.faults).isEmpty();
            assertThat(end.ulp.delivered)
                    .extracting(bytes -> bytes.length)
                    .containsExactlyElementsOf(IntStream.range(0, messages)
                            .map(DdpLoopTest::lengthOf)
                            .boxed()
                            .toList());
            assertThat(end.ulp.delivered)
                    .allMatch(bytes -> Arrays.equals(bytes, 0, bytes.length, payload, 0, bytes.length));
        }
    }

    /** Mostly short, with some of many segments. */
    private static int lengthOf(int message) {
        return message % 100 == 99 ? 70_000 - message : message % 50;
    }

    @Test
    @Requirement({"DDP-4", "DDP-26", "DDP-27", "DDP-33"})
    void readsOfAnyLengthArriveWhole() {
        MemoryRegion source = initiator.region(4 * MEBIBYTE, AccessRight.REMOTE_READ);
        MemoryRegion sink = responder.region(4 * MEBIBYTE);
        byte[] bytes = new byte[4 * MEBIBYTE];
        new Random(3).nextBytes(bytes);
        source.setBytes(0, Unpooled.wrappedBuffer(bytes));
        CompletableFuture<Void> allDelivered = new CompletableFuture<>();
        int[] left = {0};
        for (int offset = 0; offset < bytes.length; offset += sourceLength(left[0]++)) {
            assertThat(offset).isNotNegative();
        }
        responder.ulp.onDelivery = () -> {
            if (--left[0] == 0) {
                allDelivered.complete(null);
            }
        };
        pair.connect();
        initiator.run(() -> {
            TaggedBuffer buffer = Objects.requireNonNull(initiator.stream.lookup(source.stag()));
            int message = 0;
            for (int offset = 0; offset < bytes.length; message++) {
                int length = Math.min(sourceLength(message), bytes.length - offset);
                initiator.write(
                        new DdpMessage().tagged(0x42, sink.stag(), offset).source(buffer, offset, length));
                offset += length;
            }
            initiator.channel().flush();
        });
        TcpPair.await(allDelivered);

        assertThat(ReceiverFixture.contentOf(sink)).isEqualTo(bytes);
    }

    /** Mostly short, with some of one segment that is sent by reference and some of many. */
    private static int sourceLength(int message) {
        return message % 50 == 49 ? 500_000 : message % 50 == 30 ? 6_000 : 1 + message % 70;
    }

    @Test
    @Requirement({"DDP-3", "DDP-8", "DDP-50"})
    void aResetInTheMiddleLeavesNoMessagePending() {
        MemoryRegion sink = responder.region(4 * MEBIBYTE);
        ByteBuf content = ByteBufAllocator.DEFAULT
                .directBuffer(4 * MEBIBYTE, 4 * MEBIBYTE)
                .writeZero(4 * MEBIBYTE);
        responder.ulp.onDelivery = () -> {
            responder.channel().config().setOption(ChannelOption.SO_LINGER, 0);
            responder.channel().close();
        };
        List<ChannelFuture> futures = new ArrayList<>();
        pair.connect();
        initiator.run(() -> {
            for (int i = 0; i < 25; i++) {
                DdpMessage write = new DdpMessage().tagged(0x40, sink.stag(), 0);
                write.payload().wrap(content, 0, content.capacity());
                futures.add(initiator.channel().write(write));
            }
            initiator.channel().flush();
        });
        TcpPair.await(initiator.closed);

        assertThat(futures).hasSize(25).allMatch(ChannelFuture::isDone);
        long sent = futures.stream().filter(ChannelFuture::isSuccess).count();
        assertThat(sent).isLessThan(25);
        assertThat(initiator.ulp.events)
                .filteredOn(event -> event.startsWith("sent"))
                .hasSize((int) sent);
        assertThat(initiator.ulp.events).doesNotContain("all sent");
        assertThat(initiator.ulp.faults).hasSizeLessThanOrEqualTo(1);
        TcpPair.await(responder.closed);
        content.release();
    }
}
