package io.iwarp.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class GateTest {
    private final Gate gate = new Gate();

    @Test
    void openGateAdmitsManyUsers() {
        assertThat(gate.enter()).isTrue();
        assertThat(gate.enter()).isTrue();
        gate.leave();
        gate.leave();
        assertThat(gate.isClosed()).isFalse();
    }

    @Test
    void closedGateRefusesEntryPermanently() {
        gate.close();
        for (int i = 0; i < 3; i++) {
            assertThat(gate.enter()).isFalse();
        }
        gate.close();
        assertThat(gate.isClosed()).isTrue();
        assertThat(gate.enter()).isFalse();
    }

    @Test
    @Timeout(30)
    void closingReturnsOnlyWhenTheLastUserIsOut() throws InterruptedException {
        assertThat(gate.enter()).isTrue();
        assertThat(gate.enter()).isTrue();
        CountDownLatch closed = new CountDownLatch(2);
        for (int i = 0; i < 2; i++) {
            new Thread(() -> {
                        gate.close();
                        closed.countDown();
                    })
                    .start();
        }
        while (!gate.isClosed()) {
            Thread.onSpinWait();
        }
        assertThat(gate.enter()).isFalse();
        gate.leave();
        assertThat(closed.await(20, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(closed.getCount()).isEqualTo(2);
        gate.leave();
        closed.await();
    }
}
