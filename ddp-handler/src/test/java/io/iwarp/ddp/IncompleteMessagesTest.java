package io.iwarp.ddp;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.testing.Requirement;
import io.iwarp.testing.Segment;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How long an untagged message may be incomplete, under virtual time. */
@Requirement("MPA-77")
class IncompleteMessagesTest {
    private static final Duration TIMEOUT = ReceiverFixture.MESSAGE_TIMEOUT;
    private static final Duration MOMENT = Duration.ofMillis(1);
    private static final int SECOND_OF_BYTES = IncompleteMessages.MIN_BYTES_PER_SECOND;
    private static final int ROOM = 4 * SECOND_OF_BYTES;
    private static final byte[] BYTE = {1};

    private final ReceiverFixture ddp = new ReceiverFixture();

    @BeforeEach
    void freeze() {
        ddp.loop.freezeTime();
        ddp.ulp.post(0, ROOM);
    }

    @AfterEach
    void close() {
        assertThat(ddp.ulp.faults).isEmpty();
        ddp.receiver.discardInput();
        assertThat(ddp.loop.runScheduledPendingTasks()).as("timers left").isEqualTo(-1);
        ddp.close();
    }

    private void pass(Duration time) {
        ddp.loop.advanceTimeBy(time.toNanos(), TimeUnit.NANOSECONDS);
        ddp.loop.runScheduledPendingTasks();
    }

    private void assertExpiresAfter(Duration time) {
        pass(time.minus(MOMENT));
        assertThat(timeouts()).isZero();
        pass(MOMENT.multipliedBy(2));
        assertThat(timeouts()).isOne();
    }

    private long timeouts() {
        return ddp.ulp.events.stream()
                .filter(event -> event.startsWith("timeout "))
                .count();
    }

    private static Segment begin(int msn, int length) {
        return Segment.send(msn, new byte[length]).last(false);
    }

    @Test
    void aMessageOfOneByteHasTheTimeout() {
        ddp.receives(begin(1, 1));
        assertExpiresAfter(TIMEOUT);
        assertThat(ddp.ulp.events)
                .last()
                .isEqualTo("timeout message 1 on queue 0 was not complete within PT10S, the message timeout: 1 bytes of"
                        + " it have arrived");
    }

    @Test
    void afterTheTimeoutSegmentsAreDropped() {
        ddp.receives(begin(1, 1));
        assertExpiresAfter(TIMEOUT);
        ddp.receives(Segment.send(1, BYTE).offset(1));
        assertThat(ddp.ulp.delivered).isEmpty();
    }

    @Test
    void eachNewByteExtendsItAtTheLeastRate() {
        ddp.receives(begin(1, SECOND_OF_BYTES));
        pass(Duration.ofSeconds(5));
        ddp.receives(begin(1, SECOND_OF_BYTES).offset(SECOND_OF_BYTES));
        assertExpiresAfter(TIMEOUT.minusSeconds(5).plusSeconds(2));
    }

    @Test
    void aRepeatedSegmentExtendsNothing() {
        for (int i = 0; i < 9; i++) {
            ddp.receives(begin(1, 1));
            pass(Duration.ofSeconds(1));
        }
        assertExpiresAfter(TIMEOUT.minusSeconds(9));
    }

    @Test
    void otherMessagesAndWritesExtendNothing() {
        ddp.ulp.post(0, 1);
        ddp.receives(begin(1, 1));
        for (int i = 0; i < 9; i++) {
            pass(Duration.ofSeconds(1));
            ddp.receives(Segment.write(0, 0, new byte[0]));
        }
        ddp.receives(Segment.send(2, BYTE));
        assertExpiresAfter(TIMEOUT.minusSeconds(9));
    }

    @Test
    void bytesOfAnotherIncompleteMessageExtendNothing() {
        ddp.ulp.post(1, ROOM);
        ddp.receives(begin(1, 1));
        ddp.receives(begin(1, SECOND_OF_BYTES).queue(1));
        assertExpiresAfter(TIMEOUT);
        assertThat(ddp.ulp.events).last().asString().contains("queue 0 ");
    }

    @Test
    void eachMessageHasATimeOfItsOwn() {
        ddp.ulp.post(0, ROOM);
        ddp.ulp.post(0, ROOM);
        ddp.receives(begin(1, 1));
        pass(Duration.ofSeconds(4));
        ddp.receives(begin(2, 1));
        ddp.receives(Segment.send(1, BYTE).offset(1));
        ddp.receives(begin(3, 1));
        assertExpiresAfter(TIMEOUT);
        assertThat(ddp.ulp.events).last().asString().contains("message 2 ");
    }

    @Test
    void aCompleteMessageNeverExpires() {
        ddp.receives(begin(1, 1));
        ddp.receives(Segment.send(1, BYTE).offset(1));
        pass(TIMEOUT.multipliedBy(10));
        assertThat(timeouts()).isZero();
        assertThat(ddp.ulp.delivered).hasSize(1);
    }

    @Test
    void aStallIsAdded() {
        ddp.ulp.awaitsBuffers = true;
        ddp.ulp.post(1, ROOM);
        ddp.receives(Segment.send(1, BYTE));
        ddp.receives(begin(1, 1).queue(1));
        pass(Duration.ofSeconds(4));
        assertThat(ddp.takes(Segment.send(2, BYTE))).isFalse();
        pass(TIMEOUT.multipliedBy(3));
        assertThat(ddp.takes(Segment.send(2, BYTE))).isFalse();
        pass(TIMEOUT);
        // The next check of the timer comes 3 seconds after the stall.
        pass(Duration.ofSeconds(3));
        ddp.ulp.post(0, ROOM);
        assertThat(ddp.takes(Segment.send(2, BYTE))).isTrue();
        assertExpiresAfter(TIMEOUT.minusSeconds(4));
        assertThat(ddp.ulp.events).last().asString().contains("queue 1 ");
    }
}
