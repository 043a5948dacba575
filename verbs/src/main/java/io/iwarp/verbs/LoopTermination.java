package io.iwarp.verbs;

import io.netty.channel.EventLoop;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Tells queue pairs that their event loop has terminated. An event loop that is shut down without a quiet period may end
 * before it closes its channels. Then no handler learns of it, and posted requests would never complete.
 * {@link QueuePairEngine} completes them when it is told.
 *
 * <p>Any thread may call any method. The queue pairs are told on the thread that notifies of the termination, when the thread
 * of the loop does nothing any more.
 */
final class LoopTermination {
    private static final ConcurrentMap<EventLoop, LoopTermination> LOOPS = new ConcurrentHashMap<>();

    /** One listener for all: to take one of many from a future takes as long as there are others. */
    private final Set<Runnable> waiting = ConcurrentHashMap.newKeySet();

    private LoopTermination(EventLoop loop) {
        loop.terminationFuture().addListener(terminated -> {
            LOOPS.remove(loop);
            waiting.forEach(Runnable::run);
        });
    }

    /** Has this run when the loop terminates, unless {@link #forget} is called before. */
    static void await(EventLoop loop, Runnable whenTerminated) {
        try {
            LOOPS.computeIfAbsent(loop, LoopTermination::new).waiting.add(whenTerminated);
        } catch (UnsupportedOperationException e) {
            // A loop without a thread, such as that of an EmbeddedChannel, does not terminate.
        }
    }

    static void forget(EventLoop loop, Runnable whenTerminated) {
        LoopTermination termination = LOOPS.get(loop);
        if (termination != null) {
            termination.waiting.remove(whenTerminated);
        }
    }
}
