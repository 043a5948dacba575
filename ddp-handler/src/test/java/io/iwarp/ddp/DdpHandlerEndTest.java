package io.iwarp.ddp;

import static io.iwarp.ddp.DdpChannel.message;
import static io.iwarp.ddp.DdpChannel.terminate;
import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.ConnectionClosedException;
import io.iwarp.memory.IwarpDevice;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Segment;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.Collections;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Last messages, closing, and sending that fails. */
class DdpHandlerEndTest {
    private final DdpChannel ddp = new DdpChannel(DdpHandler.MIN_TRANSMIT_WINDOW);
    private final SlowTransport transport = ddp.transport;

    @AfterEach
    void close() {
        ddp.close();
    }

    @Test
    @Requirement({"DDP-51", "DDP-67"})
    void terminalMessageDropsWaitingMessages() {
        ddp.ready();
        ddp.send("on the wire");
        ddp.flush();
        ChannelFuture waiting = ddp.writeWithPromise(message("waiting"));

        ddp.writeAndFlush(terminate());
        transport.takeAll();

        assertThat(ddp.sent()).containsExactly("on the wire", "T");
        assertThat(ddp.ulp.events).containsExactly("sent on the wire", "sent T", "all sent");
        assertThat(waiting.cause())
                .isInstanceOf(ConnectionClosedException.class)
                .hasMessageContaining("last message");
    }

    @Test
    @Requirement({"DDP-51", "DDP-67"})
    void aTerminalMessageCutsALongMessageShortBetweenTwoSegments() {
        ddp.ready();
        ddp.write(message("a".repeat(10 * DdpHandler.MIN_TRANSMIT_WINDOW)));
        ddp.flush();
        int before = transport.ulpdus.size();

        ddp.writeAndFlush(terminate());
        transport.takesOnFlush = true;
        transport.takeAll();
        ddp.channel.runPendingTasks();

        assertThat(transport.ulpdus).hasSize(before + 1);
        DdpSegment last = Ulpdus.segment(transport.ulpdus.get(before));
        assertThat(last.queueNumber()).isEqualTo(2);
        assertThat(last.msn()).isEqualTo(1);
        assertThat(ddp.ulp.events).containsExactly("sent T", "all sent");
    }

    @Test
    @Requirement("DDP-7")
    void afterATerminalMessageNothingIsSent() {
        ddp.ready();
        ddp.writeAndFlush(terminate());
        ChannelFuture later = ddp.writeWithPromise(message("later"));
        ddp.send("silently refused");
        ChannelFuture second = ddp.writeWithPromise(terminate());
        ddp.flush();
        transport.takeAll();

        assertThat(ddp.sent()).containsExactly("T");
        assertThat(later.cause()).isInstanceOf(ConnectionClosedException.class);
        assertThat(second.cause()).isInstanceOf(ConnectionClosedException.class);
        assertThat(ddp.exceptions).isEmpty();
    }

    @Test
    @Requirement({"DDP-7", "DDP-66"})
    void afterATerminalMessageNothingIsReceived() {
        ddp.ready();
        UntaggedBuffer buffer = ddp.ulp.post(0, 4);
        ddp.write(terminate());
        ddp.receives(Segment.untagged(0, 1).payload("x"));

        assertThat(ddp.ulp.events).containsExactly("read complete");
        assertThat(RecordingUlp.bytes(buffer.sink(), 4)).containsOnly(0);
    }

    @Test
    void aTerminalMessageWaitsForAFlushOfItsOwn() {
        ddp.ready();
        ddp.writable(false);
        ddp.send("dropped");
        ddp.flush();
        ddp.write(terminate());
        ddp.writable(true);
        assertThat(ddp.sent()).isEmpty();

        ddp.flush();

        assertThat(ddp.sent()).containsExactly("T");
    }

    @Test
    void aTerminalMessageWrittenInTheMiddleOfABurstStillCloses() {
        ddp.ready();
        ddp.write(message("a".repeat(5000)));
        transport.onWrite = () -> {
            transport.onWrite = () -> {};
            ddp.write(terminate());
        };
        ddp.flush();
        assertThat(transport.ulpdus).hasSize(1);

        ddp.flush();
        transport.takeAll();

        assertThat(transport.ulpdus).hasSize(2);
        assertThat(ddp.ulp.events).containsExactly("sent T", "all sent");
        assertThat(transport.bytesPending).isZero();
    }

    @Test
    @Requirement({"DDP-3", "DDP-49", "DDP-50", "DDP-53"})
    void aLostBurstIsReportedOnceAndNothingOfItAsSent() {
        ddp.ready();
        ddp.send("a");
        ddp.flush();
        ddp.send("b");
        ddp.flush();
        ChannelFuture waiting = ddp.writeWithPromise(message("c"));
        transport.lose(new IOException("connection reset"));
        transport.lose(new IOException("connection reset"));

        assertThat(ddp.ulp.events).containsExactly("fault MPA_CONNECTION_LOST");
        assertThat(ddp.ulp.faults.get(0).detail()).contains("connection reset");
        assertThat(ddp.ulp.faultHeaders).containsExactly((byte[]) null);
        assertThat(waiting.cause()).hasMessage("connection reset");
        assertThat(ddp.handler.idle()).isTrue();
        assertThat(ddp.writeWithPromise(message("d")).cause()).isInstanceOf(ConnectionClosedException.class);
    }

    @Test
    @Requirement({"DDP-3", "DDP-50"})
    void lossDropsMessagesThatWaitForTheWindow() {
        ddp.ready();
        ddp.write(message(new byte[3 * DdpHandler.MIN_TRANSMIT_WINDOW]));
        ChannelFuture behind = ddp.writeWithPromise(message("behind"));
        ddp.flush();
        int before = transport.segments;
        transport.lose(new IOException("connection reset"));
        transport.takeAll();
        ddp.runTasks();

        assertThat(transport.segments).isEqualTo(before);
        assertThat(behind.cause()).hasMessage("connection reset");
        assertThat(ddp.ulp.events).containsExactly("fault MPA_CONNECTION_LOST");
        assertThat(ddp.exceptions).isEmpty();
    }

    @Test
    @Requirement("DDP-51")
    void lossCallbackMayWriteAgain() {
        ddp.ready();
        ChannelFuture cut = ddp.writeWithPromise(message("a".repeat(2 * DdpHandler.MIN_TRANSMIT_WINDOW)));
        cut.addListener(lost -> {
            ddp.send("refused");
            ddp.writeAndFlush(terminate());
        });
        ddp.flush();
        transport.ulpdus.clear();

        transport.lose(new IOException("connection reset"));
        transport.takeAll();

        assertThat(cut.cause()).hasMessageContaining("connection reset");
        assertThat(ddp.sent()).containsExactly("T");
        assertThat(ddp.ulp.events).endsWith("sent T").doesNotContain("sent refused");
    }

    @Test
    @Requirement({"DDP-3", "DDP-36"})
    void messagesTakenBeforeTheLossAreSent() {
        ddp.ready();
        ddp.send("a");
        ddp.flush();
        ddp.send("b");
        ddp.flush();
        transport.promises.get(1).setFailure(new IOException("connection reset"));
        transport.promises.get(0).setSuccess();

        assertThat(ddp.ulp.events).containsExactlyInAnyOrder("sent a", "fault MPA_CONNECTION_LOST");
    }

    @Test
    void aLossWhileTheChannelIsBeingClosedIsNotReported() {
        ddp.ready();
        ddp.send("a");
        ddp.flush();
        transport.holdsClose = true;
        ddp.channel.close();
        transport.lose(new ClosedChannelException());

        assertThat(ddp.channel.isOpen()).isTrue();
        assertThat(ddp.ulp.events).isEmpty();
        transport.holdsClose = false;
    }

    @Test
    void lossByChannelCloseIsNotReportedTwice() {
        ddp.ready();
        ddp.send("a");
        ddp.flush();
        // Like a transport: the promises fail before channelInactive.
        ddp.channel.closeFuture().addListener(closed -> {
            assertThat(ddp.passedOn).doesNotContain("inactive");
            transport.lose(new ClosedChannelException());
        });
        ddp.channel.unsafe().close(ddp.channel.newPromise());

        assertThat(transport.promises).isEmpty();
        assertThat(ddp.ulp.events).isEmpty();
        assertThat(ddp.passedOn).contains("inactive");
    }

    @Test
    void aLossForWhichTheTransportClosedTheChannelIsReported() {
        ddp.ready();
        ddp.send("a");
        ddp.flush();
        // As the transport does it when a write meets a reset.
        ddp.channel.closeFuture().addListener(closed -> transport.lose(new IOException("connection reset")));
        ddp.channel.unsafe().close(ddp.channel.newPromise());

        assertThat(ddp.ulp.events).containsExactly("fault MPA_CONNECTION_LOST");
        assertThat(ddp.ulp.faults.get(0).detail()).contains("connection reset");
    }

    @Test
    @Requirement({"DDP-42", "DDP-51", "DDP-52"})
    void faultLeavesRoomForOneTerminalMessage() {
        ddp.ready();
        ddp.ulp.onFault = () -> ddp.writeAndFlush(terminate());
        ddp.receives(Segment.untagged(0, 1).payload("x"));
        transport.takeAll();

        assertThat(ddp.ulp.events)
                .containsExactly("fault DDP_UNTAGGED_NO_BUFFER", "read complete", "sent T", "all sent");
        assertThat(ddp.sent()).containsExactly("T");
        assertThat(ddp.channel.isOpen()).isTrue();
    }

    @Test
    @Requirement("DDP-51")
    void aTerminalMessageIsTriedAlsoAfterALoss() {
        ddp.ready();
        ddp.ulp.onFault = () -> ddp.writeAndFlush(terminate());
        ddp.send("a");
        ddp.flush();
        ddp.send("b");
        ddp.flush();
        transport.lose(new IOException("for the test"));
        transport.lose(new IOException("for the test"));
        transport.takeAll();

        assertThat(ddp.sent()).containsExactly("a", "b", "T");
        assertThat(ddp.ulp.events).containsExactly("fault MPA_CONNECTION_LOST", "sent T");
    }

    @Test
    void releasedPayloadEndsTheStreamWithoutAHole() {
        ddp.ready();
        ByteBuf memory = ByteBufAllocator.DEFAULT.directBuffer(5000).setZero(0, 5000);
        DdpMessage message = new DdpMessage().tagged(0x40, 1, 0);
        message.payload().wrap(memory, 0, 5000);
        ChannelFuture future = ddp.writeWithPromise(message);
        transport.onWrite = () -> {
            if (memory.refCnt() > 0) {
                memory.release();
            }
        };
        ddp.ulp.onFault = () -> ddp.writeAndFlush(terminate());
        ddp.flush();
        transport.takeAll();

        assertThat(transport.ulpdus).hasSize(2);
        assertThat(Ulpdus.segment(transport.ulpdus.get(1)).queueNumber()).isEqualTo(2);
        assertThat(ddp.ulp.events).containsExactly("fault DDP_LOCAL_CATASTROPHIC", "sent T");
        assertThat(future.isSuccess()).isFalse();
        assertThat(message.isInFlight()).isFalse();
    }

    @Test
    void aSegmentThatMpaRefusesEndsTheStreamWithoutAHoleInTheMessage() {
        ddp.ready();
        transport.onWrite = () -> {
            transport.onWrite = () -> {};
            // What a failed void promise does.
            ddp.channel.pipeline().fireExceptionCaught(new IllegalStateException("unreadable"));
        };
        ddp.write(message("a".repeat(5000)));
        ddp.flush();
        ddp.writeAndFlush(terminate());
        transport.takeAll();

        assertThat(transport.ulpdus).hasSize(2);
        assertThat(ddp.ulp.events).first().isEqualTo("fault DDP_LOCAL_CATASTROPHIC");
        assertThat(ddp.exceptions).isEmpty();
    }

    @Test
    void terminalMessageIsReportedOnceTaken() {
        ddp.ready();
        ddp.send("a");
        ddp.flush();
        transport.onWrite = () -> {
            transport.onWrite = () -> {};
            ddp.channel.pipeline().fireExceptionCaught(new IllegalStateException("unreadable"));
        };
        ddp.send("refused");
        ddp.flush();
        ddp.writeAndFlush(terminate());
        transport.take();
        assertThat(ddp.ulp.events).containsExactly("fault DDP_LOCAL_CATASTROPHIC");

        transport.takeAll();

        assertThat(ddp.ulp.events).containsExactly("fault DDP_LOCAL_CATASTROPHIC", "sent T");
    }

    @Test
    void anExceptionThatHasNothingToDoWithSendingIsOnlyPassedOn() {
        ddp.ready();
        ddp.channel.pipeline().fireExceptionCaught(new IllegalStateException("unrelated"));

        assertThat(ddp.ulp.events).isEmpty();
        assertThat(ddp.exceptions).hasSize(1);
    }

    @Test
    @Requirement({"DDP-8", "DDP-50"})
    void closedChannelDropsEverything() {
        ddp.ready();
        ChannelFuture underWay = ddp.writeWithPromise(message("a"));
        ddp.flush();
        DdpMessage message = message("b");
        ChannelFuture waiting = ddp.writeWithPromise(message);
        ddp.channel.close().syncUninterruptibly();
        transport.takeAll();
        ddp.flush();

        assertThat(underWay.cause()).isInstanceOf(ConnectionClosedException.class);
        assertThat(waiting.cause()).isInstanceOf(ConnectionClosedException.class);
        assertThat(ddp.ulp.events).isEmpty();
        assertThat(ddp.passedOn).contains("inactive");
        assertThat(message.isInFlight()).isFalse();
    }

    @Test
    void aChannelThatIsClosedWhileMessagesAreReportedEndsTheReports() {
        ddp.ready();
        ddp.send("a");
        ddp.send("b");
        ddp.flush();
        ddp.ulp.onSent = message -> ddp.channel.close().syncUninterruptibly();
        transport.take();

        assertThat(ddp.ulp.events).containsExactly("sent a");
    }

    @Test
    @Requirement({"DDP-44", "DDP-47"})
    void aClosePassesThroughThenWritesAreRefusedAndSegmentsDropped() {
        ddp.ready();
        ddp.ulp.post(0, 4);
        transport.holdsClose = true;
        ddp.channel.close();
        ChannelFuture later = ddp.writeWithPromise(message("later"));
        ddp.receives(Segment.untagged(0, 1).payload("x"));

        assertThat(transport.closes).isEqualTo(1);
        assertThat(later.cause()).isInstanceOf(ConnectionClosedException.class);
        assertThat(ddp.ulp.delivered).isEmpty();
        transport.holdsClose = false;
    }

    @Test
    @Requirement({"DDP-44", "DDP-48"})
    void outputShutdownRefusesWritesButKeepsReceiving() {
        ddp.ready();
        ddp.ulp.post(0, 4);
        ddp.fire(ChannelOutputShutdownEvent.INSTANCE);
        ChannelFuture later = ddp.writeWithPromise(message("later"));
        ddp.flush();
        ddp.receives(Segment.untagged(0, 1).payload("x"));

        assertThat(later.cause()).isInstanceOf(ConnectionClosedException.class);
        assertThat(ddp.sent()).isEmpty();
        assertThat(ddp.ulp.delivered).hasSize(1);
        assertThat(ddp.passedOn).contains(ChannelOutputShutdownEvent.INSTANCE);
    }

    @Test
    void anythingButAMessageIsRefusedAndReleased() {
        ddp.ready();
        ByteBuf raw = ByteBufAllocator.DEFAULT.directBuffer(4).writeInt(1);
        ChannelFuture refused = ddp.writeWithPromise(raw);

        assertThat(refused.cause())
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("carries only messages");
        assertThat(raw.refCnt()).isZero();
    }

    @Test
    void messageInFlightIsRefused() {
        ddp.ready();
        DdpMessage message = ddp.send("a");
        assertThat(ddp.writeWithPromise(message).cause()).isInstanceOf(IllegalStateException.class);
        ddp.flush();
        assertThat(ddp.writeWithPromise(message).cause()).isInstanceOf(IllegalStateException.class);

        transport.take();
        ddp.writeAndFlush(message);

        assertThat(ddp.sent()).containsExactly("a", "a");
    }

    @Test
    @Requirement("DDP-25")
    void aMessageOfTwoToTheThirtySecondBytesIsRefused() {
        ddp.ready();
        ByteBuf memory = ByteBufAllocator.DEFAULT.directBuffer(1 << 20, 1 << 20);
        try (ProtectionDomain domain = IwarpDevice.create().createProtectionDomain();
                MemoryRegion region = domain.region()
                        .buffers(Collections.nCopies(4096, memory))
                        .register()) {
            DdpMessage message = new DdpMessage().tagged(0x40, 1, 0);
            message.payload().cover(region.slice(0, 1L << 32));

            assertThat(ddp.writeWithPromise(message).cause())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("has 4294967296 bytes (expected: at most 4294967295)");
            assertThat(message.isInFlight()).isFalse();
        } finally {
            memory.release();
        }
    }
}
