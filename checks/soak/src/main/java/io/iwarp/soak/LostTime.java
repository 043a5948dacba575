package io.iwarp.soak;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How long event loops were runnable and had no processor, as the kernel counts it, and how long collections stopped
 * them. A request takes that much longer on a busy machine, whatever the stack does. Nothing is lost where the kernel
 * does not count.
 *
 * <p>Any thread may call any method.
 */
final class LostTime implements ThreadFactory {
    private static final long KEPT_NANOS = TimeUnit.MINUTES.toNanos(5);

    private final ThreadFactory threads = new DefaultThreadFactory("soak");
    /** One for each event loop that runs. */
    private final Set<Path> counters = ConcurrentHashMap.newKeySet();
    /** Of event loops that have ended. */
    private final AtomicLong ended = new AtomicLong();

    /** What was lost in all, by the time of the sample. */
    private final ConcurrentSkipListMap<Long, Long> samples = new ConcurrentSkipListMap<>();

    /** Returns a thread of an event loop, which is counted. */
    @Override
    public Thread newThread(Runnable loop) {
        return threads.newThread(() -> {
            Path counter = ofThisThread();
            counters.add(counter);
            try {
                loop.run();
            } finally {
                ended.addAndGet(read(counter));
                counters.remove(counter);
            }
        });
    }

    private static Path ofThisThread() {
        try {
            return Path.of("/proc/thread-self").toRealPath().resolve("schedstat");
        } catch (IOException notLinux) {
            return Path.of("none");
        }
    }

    /** Returns 0 if the thread is gone: then it lost nothing since. */
    private static long read(Path counter) {
        if (!Files.exists(counter)) {
            return 0;
        }
        try {
            return Long.parseLong(Files.readString(counter).split(" ", -1)[1]);
        } catch (IOException gone) {
            return 0;
        }
    }

    private long total() {
        long millis = 0;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            millis += collector.getCollectionTime();
        }
        long nanos = ended.get() + TimeUnit.MILLISECONDS.toNanos(millis);
        for (Path counter : counters) {
            nanos += read(counter);
        }
        return nanos;
    }

    /** Keeps what was lost until now. Called often. */
    void sample() {
        long total = total();
        long now = System.nanoTime();
        samples.put(now, total);
        samples.headMap(now - KEPT_NANOS).clear();
    }

    /** Returns the nanoseconds that were lost since the last sample before a moment. */
    long since(long nanoTime) {
        Map.Entry<Long, Long> before = samples.floorEntry(nanoTime);
        return before == null ? 0 : Math.max(0, total() - before.getValue());
    }
}
