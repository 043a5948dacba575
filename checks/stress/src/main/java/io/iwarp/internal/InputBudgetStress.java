package io.iwarp.internal;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JZ_Result;
import org.openjdk.jcstress.infra.results.ZJ_Result;

/** Cases of {@link InputBudget}: when all is at rest, no claim waits beside room. */
public final class InputBudgetStress {
    private InputBudgetStress() {}

    /** A claim asks for what another one gives back. */
    @JCStressTest
    @Outcome(id = "true, 10", expect = Expect.ACCEPTABLE, desc = "granted at once, or woken")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the claim waits beside room")
    @State
    public static class RequestBesideRelease {
        private final AtomicInteger woken = new AtomicInteger();
        private final InputBudget budget = new InputBudget(10);
        private final InputBudget.Claim oldest = budget.claim(() -> {});
        private final InputBudget.Claim holder = budget.claim(() -> {});
        private final InputBudget.Claim asking = budget.claim(woken::incrementAndGet);
        private boolean granted;

        /** All is taken, by two claims. */
        public RequestBesideRelease() {
            oldest.request(1);
            holder.request(9);
        }

        /** Gives back. */
        @Actor
        public void holder() {
            holder.release();
            oldest.release();
        }

        /** Asks. */
        @Actor
        public void asking() {
            granted = asking.request(10);
        }

        /** Looks. */
        @Arbiter
        public void rest(ZJ_Result result) {
            result.r1 = !asking.isWaiting() && (granted || woken.get() == 1);
            result.r2 = budget.chargedBytes();
        }
    }

    /** A claim ends while it is granted what it waits for. */
    @JCStressTest
    @Outcome(id = "0, true", expect = Expect.ACCEPTABLE, desc = "all is given back, the next one is served")
    @Outcome(expect = Expect.FORBIDDEN, desc = "bytes are lost, or the next one waits")
    @State
    public static class EndBesideGrant {
        private final InputBudget budget = new InputBudget(10);
        private final InputBudget.Claim holder = budget.claim(() -> {});
        private final InputBudget.Claim ending = budget.claim(() -> {});
        private final InputBudget.Claim next = budget.claim(() -> {});

        /** Two wait. */
        public EndBesideGrant() {
            holder.request(10);
            ending.request(10);
            next.request(10);
        }

        /** Gives back. */
        @Actor
        public void holder() {
            holder.release();
        }

        /** Ends. */
        @Actor
        public void ending() {
            ending.close();
        }

        /** Looks. */
        @Arbiter
        public void rest(JZ_Result result) {
            result.r2 = !next.isWaiting();
            next.release();
            result.r1 = budget.chargedBytes();
        }
    }
}
