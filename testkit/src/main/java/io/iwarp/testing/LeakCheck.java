package io.iwarp.testing;

import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import io.netty.util.ResourceLeakTracker;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test class in which a tracked resource, mainly a pooled or direct {@code ByteBuf}, was collected without
 * being released. The failure contains Netty's record of where it was touched.
 *
 * <p>Register it with {@code @ExtendWith}, or turn on JUnit's autodetection of extensions. It does not detect a buffer
 * that is still reachable when the class ends, nor an unpooled heap buffer, which Netty does not track.
 */
public final class LeakCheck implements AfterAllCallback {
    private static final long COLLECTION_DEADLINE_MILLIS = 10_000;
    private static final Queue<String> LEAKS = new ConcurrentLinkedQueue<>();
    private static final Queue<ResourceLeakDetector<Object>> DETECTORS = new ConcurrentLinkedQueue<>();

    static {
        // Before any of Netty's own classes asks for its detector.
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(new RecordingFactory());
    }

    /** Creates the extension. All tests of the JVM then run with leak detection at {@code PARANOID}. */
    public LeakCheck() {}

    @Override
    public void afterAll(ExtensionContext context) throws InterruptedException {
        List<String> leaks = collectLeaks();
        if (!leaks.isEmpty()) {
            throw new AssertionError(leaks.size() + " leak(s) in or before "
                    + context.getRequiredTestClass().getName() + ":\n" + String.join("\n", leaks));
        }
    }

    /** Collects garbage until the detectors have checked everything unreachable, and returns the leaks found. */
    static List<String> collectLeaks() throws InterruptedException {
        // References are enqueued in no particular order: the second round gets those that the first one missed.
        for (int round = 0; round < 2; round++) {
            collectGarbage();
            DETECTORS.forEach(LeakCheck::report);
        }
        List<String> leaks = new ArrayList<>();
        for (String leak = LEAKS.poll(); leak != null; leak = LEAKS.poll()) {
            leaks.add(leak);
        }
        return leaks;
    }

    private static void collectGarbage() throws InterruptedException {
        ReferenceQueue<Object> collected = new ReferenceQueue<>();
        WeakReference<Object> canary = new WeakReference<>(new Object(), collected);
        System.gc();
        if (collected.remove(COLLECTION_DEADLINE_MILLIS) != canary) {
            throw new IllegalStateException("System.gc() collects nothing here, so leaks cannot be seen");
        }
    }

    /** A detector reports leaks whenever it is given something new to track. */
    private static void report(ResourceLeakDetector<Object> detector) {
        Object probe = new Object();
        ResourceLeakTracker<Object> tracker = detector.trackForcibly(probe);
        tracker.close(probe);
    }

    private static final class RecordingFactory extends ResourceLeakDetectorFactory {
        @Override
        @SuppressWarnings({"deprecation", "unchecked"}) // Netty still calls this one; the resource is only a label
        public <T> ResourceLeakDetector<T> newResourceLeakDetector(Class<T> resource, int interval, long maxActive) {
            ResourceLeakDetector<T> detector = new RecordingDetector<>(resource, interval);
            DETECTORS.add((ResourceLeakDetector<Object>) detector);
            return detector;
        }
    }

    private static final class RecordingDetector<T> extends ResourceLeakDetector<T> {
        RecordingDetector(Class<?> resource, int interval) {
            super(resource, interval);
        }

        @Override
        protected boolean needReport() {
            return true;
        }

        @Override
        protected void reportTracedLeak(String resource, String records) {
            LEAKS.add(resource + " was not released: " + records);
        }

        @Override
        protected void reportUntracedLeak(String resource) {
            reportTracedLeak(resource, "(no record)");
        }
    }
}
