package io.iwarp.verbs;

import java.util.concurrent.atomic.AtomicBoolean;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IZ_Result;

/** Cases of {@link DrainSchedule}: a post is always taken. */
public final class DrainScheduleStress {
    private DrainScheduleStress() {}

    /** A ring, the drain of which notices when two threads run it. */
    static class Drained {
        final PostRing<NumberedSlot> ring = new PostRing<>(4, NumberedSlot::new);
        final LoopByHand other = new LoopByHand();
        final LoopByHand loop = new LoopByHand().tellsOfItsEnd(other);
        final DrainSchedule schedule = new DrainSchedule(loop.loop(), this::takeAll, this::takeAll, () -> 0);
        private final AtomicBoolean busy = new AtomicBoolean();
        private int taken;
        private boolean beside;

        private void takeAll() {
            if (busy.getAndSet(true)) {
                beside = true;
            }
            while (ring.startNext() != null) {
                taken++;
            }
            busy.set(false);
        }

        void post() {
            NumberedSlot.post(ring, 1);
            schedule.wake();
        }

        void tell(IZ_Result result) {
            result.r1 = taken;
            result.r2 = beside;
        }
    }

    /** A thread posts while a drain is on its way. */
    @JCStressTest
    @Outcome(id = "1, false", expect = Expect.ACCEPTABLE, desc = "the post was taken")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the post was missed, or two threads took posts at a time")
    @State
    public static class PostBesideDrain extends Drained {
        /** A drain is on its way. */
        public PostBesideDrain() {
            schedule.wake();
        }

        /** Posts. */
        @Actor
        public void poster() {
            post();
        }

        /** Drains. */
        @Actor
        public void loop() {
            loop.run();
        }

        /** Lets the loop come to rest. */
        @Arbiter
        public void rest(IZ_Result result) {
            loop.run();
            tell(result);
        }
    }

    /** A thread posts while the event loop shuts down. */
    @JCStressTest
    @Outcome(id = "1, false", expect = Expect.ACCEPTABLE, desc = "the post was taken")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the post was missed, or two threads took posts at a time")
    @State
    public static class PostBesideEndOfLoop extends Drained {
        /** Posts. */
        @Actor
        public void poster() {
            post();
        }

        /** Ends. */
        @Actor
        public void loop() {
            loop.end(schedule::end);
        }

        /** Runs what the termination left to another thread; the loop that ended runs nothing more. */
        @Arbiter
        public void rest(IZ_Result result) {
            other.run();
            tell(result);
        }
    }
}
