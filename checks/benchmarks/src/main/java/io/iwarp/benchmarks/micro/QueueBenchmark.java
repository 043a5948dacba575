package io.iwarp.benchmarks.micro;

import io.iwarp.internal.RingQueue;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** An object through a queue, of those that come round and have become old, as the slots of a queue pair do. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(jvmArgsAppend = {"-XX:+UseG1GC", "-XX:G1HeapRegionSize=1m"})
public class QueueBenchmark {
    /** Some of G1's regions: references within one cost it nothing. */
    private static final int BYTES = 8 << 20;

    /** How many are in the queue; there are twice as many. */
    @Param({"16", "1024"})
    int depth;

    private final RingQueue<Object> recurring = new RingQueue<>();
    private final ArrayDeque<Object> deque = new ArrayDeque<>();
    private Object[] objects;
    private int next;

    /** Lets everything grow old. */
    @Setup
    public void open() {
        objects = new Object[2 * depth];
        for (int i = 0; i < objects.length; i++) {
            objects[i] = new byte[BYTES / objects.length];
        }
        for (int i = 0; i < depth; i++) {
            Object object = nextObject();
            recurring.add(object);
            deque.add(object);
        }
        System.gc();
    }

    /** As the stack does it: a place that holds the object already is not written. */
    @Benchmark
    public Object recurringQueue() {
        recurring.add(nextObject());
        return recurring.remove();
    }

    /** With one of the JDK's. */
    @Benchmark
    public Object arrayDeque() {
        deque.add(nextObject());
        return deque.remove();
    }

    private Object nextObject() {
        Object object = objects[next];
        next = next + 1 == objects.length ? 0 : next + 1;
        return object;
    }
}
