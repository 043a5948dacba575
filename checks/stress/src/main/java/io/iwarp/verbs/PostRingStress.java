package io.iwarp.verbs;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZZ_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Cases of {@link PostRing}: nothing that was posted is lost, and each poster's posts stay in their order. */
public final class PostRingStress {
    private PostRingStress() {}

    /** Two threads post, and one of their posts finds no room. */
    @JCStressTest
    @Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "what was posted is there, in order")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a post is lost, doubled or out of order")
    @State
    public static class TwoPosters {
        private static final int OF_SECOND = 10;
        private final PostRing<NumberedSlot> ring = new PostRing<>(3, NumberedSlot::new);
        private int first;
        private int second;

        /** Posts 0 and 1. */
        @Actor
        public void first() {
            first = postTwo(0);
        }

        /** Posts 10 and 11. */
        @Actor
        public void second() {
            second = postTwo(OF_SECOND);
        }

        private int postTwo(int number) {
            return !NumberedSlot.post(ring, number) ? 0 : NumberedSlot.post(ring, number + 1) ? 2 : 1;
        }

        /** Takes them. */
        @Arbiter
        public void takeAll(ZZ_Result result) {
            int nextOfFirst = 0;
            int nextOfSecond = 0;
            boolean inOrder = true;
            for (NumberedSlot slot = ring.startNext(); slot != null; slot = ring.startNext()) {
                if (slot.number < OF_SECOND) {
                    inOrder &= slot.number == nextOfFirst++;
                } else {
                    inOrder &= slot.number == OF_SECOND + nextOfSecond++;
                }
            }
            result.r1 = nextOfFirst == first && nextOfSecond == second && first + second == ring.depth();
            result.r2 = inOrder;
        }
    }

    /** A thread posts through a ring of two places, which the event loop empties meanwhile. */
    @JCStressTest
    @Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "what was posted came, in order")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a post is lost, doubled or out of order")
    @State
    public static class PosterBesideLoop {
        private static final int TRIES = 6;
        private final PostRing<NumberedSlot> ring = new PostRing<>(2, NumberedSlot::new);
        private int posted;
        private int taken;
        private boolean inOrder = true;

        /** Posts. */
        @Actor
        public void poster() {
            for (int i = 0; i < TRIES; i++) {
                if (NumberedSlot.post(ring, posted)) {
                    posted++;
                }
            }
        }

        /** Takes, and frees what it took. */
        @Actor
        public void loop() {
            for (int i = 0; i < TRIES; i++) {
                take();
            }
        }

        private boolean take() {
            NumberedSlot slot = ring.startNext();
            if (slot == null) {
                return false;
            }
            inOrder &= slot.number == taken++;
            slot.number = -1;
            ring.done();
            ring.release();
            return true;
        }

        /** Takes the rest. */
        @Arbiter
        @SuppressWarnings("StatementWithEmptyBody")
        public void rest(ZZ_Result result) {
            while (take()) {}
            result.r1 = posted == taken && ring.unreleasedCount() == 0 && ring.unstartedCount() == 0;
            result.r2 = inOrder;
        }
    }

    /**
     * The event loop closes the ring beside a poster. It may only think that all is taken if nothing follows: an
     * orderly close sends what was posted before it.
     */
    @JCStressTest
    @Outcome(id = "true, false, false", expect = Expect.ACCEPTABLE, desc = "all was taken")
    @Outcome(id = "false, true, false", expect = Expect.ACCEPTABLE, desc = "the loop knows that something is to follow")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a post is lost behind the close, or comes in after it")
    @State
    public static class CloseBesidePoster {
        private final PostRing<NumberedSlot> ring = new PostRing<>(4, NumberedSlot::new);
        private boolean allTaken;

        /** Posts. */
        @Actor
        public void poster() {
            NumberedSlot.post(ring, 1);
        }

        /** Posts as well, then closes. */
        @Actor
        @SuppressWarnings("StatementWithEmptyBody")
        public void loop() {
            NumberedSlot.post(ring, 2);
            ring.close();
            while (ring.startNext() != null) {}
            allTaken = ring.unstartedCount() == 0;
        }

        /** Looks for what follows. */
        @Arbiter
        public void late(ZZZ_Result result) {
            result.r1 = allTaken;
            result.r2 = ring.startNext() != null;
            result.r3 = ring.claim() != PostRing.FULL;
        }
    }
}
