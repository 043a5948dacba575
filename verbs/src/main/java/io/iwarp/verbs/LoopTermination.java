package io.iwarp.verbs;

import io.netty.channel.EventLoop;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Notifies queue pairs of the termination of their event loop. An event loop that is shut down without a quiet period
 * may end before it closes its channels. In that case no handler is notified, and posted requests would never complete.
 * {@link QueuePairEngine} completes them on this notification.
 *
 * <p>Any thread may call any method. Queue pairs are notified on the thread that reports the termination, after the
 * thread of the loop has stopped.
 */
final class LoopTermination {
    private static final ConcurrentMap<EventLoop, LoopTermination> LOOPS = new ConcurrentHashMap<>();

    /** One listener serves all queue pairs, since removing a listener from a future takes linear time. */
    private final Set<Runnable> waiting = ConcurrentHashMap.newKeySet();

    private LoopTermination(EventLoop loop) {
        loop.terminationFuture().addListener(terminated -> {
            LOOPS.remove(loop);
            waiting.forEach(Runnable::run);
        });
    }

    /** Runs {@code whenTerminated} when the loop terminates, unless {@link #forget} is called before. */
    static void await(EventLoop loop, Runnable whenTerminated) {
        try {
            LOOPS.computeIfAbsent(loop, LoopTermination::new).waiting.add(whenTerminated);
        } catch (UnsupportedOperationException e) {
            // A loop without a thread, such as the loop of an EmbeddedChannel, does not terminate.
        }
    }

    static void forget(EventLoop loop, Runnable whenTerminated) {
        LoopTermination termination = LOOPS.get(loop);
        if (termination != null) {
            termination.waiting.remove(whenTerminated);
        }
    }
}
