package io.iwarp.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.internal.ByteBudget;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** The limit of the device on the buffers of FPDUs that have arrived in part. */
class PartialFpduLimitTest {
    private static final long LIMIT = 1 << 20;
    private static final long INNOCENT = 10_000;

    private final IwarpDevice device =
            IwarpDevice.builder().maxPartialFpduBytes(LIMIT).build();
    private final ByteBudget budget =
            device.allocateProtectionDomain().openStream().inputBudget();

    @Test
    void aStreamGetsAsMuchAsIsLeftForOthersAndNotOneByteMore() {
        assertThat(device.maxPartialFpduBytes()).isEqualTo(LIMIT);
        assertThat(budget.takeShare(LIMIT / 2 - 1, 0)).isTrue();
        assertThat(budget.takeShare(2, LIMIT / 2 - 1)).isFalse();
        assertThat(budget.takeShare(1, LIMIT / 2 - 1)).isTrue();
        assertThat(budget.takeShare(LIMIT / 4 + 1, 0)).isFalse();
        assertThat(budget.takeShare(LIMIT / 4, 0)).isTrue();
        assertThat(device.partialFpduBytes()).isEqualTo(LIMIT / 2 + LIMIT / 4);

        budget.give(LIMIT / 2 + LIMIT / 4);

        assertThat(device.partialFpduBytes()).isZero();
    }

    /** Two streams ask for too much at the same time as one whose bytes always fit. */
    @Test
    void aRefusalCausesNoOther() throws InterruptedException {
        AtomicBoolean over = new AtomicBoolean();
        AtomicBoolean granted = new AtomicBoolean();
        Runnable greedy = () -> {
            while (!over.get()) {
                granted.compareAndSet(false, budget.takeShare(LIMIT + 1, 0));
            }
        };
        Thread[] others = {new Thread(greedy), new Thread(greedy)};
        for (Thread other : others) {
            other.start();
        }
        int refused = 0;
        for (int i = 0; i < 1_000_000; i++) {
            if (budget.takeShare(INNOCENT, 0)) {
                budget.give(INNOCENT);
            } else {
                refused++;
            }
        }
        over.set(true);
        for (Thread other : others) {
            other.join();
        }

        assertThat(refused).isZero();
        assertThat(granted).isFalse();
        assertThat(device.partialFpduBytes()).isZero();
    }
}
