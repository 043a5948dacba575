package io.iwarp.ddp;

import static io.iwarp.ddp.DdpChannel.MULPDU;
import static io.iwarp.ddp.DdpChannel.message;
import static io.iwarp.ddp.DdpChannel.terminate;
import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.ConnectionClosedException;
import io.iwarp.Counter;
import io.iwarp.Role;
import io.iwarp.internal.ConnectionCounters;
import io.iwarp.internal.memory.StreamAssociation;
import io.iwarp.internal.memory.TaggedBuffer;
import io.iwarp.internal.mpa.AgreedParameters;
import io.iwarp.internal.mpa.MpaEvent;
import io.iwarp.internal.mpa.MpaFramingHandler;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.IwarpDevice;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Seeds;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Messages that read an STag's memory on their way through the handler, and the STag's end meanwhile. */
class DdpHandlerSourceTest {
    private static final int WINDOW = DdpHandler.MIN_TRANSMIT_WINDOW;
    private static final int LONG = 10 * WINDOW;
    /** Numbers of 8 bytes are not split. */
    private static final int SEGMENT = (MULPDU - DdpSegment.TAGGED_HEADER_LENGTH) & -Long.BYTES;

    private final DdpChannel ddp = new DdpChannel(WINDOW).ready();
    private final SlowTransport transport = ddp.transport;
    private final List<MemoryRegion> regions = new ArrayList<>();

    @AfterEach
    void close() {
        ddp.channel.close();
        regions.forEach(MemoryRegion::close);
        ddp.close();
        assertThat(ddp.exceptions).isEmpty();
    }

    @Test
    @Requirement({"DDP-26", "DDP-33", "DDP-34"})
    void messagesWithASourceLeaveInTheirTurnAndNeverInterleave() {
        MemoryRegion region = region(2500);
        ddp.send("before");
        ddp.write(response(region, 0, 2500));
        ddp.send("between");
        ddp.write(response(region, 2499, 1));
        ddp.write(response(region, 0, 0));
        ddp.flush();
        transport.takeAll();

        List<DdpSegment> segments =
                transport.ulpdus.stream().map(Ulpdus::segment).toList();
        assertThat(segments).extracting(DdpSegment::tagged).containsExactly(false, true, true, true, false, true, true);
        assertThat(segments).extracting(DdpSegment::last).containsExactly(true, false, false, true, true, true, true);
        assertThat(segments)
                .extracting(DdpSegment::payloadLength)
                .containsExactly(6, SEGMENT, SEGMENT, 2500 - 2 * SEGMENT, 7, 1, 0);
        assertThat(ddp.ulp.events)
                .containsExactly("sent before", "sent ", "sent between", "sent ", "sent ", "all sent");
    }

    @Test
    @Requirement({"DDP-26", "DDP-33"})
    void longSourceMessagesKeepToTheWindow() {
        transport.takesOnFlush = true;
        transport.keepsBytes = false;
        ddp.write(response(region(LONG), 0, LONG));
        ddp.write(message("behind"));
        ddp.channel.eventLoop().execute(() -> ddp.ulp.events.add("other work"));
        ddp.channel.pipeline().flush();
        ddp.runTasks();

        assertThat(transport.mostBytesPending).isLessThanOrEqualTo(WINDOW);
        assertThat(ddp.ulp.events).containsExactly("other work", "sent ", "sent behind", "all sent");
        long headers = (LONG + SEGMENT - 1) / SEGMENT * 14L + DdpSegment.UNTAGGED_HEADER_LENGTH;
        assertThat(transport.bytes).isEqualTo(LONG + "behind".length() + headers);
    }

    @Test
    void sourceRevokedMidwayAllowsOnlyATerminalMessage() {
        MemoryRegion region = region(LONG);
        DdpMessage cut = response(region, 0, LONG);
        ddp.send("before");
        ChannelFuture future = ddp.writeWithPromise(cut);
        ChannelFuture behind = ddp.writeWithPromise(message("behind"));
        ddp.flush();
        int before = transport.segments;
        region.invalidate();
        ddp.ulp.onSourceRevoked = revoked -> {
            assertThat(revoked).isSameAs(cut);
            assertThat(revoked.isInFlight()).isFalse();
            assertThat(revoked.wireEnd()).isEqualTo(DdpMessage.NOT_WRITTEN);
            ddp.writeAndFlush(terminate());
        };
        transport.takesOnFlush = true;
        transport.takeAll();
        ddp.runTasks();

        long bytesSent = (long) (before - 1) * SEGMENT;
        assertThat(ddp.ulp.events).containsExactly("sent before", "revoked after " + bytesSent, "sent T");
        assertThat(transport.segments).isEqualTo(before + 1);
        assertThat(Ulpdus.segment(transport.ulpdus.get(before)).queueNumber()).isEqualTo(2);
        assertThat(future.cause())
                .isInstanceOf(ConnectionClosedException.class)
                .hasMessageContaining("was revoked when " + bytesSent + " bytes");
        assertThat(behind.cause()).isInstanceOf(ConnectionClosedException.class);
        assertThat(ddp.writeWithPromise(message("later")).cause()).isInstanceOf(ConnectionClosedException.class);
        assertThat(ddp.handler.idle()).isTrue();
        assertThat(ddp.channel.isOpen()).isTrue();
    }

    @Test
    void revokedSourceIsNotReadEarlierWritesAreSent() {
        MemoryRegion region = region(100);
        ddp.ulp.onSourceRevoked = revoked -> ddp.writeAndFlush(terminate());
        ddp.send("a");
        ddp.write(response(region, 0, 0));
        ddp.write(response(region, 0, 100));
        ddp.send("b");
        region.invalidate();
        ddp.flush();
        assertThat(ddp.ulp.events).containsExactly("revoked after 0");
        transport.takeAll();

        assertThat(ddp.sent()).containsExactly("a", "", "T");
        assertThat(ddp.ulp.events).containsExactly("revoked after 0", "sent a", "sent ", "sent T");
    }

    @Test
    void aTerminalMessageIsNotReportedBeforeTheTransportHasTakenIt() {
        MemoryRegion region = region(LONG);
        ddp.ulp.onSourceRevoked = revoked -> ddp.writeAndFlush(terminate());
        ddp.send("a");
        ddp.flush();
        ddp.send("b");
        ddp.flush();
        ddp.write(response(region, 0, 100));
        region.invalidate();
        ddp.flush();
        assertThat(transport.promises).hasSize(3);

        transport.take();
        assertThat(ddp.ulp.events).containsExactly("revoked after 0", "sent a");
        transport.take();
        assertThat(ddp.ulp.events).containsExactly("revoked after 0", "sent a", "sent b");
        transport.take();
        assertThat(ddp.ulp.events).containsExactly("revoked after 0", "sent a", "sent b", "sent T");
    }

    @Test
    @Requirement({"DDP-3", "DDP-53"})
    void aLossAfterARevocationIsReportedAndNothingOfItAsSent() {
        MemoryRegion region = region(100);
        ddp.ulp.onSourceRevoked = revoked -> ddp.writeAndFlush(terminate());
        ddp.send("a");
        ddp.flush();
        ddp.write(response(region, 0, 100));
        region.invalidate();
        ddp.flush();
        transport.lose(new IOException("connection reset"));
        transport.lose(new IOException("connection reset"));

        assertThat(ddp.ulp.events).containsExactly("revoked after 0", "fault MPA_CONNECTION_LOST");
        assertThat(ddp.handler.idle()).isTrue();
        assertThat(ddp.exceptions).singleElement().isInstanceOf(IOException.class);
        ddp.exceptions.clear();
    }

    @Test
    @Requirement("DDP-67")
    void laterTerminalMessageIsSent() {
        MemoryRegion region = region(100);
        ddp.write(response(region, 0, 100));
        region.invalidate();
        ddp.flush();
        ddp.send("refused");
        ddp.flush();
        ddp.writeAndFlush(terminate());
        transport.takeAll();

        assertThat(ddp.sent()).containsExactly("T");
        assertThat(ddp.ulp.events).containsExactly("revoked after 0", "sent T");
    }

    @Test
    void uncheckedRangeIsALocalCatastrophe() {
        MemoryRegion region = region(100);
        ddp.ulp.onFault = () -> ddp.writeAndFlush(terminate());
        ddp.send("a");
        ddp.write(response(region, 50, 51));
        ddp.flush();
        transport.takeAll();

        assertThat(ddp.sent()).containsExactly("a", "T");
        assertThat(ddp.ulp.events).containsExactly("fault DDP_LOCAL_CATASTROPHIC", "sent a", "sent T");
    }

    @Test
    @Requirement({"DDP-74", "SEC-6"})
    void onceARevocationHasReturnedNothingOfTheMemoryIsRead() {
        byte[] original = new byte[LONG];
        Arrays.fill(original, (byte) 'o');
        Seeds.forEach(40, (seed, random) -> {
            try (DdpChannel busy = new DdpChannel(WINDOW).ready()) {
                ByteBuf memory =
                        ByteBufAllocator.DEFAULT.directBuffer(LONG, LONG).setBytes(0, original);
                MemoryRegion region = busy.domain
                        .region()
                        .buffers(memory)
                        .rights(AccessRight.REMOTE_READ)
                        .register();
                Storm storm = new Storm(busy, region, memory);
                storm.run(random);

                assertThat(storm.foreignSegments).isZero();
                assertThat(busy.ulp.events.stream().filter(event -> event.startsWith("revoked")))
                        .as("exactly once")
                        .hasSize(1);
                region.close();
                memory.release();
            }
        });
    }

    /** One thread sends the same memory repeatedly, another revokes it and then overwrites it. */
    private static final class Storm {
        private final DdpChannel ddp;
        private final MemoryRegion region;
        private final ByteBuf memory;
        private final CountDownLatch begun = new CountDownLatch(1);
        private boolean over;
        private int foreignSegments;

        Storm(DdpChannel ddp, MemoryRegion region, ByteBuf memory) {
            this.ddp = ddp;
            this.region = region;
            this.memory = memory;
        }

        void run(Random random) {
            TaggedBuffer buffer = Objects.requireNonNull(ddp.stream.lookup(region.stag()));
            int spins = random.nextInt(100_000);
            CompletableFuture<Void> revoker = CompletableFuture.runAsync(() -> revoke(spins));
            ddp.transport.takesOnFlush = true;
            ddp.transport.onWrite = this::look;
            ddp.ulp.onSourceRevoked = message -> over = true;
            ddp.ulp.onSent = ddp::writeAndFlush;
            ddp.writeAndFlush(new DdpMessage().tagged(0x42, 1, 0).source(buffer, 0, LONG));
            while (!over) {
                ddp.channel.runPendingTasks();
            }
            revoker.join();
        }

        private void revoke(int spins) {
            try {
                begun.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            for (int i = 0; i < spins; i++) {
                Thread.onSpinWait();
            }
            region.invalidate();
            byte[] foreign = new byte[LONG];
            Arrays.fill(foreign, (byte) 'x');
            memory.setBytes(0, foreign);
        }

        private void look() {
            begun.countDown();
            for (byte[] ulpdu : ddp.transport.ulpdus) {
                for (int i = DdpSegment.TAGGED_HEADER_LENGTH; i < ulpdu.length; i++) {
                    if (ulpdu[i] != 'o') {
                        foreignSegments++;
                        break;
                    }
                }
            }
            ddp.transport.ulpdus.clear();
        }
    }

    @Test
    @Requirement({"DDP-25", "DDP-26"})
    void aMessageOfThreeGibibytesIsReadInBoundedMemory() {
        long length = 3L << 30;
        UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
        SlowSocket socket = new SlowSocket();
        RecordingUlp ulp = new RecordingUlp();
        ByteBuf memory = ByteBufAllocator.DEFAULT.directBuffer(1 << 20, 1 << 20);
        EmbeddedChannel channel = new EmbeddedChannel();
        channel.config().setAllocator(allocator);
        try (ProtectionDomain domain = IwarpDevice.create().createProtectionDomain();
                StreamAssociation stream = StreamAssociation.open(domain);
                MemoryRegion region = domain.region()
                        .buffers(Collections.nCopies(3 << 10, memory))
                        .rights(AccessRight.REMOTE_READ)
                        .register()) {
            ConnectionCounters counters = new ConnectionCounters();
            DdpHandler handler = new DdpHandler(
                    DdpHandler.DEFAULT_TRANSMIT_WINDOW,
                    ReceiverFixture.MESSAGE_TIMEOUT,
                    stream,
                    ulp,
                    counters,
                    () -> counters.get(Counter.BYTES_SENT));
            ulp.idle = handler::idle;
            channel.pipeline().addLast(socket, new MpaFramingHandler(MpaSettings.DEFAULT, counters, handler), handler);
            channel.pipeline()
                    .fireUserEventTriggered(new MpaEvent.Established(
                            AgreedParameters.builder(Role.INITIATOR).build()));
            long[] most = {0};
            socket.onWrite =
                    () -> most[0] = Math.max(most[0], allocator.metric().usedDirectMemory());
            TaggedBuffer buffer = Objects.requireNonNull(stream.lookup(region.stag()));
            var unused =
                    channel.writeAndFlush(new DdpMessage().tagged(0x42, 1, 0).source(buffer, 0, length));
            while (socket.take() || channel.hasPendingTasks()) {
                channel.runPendingTasks();
            }

            assertThat(ulp.events).containsExactly("sent ", "all sent");
            assertThat(counters.get(Counter.BYTES_SENT)).isGreaterThan(length);
            assertThat(most[0])
                    .as("the window, and the headers of one batch")
                    .isLessThan(DdpHandler.DEFAULT_TRANSMIT_WINDOW + (256 << 10));
        } finally {
            channel.finishAndReleaseAll();
            memory.release();
        }
        assertThat(allocator.metric().usedDirectMemory()).isZero();
    }

    private MemoryRegion region(int length) {
        MemoryRegion region = ddp.domain
                .region()
                .allocate(ByteBufAllocator.DEFAULT, length)
                .rights(AccessRight.REMOTE_READ)
                .register();
        regions.add(region);
        return region;
    }

    private DdpMessage response(MemoryRegion region, long offset, long length) {
        TaggedBuffer buffer = Objects.requireNonNull(ddp.stream.lookup(region.stag()));
        return new DdpMessage().tagged(0x42, 1, 0).source(buffer, offset, length);
    }
}
