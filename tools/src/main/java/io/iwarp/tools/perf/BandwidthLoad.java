package io.iwarp.tools.perf;

import io.iwarp.Operation;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.tools.cli.Meter;
import io.iwarp.verbs.CompletionView;
import io.iwarp.verbs.ImmediateData;
import io.iwarp.verbs.PostOptions;
import io.iwarp.verbs.QueuePair;
import org.jspecify.annotations.Nullable;

/**
 * One side of a connection that measures bandwidth. A side that posts keeps as many operations in flight as the depth
 * allows. Operations that consume a receive count when the receiver reports them, other ones at their completion, and
 * Writes of the server when it announces them. What the sides say to each other is Immediate Data:
 *
 * <pre>
 *   client, 0              begin: only if the server posts
 *   receiver, n            so far it received n messages
 *   server that Writes, n  it has written n times before this
 *   client, solicited      all that it posted is complete: answer when all has arrived, and post no more
 *   server, solicited, n   the answer, with the n from above
 * </pre>
 */
final class BandwidthLoad extends PerfLoad {
    /** Only a sample of small operations is timed, because reading the clock takes a significant part of their time. */
    private static final int TIMED_SIZE = 1 << 16;

    private static final int TIMED_INTERVAL = 64;

    private final @Nullable Meter meter;
    private final boolean posts;
    private final boolean credited;
    private final int depth;
    private final long window;
    private final int batch;
    private final int interval;

    private final long[] postedAt;
    private int untilTimedPost = 1;
    private int untilTimedCompletion = 1;
    private int timedPosts;
    private int timedCompletions;
    private boolean begun;
    private long completed;
    private long acknowledged;
    private long received;
    private int untilMessage;
    private boolean asked;

    /** @param meter at the client; null at the server */
    BandwidthLoad(QueuePair queuePair, PerfMemory memory, RemoteBuffer target, @Nullable Meter meter, Work work) {
        super(queuePair, memory, target, work);
        this.meter = meter;
        PerfTask task = work.task();
        posts = meter != null ? task.direction().fromClient() : task.direction().fromServer();
        credited = task.operation().usesReceives();
        depth = task.depth();
        window = task.window();
        batch = task.batch();
        untilMessage = batch;
        interval = task.size() < TIMED_SIZE && !pace().scheduled() && work.count() == 0 ? TIMED_INTERVAL : 1;
        postedAt = new long[meter == null ? 0 : depth / interval + 1];
    }

    @Override
    protected void onBegin() {
        for (int i = 0; i < task().receives(meter != null); i++) {
            receive();
        }
        if (meter != null) {
            begun = true;
            if (task().direction().fromServer()) {
                say(0, PostOptions.NONE);
            }
            postMore();
        }
    }

    @Override
    protected void onDue() {
        postMore();
    }

    private void postMore() {
        while (hasRoom() && pace().isDue()) {
            if (meter != null && --untilTimedPost == 0) {
                untilTimedPost = interval;
                postedAt[timedPosts] = pace().due();
                timedPosts = after(timedPosts);
            }
            post();
            if (meter == null && !credited && --untilMessage == 0) {
                untilMessage = batch;
                say(posted(), PostOptions.NONE);
            }
        }
    }

    private boolean hasRoom() {
        return posts
                && begun
                && !stopping()
                && posted() - completed < depth
                && (!credited || posted() - acknowledged < window);
    }

    private int after(int place) {
        return place + 1 == postedAt.length ? 0 : place + 1;
    }

    private void say(long number, PostOptions options) {
        queuePair().sendQueue().sendImmediate(number, new ImmediateData(number), options);
    }

    @Override
    protected void onDone(CompletionView completion) {
        if (completion.operation() == Operation.IMMEDIATE) {
            return;
        }
        completed++;
        if (meter != null) {
            if (--untilTimedCompletion == 0) {
                untilTimedCompletion = interval;
                record(meter, postedAt[timedCompletions]);
                timedCompletions = after(timedCompletions);
            }
            if (!credited) {
                meter.done(1);
            }
        }
        if (stopping()) {
            onStop();
        } else {
            postMore();
        }
    }

    @Override
    protected void onReceived(CompletionView completion) {
        boolean said = completion.hasImmediate()
                && (meter != null
                        || completion.solicited()
                        || task().direction().fromServer());
        if (!said) {
            receive();
            onMessage();
            return;
        }
        if (!completion.solicited() || meter != null) {
            onNumber(completion.immediate());
        }
        if (!completion.solicited()) {
            receive();
            begun = true;
            postMore();
        } else if (meter != null) {
            finish();
        } else {
            receive();
            asked = true;
            stopNow();
        }
    }

    private void onMessage() {
        received++;
        if (meter != null) {
            meter.doneByPeer(1);
        }
        if (--untilMessage == 0) {
            untilMessage = batch;
            say(received, PostOptions.NONE);
        }
    }

    private void onNumber(long number) {
        long before = acknowledged;
        if (credited) {
            acknowledged = Math.min(number, posted());
            if (meter != null) {
                meter.done(acknowledged - before);
            }
        } else if (meter != null) {
            acknowledged = number;
            meter.doneByPeer(acknowledged - before);
        }
    }

    /** The client asks when its operations are complete, the server answers when its own are. */
    @Override
    protected void onStop() {
        boolean client = meter != null;
        if (completed == posted() && asked != client) {
            asked = client;
            say(credited ? received : posted(), client ? PostOptions.SOLICITED_AND_FENCE : PostOptions.SOLICITED);
        }
    }
}
