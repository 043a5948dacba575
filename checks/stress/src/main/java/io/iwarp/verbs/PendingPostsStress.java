package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZZ_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Cases of {@link PendingPosts} and of the futures of {@link LoopFuture}. */
public final class PendingPostsStress {
    private static final QueuePair QUEUE_PAIR = new LoopByHand().queuePair(QueuePairSettings.DEFAULT);

    private PendingPostsStress() {}

    /** A thread adds, the event loop removes and closes: nothing is lost, and nothing comes in after the close. */
    @JCStressTest
    @Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "each post that was taken is there once")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a post is lost, doubled or taken after the close")
    @State
    public static class PosterBesideClose {
        private final PendingPosts posts = new PendingPosts(2, 100);
        private volatile int first;
        private int removed;
        private int expected;

        private int post() {
            int taken = 0;
            for (int i = 0; i < 2; i++) {
                if (posts.reserve(60 + i)) {
                    WorkRequest request = new WorkRequest((cancelled, future) -> {});
                    request.claimed(0, 60 + i);
                    posts.add(request);
                    taken++;
                }
            }
            return taken;
        }

        private void remove() {
            WorkRequest request = posts.peek();
            if (request != null && posts.remove(request, request.reservedBytes())) {
                removed++;
            }
        }

        /** Posts. */
        @Actor
        public void poster() {
            first = post();
        }

        /** Removes, and closes. */
        @Actor
        public void loop() {
            remove();
            posts.close();
            expected = posts.size();
            remove();
        }

        /** Removes the rest. */
        @Arbiter
        public void rest(ZZ_Result result) {
            while (posts.peek() != null) {
                remove();
            }
            result.r1 = removed == first && expected <= removed;
            result.r2 = posts.size() == 0 && posts.bytes() == 0 && !posts.reserve(1);
        }
    }

    /** The application cancels the future of a Read while the event loop places bytes, then completes it. */
    @JCStressTest
    @Outcome(id = "true, true, true", expect = Expect.ACCEPTABLE, desc = "completed, or cancelled and not placed later")
    @Outcome(expect = Expect.FORBIDDEN, desc = "settled twice, or placed after the cancellation")
    @State
    public static class CancelBesidePlacement {
        private final LoopFuture<Completion> future =
                new LoopFuture<>(QUEUE_PAIR.channel().eventLoop(), CompletionView::copy);
        private int cancellations;
        private final LoopFuture.Cancellable request = this::onCancel;
        private int placed;
        private int seen;
        private boolean cancelled;
        private boolean completed;

        private void onCancel(LoopFuture<?> future) {
            cancellations++;
        }

        /** The request is posted. */
        public CancelBesidePlacement() {
            future.attach(request);
        }

        /** Cancels. */
        @Actor
        public void application() {
            cancelled = future.cancel(true);
            seen = placed;
        }

        /** Places twice, and completes. */
        @Actor
        public void loop() {
            for (int i = 0; i < 2; i++) {
                if (future.beginPlacement(request)) {
                    placed++;
                    future.endPlacement(request);
                }
            }
            completed = future.settle();
            if (completed) {
                future.completeWith(new CompletionView()
                        .setFlushed(1, null, new CloseReason(EndedBy.TIMEOUT, null, "the case", null)));
            }
        }

        /** Looks. */
        @Arbiter
        public void look(ZZZ_Result result) {
            result.r1 = cancelled != completed && future.isCancelled() == cancelled;
            result.r2 = cancellations == (cancelled ? 1 : 0);
            result.r3 = !cancelled || seen == placed;
        }
    }
}
