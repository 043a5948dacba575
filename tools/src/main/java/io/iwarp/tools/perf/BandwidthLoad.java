package io.iwarp.tools.perf;

import io.iwarp.Operation;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.CompletionView;
import io.iwarp.verbs.QueuePair;

/**
 * Keeps as many operations in flight as the depth allows. An operation that consumes a receive counts when the server
 * reports it. Other operations count at their completion.
 */
final class BandwidthLoad extends PerfLoad {
    /** Only a sample of small operations is timed, because reading the clock takes a significant part of their time. */
    private static final int TIMED_SIZE = 1 << 16;

    private static final int TIMED_INTERVAL = 64;

    private final int depth;
    private final long window;
    private final boolean credited;
    private final int interval;

    @SuppressWarnings("UnnecessaryLambda") // allocated once
    private final Runnable postLater = () -> attempt(this::postMore);

    private final long[] postedAt;
    private int untilTimedPost = 1;
    private int untilTimedCompletion = 1;
    private int timedPosts;
    private int timedCompletions;
    private long completed;
    private long acknowledged;
    private boolean stopping;
    private boolean asked;

    BandwidthLoad(QueuePair queuePair, PerfMemory memory, RemoteBuffer target, PerfMeter meter, Work work) {
        super(queuePair, memory, target, meter, work);
        PerfTask task = work.task();
        depth = task.depth();
        credited = task.operation().usesReceives();
        window = task.window();
        interval = task.size() < TIMED_SIZE && !pace().scheduled() && work.count() == 0 ? TIMED_INTERVAL : 1;
        postedAt = new long[depth / interval + 1];
    }

    @Override
    void onBegin() {
        for (int i = 0; i < task().acknowledgements(); i++) {
            receive();
        }
        postMore();
    }

    private void postMore() {
        while (hasRoom() && pace().isDue(postLater)) {
            if (--untilTimedPost == 0) {
                untilTimedPost = interval;
                postedAt[timedPosts] = pace().due();
                timedPosts = next(timedPosts);
            }
            post();
        }
        if (allPosted()) {
            stopping = true;
        }
    }

    private boolean hasRoom() {
        return posted() - completed < depth
                && !stopping
                && !allPosted()
                && (!credited || posted() - acknowledged < window);
    }

    /** The maximum number of timed operations in flight. */
    private int next(int place) {
        return place + 1 == postedAt.length ? 0 : place + 1;
    }

    @Override
    void onDone(CompletionView completion) {
        if (completion.operation() == Operation.IMMEDIATE) {
            return;
        }
        if (--untilTimedCompletion == 0) {
            untilTimedCompletion = interval;
            meter().took(System.nanoTime() - postedAt[timedCompletions]);
            timedCompletions = next(timedCompletions);
        }
        completed++;
        if (!credited) {
            meter().done(1);
        }
        if (stopping) {
            askIfDone();
        } else {
            postMore();
        }
    }

    @Override
    void onReceived(CompletionView completion) {
        long count = completion.immediate();
        if (credited) {
            meter().done(Math.min(count, posted()) - acknowledged);
        }
        acknowledged = Math.min(count, posted());
        if (asked && count == (credited ? posted() + 1 : 1)) {
            finish();
            return;
        }
        receive();
        postMore();
    }

    @Override
    void onStop() {
        stopping = true;
        askIfDone();
    }

    private void askIfDone() {
        if (completed == posted() && !asked) {
            asked = true;
            ask();
        }
    }
}
