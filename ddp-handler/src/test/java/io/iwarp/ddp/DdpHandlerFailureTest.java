package io.iwarp.ddp;

import static io.iwarp.ddp.DdpChannel.message;
import static io.iwarp.ddp.DdpChannel.terminate;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.iwarp.ProtocolError;
import io.iwarp.Role;
import io.iwarp.internal.ConnectionCounters;
import io.iwarp.internal.memory.TaggedBuffer;
import io.iwarp.internal.mpa.AgreedParameters;
import io.iwarp.internal.mpa.MpaEvent;
import io.iwarp.internal.mpa.MpaFramingHandler;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.testing.Segment;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Unexpected failures, of memory for a copy or of the layer above, end the stream at once, with a reason. */
class DdpHandlerFailureTest {
    private static final int WINDOW = DdpHandler.MIN_TRANSMIT_WINDOW;

    private final ShortOfMemory allocator = new ShortOfMemory();
    private final DdpChannel ddp = new DdpChannel(WINDOW, allocator).ready();
    private final SlowTransport transport = ddp.transport;
    private final MemoryRegion region = ddp.domain
            .region()
            .allocate(UnpooledByteBufAllocator.DEFAULT, 100 * WINDOW)
            .rights(AccessRight.REMOTE_READ)
            .register();

    @AfterEach
    void close() {
        ddp.channel.close();
        region.close();
        ddp.close();
    }

    /** A message of which each segment is copied. */
    private DdpMessage response(int bytes) {
        TaggedBuffer source = Objects.requireNonNull(ddp.stream.lookup(region.stag()));
        return new DdpMessage().tagged(0x42, 1, 0).source(source, 0, bytes);
    }

    /** JUnit gives up all tests for an OutOfMemoryError. */
    private static void without(ThrowableAssert.ThrowingCallable call) {
        assertThatCode(call).doesNotThrowAnyException();
    }

    private void assertThatTheStreamEndedForWantOfMemory() {
        assertThat(ddp.ulp.faults).singleElement().satisfies(fault -> {
            assertThat(fault.error()).isEqualTo(ProtocolError.DDP_LOCAL_CATASTROPHIC);
            assertThat(fault.detail()).contains("no direct memory is left");
        });
        assertThat(transport.ulpdus)
                .last()
                .satisfies(
                        last -> assertThat(Ulpdus.segment(last).queueNumber()).isEqualTo(2));
        assertThat(ddp.ulp.events).last().isEqualTo("sent T");
        assertThat(ddp.exceptions).isEmpty();
    }

    @Test
    void noMemoryForASegmentThatIsCutAtOnceEndsTheStream() {
        ddp.ulp.onFault = () -> ddp.writeAndFlush(terminate());
        ChannelFuture before = ddp.writeWithPromise(message("before"));
        ddp.write(response(100));
        allocator.left = 0;

        without(ddp::flush);
        transport.takeAll();

        assertThat(before.isSuccess()).isTrue();
        assertThatTheStreamEndedForWantOfMemory();
    }

    @Test
    void noMemoryForALaterSegmentEndsTheStream() {
        ddp.ulp.onFault = () -> ddp.writeAndFlush(terminate());
        ddp.write(response(10 * WINDOW));
        ChannelFuture behind = ddp.writeWithPromise(message("behind"));
        ddp.flush();
        int burst = transport.segments;
        allocator.left = 0;

        without(transport::takeAll);

        assertThat(transport.segments).isEqualTo(burst + 1);
        assertThat(behind.cause()).hasMessageContaining("no direct memory is left");
        assertThatTheStreamEndedForWantOfMemory();
    }

    @Test
    void noMemoryForASegmentThatIsCutInALaterTurnEndsTheStream() {
        ddp.ulp.onFault = () -> ddp.writeAndFlush(terminate());
        transport.takesOnFlush = true;
        ddp.write(response(100 * WINDOW));
        ddp.flush();
        assertThat(ddp.channel.hasPendingTasks()).isTrue();
        int segments = transport.segments;
        allocator.left = 0;

        without(ddp::runTasks);

        assertThat(transport.segments).isEqualTo(segments + 1);
        assertThatTheStreamEndedForWantOfMemory();
    }

    /** Whoever gets a later message takes the bytes of all earlier Writes to be in place. */
    @Test
    void nothingFollowsAFailedSegmentDuringAnEarlierBurst() {
        ddp.ulp.onFault = () -> ddp.writeAndFlush(terminate());
        ddp.send("on its way");
        ddp.flush();
        transport.onWrite = () -> {
            transport.onWrite = () -> {};
            transport.promises.remove(1).setFailure(new OutOfMemoryError("no direct memory is left"));
        };
        ddp.send("refused");
        without(ddp::flush);
        ddp.send("behind");
        ddp.flush();

        assertThat(ddp.sent()).containsExactly("on its way", "refused", "T");
        transport.takeAll();
        assertThatTheStreamEndedForWantOfMemory();
    }

    /** No caller has the promise of the handler, so its failure comes up as an exception of the channel. */
    @Test
    void failedWriteMidBurstEndsTheStream() {
        ddp.ulp.onFault = () -> ddp.writeAndFlush(terminate());
        transport.onWrite = () -> {
            transport.onWrite = () -> {};
            ddp.channel.pipeline().fireExceptionCaught(new OutOfMemoryError("no direct memory is left"));
        };
        ddp.send("refused");
        ddp.send("behind");
        without(ddp::flush);

        assertThat(ddp.sent()).containsExactly("refused", "T");
        transport.takeAll();
        assertThatTheStreamEndedForWantOfMemory();
    }

    @Test
    void segmentsCutBeforeTheReleaseAreFlushed() {
        ddp.send("a");
        ddp.write(response(100));
        allocator.left = 0;

        without(ddp::flush);

        assertThat(transport.segments).isOne();
        assertThat(transport.flushes).isOne();
        assertThat(ddp.ulp.faults).hasSize(1);
    }

    @Test
    void aWindowThatMayHoldNoSegmentIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new DdpHandler(
                        WINDOW - 1,
                        ReceiverFixture.MESSAGE_TIMEOUT,
                        ddp.stream,
                        new RecordingUlp(),
                        new ConnectionCounters(),
                        () -> 0))
                .withMessage("transmitWindow: 131071 (expected: at least 131072)");
    }

    /** The delay before the first FPDU is a task of its own, whose exceptions are only logged. */
    @Test
    void noMemoryForTheFirstSegmentEndsTheStream() {
        RecordingUlp ulp = new RecordingUlp();
        ConnectionCounters counters = new ConnectionCounters();
        Duration delay = Duration.ofMillis(20);
        MpaSettings settings = MpaSettings.builder().firstFpduDelay(delay).build();
        EmbeddedChannel channel = new EmbeddedChannel();
        channel.freezeTime();
        channel.config().setAllocator(allocator);
        DdpHandler handler = new DdpHandler(
                DdpHandler.DEFAULT_TRANSMIT_WINDOW,
                ReceiverFixture.MESSAGE_TIMEOUT,
                ddp.stream,
                ulp,
                counters,
                () -> 0);
        ulp.idle = handler::idle;
        channel.pipeline().addLast(new MpaFramingHandler(settings, counters, handler), handler);
        channel.pipeline()
                .fireUserEventTriggered(new MpaEvent.Established(
                        AgreedParameters.builder(Role.INITIATOR).mulpdu(1018).build()));
        channel.writeAndFlush(response(100), channel.voidPromise());
        allocator.left = 0;
        ulp.onFault = () -> {
            allocator.left = 1;
            channel.writeAndFlush(terminate(), channel.voidPromise());
        };

        channel.advanceTimeBy(delay.toMillis(), TimeUnit.MILLISECONDS);
        channel.runScheduledPendingTasks();

        without(channel::checkException);
        assertThat(ulp.events).containsExactly("fault DDP_LOCAL_CATASTROPHIC", "sent T");
        channel.finishAndReleaseAll();
    }

    /** Nothing would close the connection: the layer above waits for its last message to be sent. */
    @Test
    void unsentTerminalMessageIsAChannelException() {
        ddp.ulp.onFault = () -> ddp.writeAndFlush(terminate());
        ddp.receives(Segment.untagged(0, 1).payload("x"));
        OutOfMemoryError exhausted = new OutOfMemoryError("for the test");

        transport.lose(exhausted);

        assertThat(ddp.ulp.events)
                .containsExactly("fault DDP_UNTAGGED_NO_BUFFER", "read complete")
                .doesNotContain("sent T");
        assertThat(ddp.exceptions).containsExactly(exhausted);
    }

    @Test
    void secondFailureOfATerminalMessageIsAChannelException() {
        ddp.ulp.onFault = () -> ddp.writeAndFlush(terminate());
        ddp.send("a");
        ddp.flush();
        ddp.send("b");
        ddp.flush();
        OutOfMemoryError exhausted = new OutOfMemoryError("for the test");
        transport.lose(new OutOfMemoryError("the first"));
        transport.lose(new OutOfMemoryError("the second"));
        assertThat(ddp.exceptions).isEmpty();

        transport.lose(exhausted);

        assertThat(ddp.ulp.events).containsExactly("fault DDP_LOCAL_CATASTROPHIC");
        assertThat(ddp.exceptions).containsExactly(exhausted);
    }

    @Test
    void droppedTerminalMessageIsAChannelException() {
        ddp.ulp.onFault = () -> ddp.writeAndFlush(terminate());
        ddp.send("a");
        ddp.flush();
        ddp.writable(false);
        ddp.receives(Segment.untagged(0, 1).payload("x"));
        OutOfMemoryError exhausted = new OutOfMemoryError("for the test");

        transport.lose(exhausted);

        assertThat(ddp.exceptions).containsExactly(exhausted);
    }

    @Test
    void ulpThatThrowsInOnSentEndsTheStream() {
        ddp.ulp.onFault = () -> ddp.writeAndFlush(terminate());
        ddp.ulp.onSent = message -> {
            ddp.ulp.onSent = later -> {};
            throw new IllegalStateException("the layer above fails, says the test");
        };
        ddp.send("a");
        ddp.send("b");
        ddp.flush();

        transport.takeAll();

        assertThat(ddp.ulp.faults)
                .singleElement()
                .satisfies(fault -> assertThat(fault.cause()).hasMessageContaining("the layer above fails"));
        assertThat(ddp.sent()).containsExactly("a", "b", "T");
        assertThat(ddp.ulp.events).last().isEqualTo("sent T");
    }
}
