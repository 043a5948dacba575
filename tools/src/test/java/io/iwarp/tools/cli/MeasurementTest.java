package io.iwarp.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class MeasurementTest {
    @Test
    void allOperationsAreOfThePeerIfThisSidePostsNone() throws InterruptedException {
        Meter meter = new Meter();
        Thread peer = new Thread(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                meter.doneByPeer(1);
            }
        });
        peer.start();
        try {
            for (int i = 0; i < 5_000; i++) {
                Interval total = new Measurement(List.of(meter)).total();
                assertThat(total.ofPeer()).isEqualTo(total.operations());
            }
        } finally {
            peer.interrupt();
            peer.join();
        }
    }
}
