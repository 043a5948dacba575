package io.iwarp.soak;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.Completion;
import io.iwarp.verbs.CompletionListener;
import io.iwarp.verbs.PostOptions;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairClosedException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One connection of a lane: posts groups of a Write, an atomic, a message and a Read of what was written, compares every byte
 * that comes back, and ends at random. Each post that returned must complete once and in order.
 */
final class Client implements CompletionListener {
    /** Groups under way at a time; each has a slot of the memory of its own. */
    static final int WINDOW = 16;

    static final int POSTS_OF_A_GROUP = 4;

    private static final int SLOT = Lane.MEMORY / WINDOW;
    private static final int MOST_GROUPS = 300;
    private static final long PATIENCE_SECONDS = 60;

    /** How a client may end its connection. */
    private enum End {
        CLOSE,
        ABORT,
        KILL
    }

    private final Soak soak;
    private final Lane lane;
    private final Random random;
    private final Semaphore window = new Semaphore(WINDOW);
    private final AtomicLong completed = new AtomicLong();
    private final MemoryRegion sink;
    private final ByteBuf source = Unpooled.directBuffer(Lane.MEMORY, Lane.MEMORY);
    private long posted;
    private long groups;

    Client(Soak soak, Lane lane, Random random) {
        this.soak = soak;
        this.lane = lane;
        this.random = random;
        this.sink = lane.clientDomain()
                .region()
                .allocate(UnpooledByteBufAllocator.DEFAULT, Lane.MEMORY)
                .rights(AccessRight.LOCAL_WRITE)
                .register();
        for (int i = 0; i < Lane.MEMORY; i++) {
            source.writeByte(random.nextInt());
        }
    }

    /** {@return how many posts completed} */
    long run() throws Exception {
        try {
            QueuePair queuePair = lane.connect();
            queuePair.completionListener(this);
            try {
                postGroups(queuePair);
            } catch (QueuePairClosedException ended) {
                // The server may end a client at any time; what counts is what was posted before.
                soak.endedByServer();
            }
            end(queuePair);
            return completed.get();
        } finally {
            sink.close();
            source.release();
        }
    }

    private void postGroups(QueuePair queuePair) throws InterruptedException {
        ByteBuf advertised = Unpooled.wrappedBuffer(
                Objects.requireNonNull(queuePair.parameters()).peerPrivateData());
        RemoteBuffer memory = RemoteBuffer.decode(advertised);
        RemoteBuffer counter = RemoteBuffer.decode(advertised);
        int count = random.nextInt(MOST_GROUPS);
        for (; groups < count; groups++) {
            if (!window.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                soak.complain(
                        lane.name() + ": nothing completed for " + PATIENCE_SECONDS + " s of " + queuePair.snapshot());
                return;
            }
            int slot = (int) (groups % WINDOW) * SLOT;
            int length = 1 + random.nextInt(SLOT);
            queuePair.write(posted, source.slice(slot, length), memory.stag(), memory.taggedOffset() + slot);
            posted++;
            lane.addsPosted.incrementAndGet();
            queuePair.fetchAdd(posted, counter.stag(), counter.taggedOffset(), 1, 0, PostOptions.NONE);
            posted++;
            sendNumber(queuePair);
            posted++;
            queuePair.read(posted, sink, slot, length, memory.stag(), memory.taggedOffset() + slot, PostOptions.NONE);
            posted++;
        }
    }

    private void sendNumber(QueuePair queuePair) {
        ByteBuf message = Unpooled.directBuffer(Long.BYTES, Long.BYTES).writeLong(groups);
        try {
            queuePair.send(posted, message);
        } finally {
            message.release();
        }
    }

    /** Event loop: each post completes once, in order. */
    @Override
    public void onCompletion(QueuePair queuePair, Completion completion) {
        long expected = completed.getAndIncrement();
        if (completion.workRequestId() != expected) {
            soak.complain(lane.name() + ": " + completion + " came instead of completion " + expected);
        }
        switch (completion.operation()) {
            case FETCH_ADD -> {
                if (completion.successful()) {
                    lane.added.incrementAndGet();
                }
            }
            case READ -> {
                if (completion.successful()) {
                    compare(completion);
                }
                window.release();
            }
            default -> {}
        }
    }

    private void compare(Completion read) {
        int slot = (int) (read.workRequestId() / POSTS_OF_A_GROUP % WINDOW) * SLOT;
        int length = (int) read.octets();
        ByteBuf came = Unpooled.buffer(length, length).writerIndex(length);
        sink.span().get(slot, came, 0, length);
        if (!came.equals(source.slice(slot, length))) {
            soak.complain(lane.name() + ": " + read + " brought other bytes");
        }
    }

    private void end(QueuePair queuePair) throws Exception {
        switch (End.values()[random.nextInt(End.values().length)]) {
            case CLOSE -> queuePair.close();
            case ABORT -> queuePair.abort();
            case KILL -> queuePair.channel().close();
        }
        queuePair.closed().toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (completed.get() != posted) {
            soak.complain(lane.name() + ": " + posted + " were posted, " + completed + " completed at the end of "
                    + queuePair);
        }
    }
}
