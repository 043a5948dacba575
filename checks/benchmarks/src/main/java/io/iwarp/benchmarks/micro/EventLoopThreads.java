package io.iwarp.benchmarks.micro;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Runs JMH's benchmarks in threads like those of event loops: other threads cache no {@code EventLoopBuffers}. */
public final class EventLoopThreads extends ThreadPoolExecutor {

    /**
     * Creates the threads; JMH calls this constructor.
     *
     * @param threads their number
     * @param name the prefix of their names
     */
    public EventLoopThreads(int threads, String name) {
        super(threads, threads, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), new DefaultThreadFactory(name));
    }
}
