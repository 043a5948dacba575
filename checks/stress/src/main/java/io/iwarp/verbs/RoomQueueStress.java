package io.iwarp.verbs;

import java.util.concurrent.TimeUnit;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/** A case of {@link RoomQueue}: no thread waits beside free room. */
public final class RoomQueueStress {
    private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** Much more than a wake-up takes. */
    private static final long SOON_NANOS = TimeUnit.SECONDS.toNanos(5);

    private RoomQueueStress() {}

    /** A thread finds a full ring while the event loop makes room. */
    @JCStressTest
    @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "the thread has the room")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the thread waited beside free room")
    @State
    public static class WaitBesideRelease {
        private final PostRing<NumberedSlot> ring = new PostRing<>(1, NumberedSlot::new);
        private final LoopByHand loop = new LoopByHand();
        private final DrainSchedule schedule = new DrainSchedule(loop.loop(), () -> {}, () -> {});
        private volatile boolean over;
        private boolean soon;

        /** There is no room, and the line is known to the event loop. */
        public WaitBesideRelease() {
            NumberedSlot.post(ring, 1);
            ring.take();
            ring.room();
        }

        /** Waits for room. */
        @Actor
        public void poster() {
            long start = System.nanoTime();
            long position = ring.room().await(ring::claim, WAIT_NANOS, schedule);
            soon = position != PostRing.FULL && System.nanoTime() - start < SOON_NANOS;
            over = true;
        }

        /** Makes room, and goes on. */
        @Actor
        public void loop() {
            loop.run(ring::free);
            while (!over) {
                loop.run();
            }
        }

        /** Looks at the poster. */
        @Arbiter
        public void rest(Z_Result result) {
            result.r1 = soon;
        }
    }
}
