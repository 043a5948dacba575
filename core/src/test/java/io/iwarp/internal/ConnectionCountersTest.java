package io.iwarp.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.Counter;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class ConnectionCountersTest {
    @Test
    void eachCounterCountsByItself() {
        ConnectionCounters counters = new ConnectionCounters();
        for (Counter counter : Counter.values()) {
            counters.add(counter, 10);
        }
        counters.add(Counter.BYTES_PLACED, 1L << 40);

        assertThat(counters.get(Counter.BYTES_PLACED)).isEqualTo(10 + (1L << 40));
        assertThat(counters.get(Counter.SEGMENTS_PLACED)).isEqualTo(10);
        assertThat(Arrays.stream(Counter.values()).mapToLong(counters::get).sum())
                .isEqualTo(10L * Counter.values().length + (1L << 40));
    }

    @Test
    void textShowsWhatWasCounted() {
        ConnectionCounters counters = new ConnectionCounters();
        counters.add(Counter.FPDUS_SENT, 2);
        counters.add(Counter.CRC_ERRORS, 1);

        assertThat(counters).hasToString("Counters[FPDUS_SENT=2, CRC_ERRORS=1]");
        assertThat(new ConnectionCounters()).hasToString("Counters[]");
    }

    @Test
    void everyCounterHasAMeterOfItsOwnWithUnitAndDescription() {
        assertThat(Counter.values())
                .allSatisfy(counter -> {
                    assertThat(counter.unit()).isNotEmpty();
                    assertThat(counter.description()).hasSizeGreaterThan(10);
                })
                .extracting(Counter::meterName)
                .doesNotHaveDuplicates()
                .contains("iwarp.fpdus.sent");
    }

    @Test
    void anotherThreadSeesTheCountersRise() throws InterruptedException {
        ConnectionCounters counters = new ConnectionCounters();
        long goal = 1_000_000;
        Thread writer = new Thread(() -> {
            for (long i = 0; i < goal; i++) {
                counters.add(Counter.FPDUS_RECEIVED, 1);
            }
        });
        writer.start();
        long seen = 0;
        while (seen < goal) {
            long now = counters.get(Counter.FPDUS_RECEIVED);
            assertThat(now).isBetween(seen, goal);
            seen = now;
        }
        writer.join();
    }
}
