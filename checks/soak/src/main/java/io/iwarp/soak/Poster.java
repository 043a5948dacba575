package io.iwarp.soak;

import io.iwarp.ConnectionClosedException;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.RegionClosedException;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.CompletionView;
import io.iwarp.verbs.FetchAdd;
import io.iwarp.verbs.PostOptions;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * One posting thread of a client. It posts groups of a Write, an atomic, a message and a Read of what was written. Each
 * post that returned must complete once and in order, and none succeeds behind one that failed.
 */
final class Poster {
    static final int POSTS_OF_A_GROUP = 4;

    /** The upper bits of a work-request id, and of a message, say who posted it. */
    private static final int NUMBER_BITS = 48;

    private static final long NUMBER_MASK = (1L << NUMBER_BITS) - 1;

    private final Client client;
    private final long index;
    private final int groupsAtATime;
    private final int firstSlot;
    private final Random random;
    private final Semaphore window;
    private final AtomicLong completed = new AtomicLong();
    /** When the group in each slot was posted. The post of its Read publishes it to the event loop. */
    private final long[] postedNanos;

    private volatile boolean failed;
    private long posted;

    Poster(Client client, int index, int groupsAtATime, Random random) {
        this.client = client;
        this.index = index;
        this.groupsAtATime = groupsAtATime;
        this.firstSlot = index * groupsAtATime;
        this.random = random;
        this.postedNanos = new long[groupsAtATime];
        this.window = new Semaphore(groupsAtATime);
    }

    static int posterOf(long id) {
        return (int) (id >>> NUMBER_BITS);
    }

    static long numberOf(long id) {
        return id & NUMBER_MASK;
    }

    long completed() {
        return completed.get();
    }

    /** Posts so many groups, or fewer if the stream ends or its memory is taken away. */
    void post(QueuePair queuePair, RemoteBuffer memory, RemoteBuffer counter, long count) throws InterruptedException {
        try {
            for (long group = 0; group < count; group++) {
                if (!window.tryAcquire(Client.TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                    client.fail("nothing completed for " + Client.TIMEOUT_SECONDS + " s of " + queuePair.snapshot());
                    return;
                }
                postGroup(queuePair, memory, counter, group);
            }
        } catch (ConnectionClosedException | RegionClosedException ended) {
            // The completions of earlier posts are still checked.
            client.ended();
        }
    }

    private void postGroup(QueuePair queuePair, RemoteBuffer memory, RemoteBuffer counter, long group) {
        int slot = slotOf(group);
        int length = 1 + random.nextInt(Client.SLOT);
        queuePair
                .sendQueue()
                .write(nextId(), client.source().slice(slot, length), memory.slice(slot, length), PostOptions.NONE);
        posted++;
        client.server().addsPosted.incrementAndGet();
        queuePair.sendQueue().fetchAdd(nextId(), counter, FetchAdd.add(1), PostOptions.NONE);
        posted++;
        sendNumber(queuePair, group);
        posted++;
        // Not before the others, between which this thread may have lost its processor.
        postedNanos[(int) (group % groupsAtATime)] = System.nanoTime();
        queuePair
                .sendQueue()
                .read(nextId(), client.sink().slice(slot, length), memory.slice(slot, length), PostOptions.NONE);
        posted++;
    }

    private long nextId() {
        return index << NUMBER_BITS | posted;
    }

    private int slotOf(long group) {
        return (firstSlot + (int) (group % groupsAtATime)) * Client.SLOT;
    }

    private void sendNumber(QueuePair queuePair, long group) {
        ByteBuf message = Unpooled.directBuffer(Long.BYTES, Long.BYTES).writeLong(index << NUMBER_BITS | group);
        try {
            queuePair.sendQueue().send(nextId(), message);
        } finally {
            message.release();
        }
    }

    /** Event loop: each post completes once, in order. */
    void onCompletion(CompletionView completion) {
        long expected = completed.getAndIncrement();
        long number = numberOf(completion.workRequestId());
        if (number != expected) {
            client.fail(completion + " came instead of completion " + expected);
        }
        if (!completion.successful()) {
            failed = true;
        } else if (failed) {
            client.fail(completion + " succeeded behind one that failed");
        }
        switch (completion.operation()) {
            case FETCH_ADD -> {
                if (completion.successful()) {
                    client.server().added.incrementAndGet();
                }
            }
            case READ -> {
                long group = number / POSTS_OF_A_GROUP;
                if (completion.successful()) {
                    client.served(postedNanos[(int) (group % groupsAtATime)]);
                    compare(completion, slotOf(group));
                }
                window.release();
            }
            default -> {}
        }
    }

    private void compare(CompletionView read, int slot) {
        int length = (int) read.bytes();
        ByteBuf came = Unpooled.buffer(length, length);
        MemoryRegion sink = client.sink();
        try {
            sink.getBytes(slot, came, length);
        } catch (RegionClosedException closed) {
            return;
        }
        if (!came.equals(client.source().slice(slot, length))) {
            client.fail(read + " brought other bytes");
        }
    }

    /**
     * The stream is over and this poster with it: everything completes, though some of it may have been posted that
     * late.
     */
    void awaitCompletions() {
        long start = System.nanoTime();
        while (completed.get() < posted
                && System.nanoTime() - start < TimeUnit.SECONDS.toNanos(Client.TIMEOUT_SECONDS)) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
        if (completed.get() != posted) {
            client.fail(posted + " were posted by poster " + index + ", " + completed + " completed");
        }
    }

    /** Returns whether a post failed. */
    boolean failed() {
        return failed;
    }
}
