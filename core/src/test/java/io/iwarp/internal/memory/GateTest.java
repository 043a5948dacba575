package io.iwarp.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
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
        List<Thread> closers = List.of(new Thread(gate::close), new Thread(gate::close));
        closers.forEach(Thread::start);
        for (Thread closer : closers) {
            awaitSpinning(closer);
        }
        assertThat(gate.enter()).isFalse();
        gate.leave();
        for (Thread closer : closers) {
            awaitSpinning(closer);
        }
        gate.leave();
        for (Thread closer : closers) {
            closer.join();
        }
    }

    /** Waits until the thread waits in {@link Gate#close}; fails if it has returned. */
    static void awaitSpinning(Thread closer) {
        boolean spinning = false;
        while (!spinning) {
            assertThat(closer.isAlive()).as("the closer waits").isTrue();
            StackTraceElement[] stack = closer.getStackTrace();
            spinning = stack.length > 1
                    && stack[0].getMethodName().equals("yield")
                    && stack[1].getClassName().equals(Gate.class.getName());
        }
    }
}
