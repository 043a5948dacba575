package io.iwarp.transports;

import io.iwarp.verbs.CompletionQueue;
import io.iwarp.verbs.CompletionView;
import io.iwarp.verbs.QueuePair;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** All completions by a completion queue, which a thread of its own polls. */
final class QueuePosts extends CallbackPosts {
    private static final int CAPACITY = 256;
    private static final int BATCH = 16;

    private final CompletionQueue queue = CompletionQueue.create(CAPACITY);
    private final Thread poller = new Thread(this::poll, "completion poller");

    QueuePosts(QueuePair queuePair, Consumer<CompletionView> unposted) {
        super(queuePair, unposted);
        queuePair.setCompletionQueue(queue);
        poller.start();
    }

    private void poll() {
        try {
            while (queue.await(1, TimeUnit.DAYS)) {
                queue.poll(this::onCompletion, BATCH);
            }
        } catch (InterruptedException closed) {
            queue.close();
        }
    }

    @Override
    public void close() throws InterruptedException {
        poller.interrupt();
        poller.join();
    }
}
