package io.iwarp.benchmarks;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Prints how long a cache line takes from one processor to the other, in nanoseconds: two threads count in turns. A
 * hypervisor that moves the virtual processors changes this time by a factor, and with it all results.
 */
final class ProcessorDistance {
    private static final int ROUNDS = 200;
    private static final int TRANSFERS_PER_ROUND = 600;

    private ProcessorDistance() {}

    static void print() {
        AtomicInteger turn = new AtomicInteger();
        Thread odd = new Thread(() -> count(turn, 1));
        odd.setDaemon(true);
        odd.start();
        long[] nanos = new long[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            long start = System.nanoTime();
            for (int i = 0; i < TRANSFERS_PER_ROUND; i += 2) {
                await(turn, 0);
                turn.setRelease(1);
            }
            nanos[round] = (System.nanoTime() - start) / TRANSFERS_PER_ROUND;
        }
        Arrays.sort(nanos);
        System.out.println(nanos[ROUNDS / 4]);
    }

    private static void count(AtomicInteger turn, int mine) {
        while (true) {
            await(turn, mine);
            turn.setRelease(1 - mine);
        }
    }

    private static void await(AtomicInteger turn, int mine) {
        while (turn.getAcquire() != mine) {
            Thread.onSpinWait();
        }
    }
}
