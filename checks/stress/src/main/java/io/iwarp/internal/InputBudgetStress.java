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

/** Cases of {@link InputBudget}: when all is at rest, no reservation waits beside room. */
public final class InputBudgetStress {
    private InputBudgetStress() {}

    /** A reservation requests what another one releases. */
    @JCStressTest
    @Outcome(id = "true, 10", expect = Expect.ACCEPTABLE, desc = "granted at once, or woken")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the reservation waits beside room")
    @State
    public static class RequestBesideRelease {
        private final AtomicInteger woken = new AtomicInteger();
        private final InputBudget budget = new InputBudget(10);
        private final InputBudget.Reservation oldest = budget.reservation(() -> {});
        private final InputBudget.Reservation holder = budget.reservation(() -> {});
        private final InputBudget.Reservation asking = budget.reservation(woken::incrementAndGet);
        private boolean granted;

        /** All is reserved, by two. */
        public RequestBesideRelease() {
            oldest.reserveOrWait(1);
            holder.reserveOrWait(9);
        }

        /** Releases. */
        @Actor
        public void holder() {
            holder.release();
            oldest.release();
        }

        /** Requests. */
        @Actor
        public void asking() {
            granted = asking.reserveOrWait(10);
        }

        /** Looks. */
        @Arbiter
        public void rest(ZJ_Result result) {
            result.r1 = !asking.isWaiting() && (granted || woken.get() == 1);
            result.r2 = budget.reservedBytes();
        }
    }

    /** A reservation ends while it is granted what it waits for. */
    @JCStressTest
    @Outcome(id = "0, true", expect = Expect.ACCEPTABLE, desc = "all is released, the next one is granted")
    @Outcome(expect = Expect.FORBIDDEN, desc = "bytes are lost, or the next one waits")
    @State
    public static class EndBesideGrant {
        private final InputBudget budget = new InputBudget(10);
        private final InputBudget.Reservation holder = budget.reservation(() -> {});
        private final InputBudget.Reservation ending = budget.reservation(() -> {});
        private final InputBudget.Reservation next = budget.reservation(() -> {});

        /** Two wait. */
        public EndBesideGrant() {
            holder.reserveOrWait(10);
            ending.reserveOrWait(10);
            next.reserveOrWait(10);
        }

        /** Releases. */
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
            result.r1 = budget.reservedBytes();
        }
    }
}
