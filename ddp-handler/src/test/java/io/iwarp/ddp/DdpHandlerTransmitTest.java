package io.iwarp.ddp;

import static io.iwarp.ddp.DdpChannel.MULPDU;
import static io.iwarp.ddp.DdpChannel.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.Counter;
import io.iwarp.internal.mpa.MpaEvent;
import io.iwarp.memory.IwarpDevice;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.testing.Requirement;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DdpHandlerTransmitTest {
    private static final int WINDOW = DdpHandler.MIN_TRANSMIT_WINDOW;

    private final DdpChannel ddp = new DdpChannel(WINDOW);
    private final SlowTransport transport = ddp.transport;

    @AfterEach
    void close() {
        ddp.close();
        assertThat(ddp.exceptions).isEmpty();
    }

    @Test
    void nothingLeavesBeforeMpaIsReadyToSend() {
        ddp.send("a");
        ddp.flush();
        ddp.established(MULPDU);
        assertThat(ddp.sent()).isEmpty();

        ddp.fire(new MpaEvent.TransmitReady());

        assertThat(ddp.sent()).containsExactly("a");
        assertThat(transport.flushes).isPositive();
    }

    @Test
    void nothingLeavesBeforeAFlush() {
        ddp.ready();
        ddp.send("a");
        ddp.send("b");
        assertThat(ddp.sent()).isEmpty();

        ddp.flush();
        ddp.send("c");

        assertThat(ddp.sent()).containsExactly("a", "b");
        transport.takeAll();
        ddp.fire("anything");
        assertThat(ddp.sent()).as("c was not flushed").containsExactly("a", "b");
        assertThat(ddp.handler.idle()).isFalse();
        ddp.flush();
        assertThat(ddp.sent()).containsExactly("a", "b", "c");
    }

    @Test
    @Requirement({"DDP-33", "DDP-34"})
    void messagesLeaveWholeAndInTheOrderOfWriting() {
        ddp.ready();
        ddp.write(message("a".repeat(1500)));
        ddp.write(message(""));
        ddp.write(message("b".repeat(1001)));
        ddp.flush();

        List<DdpSegment> segments =
                transport.ulpdus.stream().map(Ulpdus::segment).toList();
        assertThat(segments).extracting(DdpSegment::msn).containsExactly(1, 1, 2, 3, 3);
        assertThat(segments).extracting(DdpSegment::messageOffset).containsExactly(0L, 1000L, 0L, 0L, 1000L);
        assertThat(segments).extracting(DdpSegment::last).containsExactly(false, true, true, false, true);
        assertThat(ddp.counters.get(Counter.MESSAGES_SENT)).isEqualTo(3);
    }

    @Test
    void oneFlushMakesOneBurstWithOnePromise() {
        ddp.ready();
        int flushesBefore = transport.flushes;
        for (int i = 0; i < 10; i++) {
            ddp.send("message");
        }
        ddp.flush();

        assertThat(transport.segments).isEqualTo(10);
        assertThat(transport.promises).hasSize(1);
        assertThat(transport.flushes - flushesBefore).isEqualTo(1);
    }

    @Test
    void aFlushWithNothingToSendIsPassedOn() {
        ddp.ready();
        ddp.flush();

        assertThat(transport.flushes).isEqualTo(1);
    }

    @Test
    @Requirement({"DDP-3", "DDP-36", "DDP-40"})
    void messagesAreReportedInOrderWhenTheTransportHasTakenThem() {
        ddp.ready();
        ddp.send("a");
        ddp.send("b");
        ddp.flush();
        ddp.send("c");
        ddp.flush();
        assertThat(ddp.ulp.events).isEmpty();
        assertThat(ddp.handler.idle()).isFalse();

        transport.take();
        assertThat(ddp.ulp.events).containsExactly("sent a", "sent b");
        transport.take();

        assertThat(ddp.ulp.events).containsExactly("sent a", "sent b", "sent c", "all sent");
        assertThat(ddp.handler.idle()).isTrue();
    }

    @Test
    void aMessageHasAnEndWithItsLastSegmentAndNotBefore() {
        ddp.ready();
        DdpMessage message = message(new byte[2 * WINDOW]);
        ddp.write(message);
        DdpMessage behind = ddp.send("behind");
        ddp.flush();
        assertThat(message.wireEnd()).as("waits for the window").isEqualTo(DdpMessage.NOT_WRITTEN);

        while (message.wireEnd() == DdpMessage.NOT_WRITTEN) {
            transport.take();
        }
        assertThat(behind.wireEnd()).isNotEqualTo(DdpMessage.NOT_WRITTEN);
        assertThat(ddp.ulp.events).as("not taken by the transport").isEmpty();

        transport.takeAll();
        assertThat(message.wireEnd()).isNotEqualTo(DdpMessage.NOT_WRITTEN);
        ddp.write(message);
        assertThat(message.wireEnd()).as("written again").isEqualTo(DdpMessage.NOT_WRITTEN);
        assertThat(behind.untagged(0x43, 0, 0).wireEnd()).as("filled again").isEqualTo(DdpMessage.NOT_WRITTEN);
    }

    @Test
    @Requirement({"DDP-36", "DDP-40"})
    void aMessageOfSeveralBurstsIsReportedWithTheLastOfThem() {
        ddp.ready();
        for (int i = 0; i < 3; i++) {
            ddp.send("short");
            ddp.flush();
        }
        transport.takeAll();
        ddp.ulp.events.clear();
        ddp.write(message("b".repeat(100_000)));
        ddp.flush();
        assertThat(transport.promises).hasSize(2);

        transport.take();
        assertThat(ddp.ulp.events).isEmpty();
        transport.take();
        assertThat(ddp.ulp.events).containsExactly("sent bbbbbbbbbbbbbbbb", "all sent");
    }

    @Test
    @Requirement("DDP-36")
    void reportsStayInOrderWhenTheTransportTakesMoreFromWithinThem() {
        ddp.ready();
        ddp.send("a");
        ddp.send("b");
        ddp.flush();
        ddp.send("c");
        ddp.flush();
        ddp.ulp.onSent = message -> transport.takeAll();
        transport.take();

        assertThat(ddp.ulp.events).containsExactly("sent a", "sent b", "sent c", "all sent");
    }

    @Test
    void promisesThatCompleteOutOfOrderChangeNothing() {
        ddp.ready();
        ddp.send("a");
        ddp.flush();
        ddp.send("b");
        ddp.flush();
        ChannelPromise first = transport.promises.get(0);
        transport.promises.get(1).setSuccess();
        assertThat(ddp.ulp.events).isEmpty();

        first.setSuccess();

        assertThat(ddp.ulp.events).containsExactly("sent a", "sent b", "all sent");
    }

    @Test
    void aPromiseCompletesBeforeItsMessageIsReported() {
        ddp.ready();
        DdpMessage message = message("a");
        ChannelFuture future = ddp.writeWithPromise(message);
        future.addListener(f -> ddp.ulp.events.add("promise"));
        ddp.flush();
        assertThat(future.isDone()).isFalse();

        transport.take();

        assertThat(future.isSuccess()).isTrue();
        assertThat(ddp.ulp.events).containsExactly("promise", "sent a", "all sent");
    }

    @Test
    @Requirement({"DDP-1", "DDP-2"})
    void newMulpduAppliesToLaterSegments() {
        ddp.ready();
        ddp.write(message("a".repeat(2 * WINDOW)));
        ddp.flush();
        int before = transport.ulpdus.size();

        ddp.fire(new MpaEvent.MulpduChanged(518));
        assertThat(transport.ulpdus).hasSize(before).allMatch(ulpdu -> ulpdu.length == MULPDU);
        transport.takesOnFlush = true;
        transport.takeAll();

        List<DdpSegment> later = transport.ulpdus.subList(before, transport.ulpdus.size()).stream()
                .map(Ulpdus::segment)
                .toList();
        assertThat(later.subList(0, later.size() - 1)).allMatch(segment -> segment.ulpduLength() == 518);
        assertThat(later.get(0).messageOffset()).isEqualTo(before * 1000L);
        assertThat(ddp.ulp.events).last().isEqualTo("all sent");
    }

    @Test
    void noMoreThanTheWindowIsUnderWay() {
        ddp.ready();
        ddp.write(message(new byte[10 * WINDOW]));
        ddp.write(message(new byte[3 * WINDOW]));
        ddp.flush();
        assertThat(transport.bytesPending).isLessThanOrEqualTo(WINDOW).isGreaterThan(WINDOW - MULPDU);

        while (!transport.promises.isEmpty()) {
            transport.take();
        }

        assertThat(transport.mostBytesPending).isLessThanOrEqualTo(WINDOW);
        assertThat(ddp.ulp.events).hasSize(3).last().isEqualTo("all sent");
        assertThat(transport.bytes).isGreaterThan(13L * WINDOW);
    }

    @Test
    void theGreatestSegmentFitsTheSmallestWindow() {
        ddp.established(64768);
        ddp.fire(new MpaEvent.TransmitReady());
        ddp.write(message(new byte[10 * WINDOW]));
        ddp.flush();
        while (!transport.promises.isEmpty()) {
            transport.take();
        }

        assertThat(transport.mostBytesPending).isLessThanOrEqualTo(WINDOW);
        assertThat(ddp.ulp.events).last().isEqualTo("all sent");
    }

    @Test
    void nothingLeavesWhileTheChannelIsNotWritable() {
        ddp.ready();
        ddp.writable(false);
        ddp.send("a");
        ddp.flush();
        assertThat(ddp.sent()).isEmpty();

        ddp.writable(true);

        assertThat(ddp.sent()).containsExactly("a");
        assertThat(ddp.passedOn).contains("writability");
    }

    @Test
    void longMessageYieldsToOtherEventLoopWork() {
        transport.takesOnFlush = true;
        transport.keepsBytes = false;
        ddp.ready();
        ddp.write(message(new byte[100 * WINDOW]));
        ddp.channel.eventLoop().execute(() -> ddp.ulp.events.add("other work"));
        int before = transport.flushes;
        ddp.channel.pipeline().flush();
        assertThat(transport.flushes - before).isEqualTo(DdpHandler.BURSTS_PER_TURN);
        int segments = transport.segments;
        ddp.flush();
        assertThat(transport.segments).as("sent out of turn").isEqualTo(segments);

        ddp.runTasks();

        assertThat(ddp.ulp.events).hasSize(3).first().isEqualTo("other work");
        assertThat(ddp.ulp.events).last().isEqualTo("all sent");
    }

    @Test
    void ulpMayWriteDuringOnSent() {
        int[] left = {100_000};
        transport.takesOnFlush = true;
        transport.keepsBytes = false;
        ddp.ulp.onSent = message -> {
            ddp.ulp.events.clear();
            if (--left[0] > 0) {
                ddp.writeAndFlush(message);
            }
        };
        ddp.ready();
        ddp.send("a");
        ddp.flush();
        ddp.runTasks();

        assertThat(left[0]).isZero();
        assertThat(transport.segments).isEqualTo(100_000);
        assertThat(ddp.ulp.events).containsExactly("all sent");
    }

    @Test
    void endlessWriterYieldsTheEventLoop() {
        transport.takesOnFlush = true;
        int[] sent = {0};
        ddp.ulp.onSent = message -> {
            if (++sent[0] < 1000) {
                ddp.writeAndFlush(message);
            }
        };
        ddp.ready();
        ddp.send("a");
        ddp.flush();
        assertThat(sent[0]).isEqualTo(DdpHandler.BURSTS_PER_TURN);

        ddp.runTasks();

        assertThat(sent[0]).isEqualTo(1000);
    }

    @Test
    void lateTransportOfFirstMessageKeepsTheOrder() {
        int[] sent = {0};
        ddp.ulp.onSent = message -> {
            if (++sent[0] < 1000) {
                ddp.writeAndFlush(message);
            }
        };
        ddp.ready();
        ddp.send("a");
        ddp.flush();
        transport.takesOnFlush = true;
        transport.take();
        assertThat(sent[0]).isEqualTo(1 + DdpHandler.BURSTS_PER_TURN);

        ddp.runTasks();

        assertThat(sent[0]).isEqualTo(1000);
    }

    @Test
    void writesDuringReportsShareOneFlush() {
        ddp.ready();
        for (String text : List.of("a", "b", "c")) {
            ddp.send(text);
        }
        ddp.flush();
        int before = transport.flushes;
        ddp.ulp.onSent = ddp::writeAndFlush;
        transport.take();

        assertThat(ddp.sent()).containsExactly("a", "b", "c", "a", "b", "c");
        assertThat(transport.promises).hasSize(1);
        assertThat(transport.flushes - before).isEqualTo(1);
    }

    @Test
    void aSegmentFromTwoPiecesOfMemoryIsSentWhole() {
        ByteBuf piece = ByteBufAllocator.DEFAULT.directBuffer(3, 3).setBytes(0, new byte[] {'x', 'y', 'z'});
        try (ProtectionDomain domain = ProtectionDomain.create();
                MemoryRegion region = domain.region().buffers(piece, piece).register()) {
            DdpMessage message = new DdpMessage().untagged(0x43, 0, 0);
            message.payload().cover(region.slice(1, 4));
            ddp.ready();
            ddp.writeAndFlush(message);

            assertThat(ddp.sent()).containsExactly("yzxy");
        } finally {
            piece.release();
        }
    }

    @Test
    @Requirement("DDP-36")
    void reportsStayInOrderWhenTheUlpWritesFromWithinThem() {
        ddp.ready();
        for (String text : List.of("a", "b", "c")) {
            ddp.send(text);
        }
        ddp.flush();
        transport.takesOnFlush = true;
        int[] echoes = {0};
        ddp.ulp.onSent = message -> {
            if (echoes[0]++ < 3) {
                ddp.send("echo" + echoes[0]);
                ddp.flush();
            }
        };
        transport.take();
        ddp.runTasks();

        assertThat(ddp.ulp.events)
                .containsExactly("sent a", "sent b", "sent c", "sent echo1", "sent echo2", "sent echo3", "all sent");
    }

    @Test
    void aFlushFromWithinAWriteIsHarmless() {
        ddp.ready();
        transport.onWrite = ddp::flush;
        ddp.send("a");
        ddp.send("b");
        ddp.flush();
        assertThat(transport.flushes).isEqualTo(1);
        transport.onWrite = () -> {};
        transport.takeAll();

        assertThat(ddp.sent()).containsExactly("a", "b");
        assertThat(ddp.ulp.events).containsExactly("sent a", "sent b", "all sent");
    }

    @Test
    @Requirement({"DDP-25", "DDP-26"})
    void aMessageOfTheGreatestLengthStreamsThroughTheWindow() {
        transport.takesOnFlush = true;
        transport.keepsBytes = false;
        ddp.established(64768);
        ddp.fire(new MpaEvent.TransmitReady());
        ByteBuf memory = ByteBufAllocator.DEFAULT.directBuffer(1 << 20, 1 << 20);
        try (ProtectionDomain domain = IwarpDevice.create().createProtectionDomain();
                MemoryRegion region = domain.region()
                        .buffers(Collections.nCopies(4096, memory))
                        .register()) {
            DdpMessage message = new DdpMessage().tagged(0x40, 1, 0);
            message.payload().cover(region.slice(0, 0xFFFF_FFFFL));
            ddp.writeAndFlush(message);
            ddp.runTasks();

            long payload = transport.bytes - (long) transport.segments * DdpSegment.TAGGED_HEADER_LENGTH;
            assertThat(payload).isEqualTo(0xFFFF_FFFFL);
            assertThat(transport.mostBytesPending).isLessThanOrEqualTo(WINDOW);
            assertThat(ddp.handler.idle()).isTrue();
        } finally {
            memory.release();
        }
    }
}
