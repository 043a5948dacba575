package io.iwarp.verbs;

import static io.iwarp.verbs.CompareSwap.compare;
import static io.iwarp.verbs.Loopback.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.Operation;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.MemoryWindow;
import io.iwarp.memory.RegionClosedException;
import io.iwarp.memory.RemoteBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Posts random requests to one queue pair, a new one for each that completes, and keeps account of them: each must
 * complete exactly once. Belongs to the event loop of the queue pair, but for {@link #begin} and {@link #finish}.
 */
final class Traffic {
    /** What is posted. */
    enum Kind {
        WRITE,
        READ,
        READ_INTO_BUFFER,
        FETCH_ADD,
        COMPARE_SWAP,
        SEND,
        SEND_WITH_INVALIDATE,
        IMMEDIATE,
        WRITE_WITH_IMMEDIATE
    }

    private static final int UNDER_WAY = 8;
    private static final int RECEIVES = 32;
    private static final int SMALL = 256;

    private final QueuePair queuePair;
    private final Kind[] kinds;
    private final RemoteBuffer target;
    private final MemoryRegion sink;
    private final Supplier<MemoryWindow> windows;
    private final Random random;
    private final Runnable afterEach;
    private final ByteBuf source;
    private final ByteBuf[] sinks = new ByteBuf[RECEIVES];
    private final BitSet receives = new BitSet();
    private final BitSet requests = new BitSet();
    private final Set<ByteBuf> readBuffers = Collections.newSetFromMap(new IdentityHashMap<>());
    private final List<String> unexpected = new ArrayList<>();
    private final List<CloseReason> failures = new ArrayList<>();
    private int nextRequest;
    private boolean over;
    private final AtomicInteger completed = new AtomicInteger();

    /**
     * @param queuePair where to post; it is being prepared
     * @param target what the peer advertised
     * @param sink takes what Reads bring, at least as long as the target
     * @param windows binds something at the peer that a Send may invalidate, or fails because the peer's stream has
     *     ended
     * @param afterEach called after each completion
     */
    Traffic(
            QueuePair queuePair,
            Kind[] kinds,
            RemoteBuffer target,
            MemoryRegion sink,
            Supplier<MemoryWindow> windows,
            Random random,
            Runnable afterEach) {
        this.queuePair = queuePair;
        this.kinds = kinds;
        this.target = target;
        this.sink = sink;
        this.windows = windows;
        this.random = random;
        this.afterEach = afterEach;
        int length = (int) target.length();
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        source = Unpooled.directBuffer(length, length).writeBytes(bytes);
        queuePair.setCompletionListener((qp, completion) -> onCompletion(completion));
        for (int i = 0; i < RECEIVES; i++) {
            sinks[i] = Unpooled.directBuffer(SMALL, SMALL);
            postReceive(i);
        }
    }

    /** Posts the first requests once the queue pair is ready. */
    void begin() {
        queuePair
                .ready()
                .thenRun(() -> queuePair.channel().eventLoop().execute(() -> {
                    for (int i = 0; i < UNDER_WAY; i++) {
                        postRequest();
                    }
                }));
    }

    /** How many requests and receives have completed; any thread. */
    int completed() {
        return completed.get();
    }

    private void onCompletion(CompletionView completion) {
        int id = (int) completion.workRequestId();
        boolean receive = completion.operation() == Operation.RECEIVE;
        BitSet posted = receive ? receives : requests;
        if (!posted.get(id)) {
            unexpected.add(completion.toString());
        }
        posted.clear(id);
        completed.incrementAndGet();
        if (completion.operation() == Operation.READ && completion.buffer() != null) {
            readBuffers.remove(completion.buffer());
            completion.buffer().release();
        }
        if (!completion.successful()) {
            failures.add(completion.failure());
        } else if (receive) {
            postReceive(id);
        } else {
            postRequest();
        }
        afterEach.run();
    }

    private void postReceive(int id) {
        receives.set(id);
        try {
            queuePair.receiveQueue().receive(id, sinks[id].clear());
        } catch (ConnectionClosedException closed) {
            receives.clear(id);
        }
    }

    private void postRequest() {
        if (over) {
            return;
        }
        int id = nextRequest++;
        requests.set(id);
        try {
            post(id);
        } catch (ConnectionClosedException closed) {
            over = true;
            requests.clear(id);
        }
    }

    private void post(int id) {
        PostOptions options = random.nextInt(4) == 0 ? PostOptions.FENCE : PostOptions.NONE;
        int offset = random.nextInt((int) target.length());
        int length = random.nextInt((int) target.length() - offset + 1);
        int aligned = offset & -Long.BYTES;
        ByteBuf bytes = source.slice(random.nextInt((int) target.length() - length + 1), length);
        ByteBuf message = source.slice(offset & 0xff, random.nextInt(SMALL));
        SendQueue sends = queuePair.sendQueue();
        switch (kinds[random.nextInt(kinds.length)]) {
            case WRITE -> sends.write(id, bytes, target.slice(offset, bytes.readableBytes()), options);
            case READ -> sends.read(id, sink.slice(offset, length), target.slice(offset, length), options);
            case READ_INTO_BUFFER -> readIntoBuffer(id, Math.min(length, SMALL), offset, options);
            case FETCH_ADD ->
                sends.fetchAdd(
                        id,
                        target.slice(aligned, Long.BYTES),
                        FetchAdd.add(random.nextLong()).addMask(random.nextLong()),
                        options);
            case COMPARE_SWAP ->
                sends.compareSwap(
                        id,
                        target.slice(aligned, Long.BYTES),
                        compare(0, random.nextInt(2)).swap(random.nextLong()),
                        options);
            case SEND -> sends.send(id, message, options);
            case SEND_WITH_INVALIDATE -> sendWithInvalidate(id, message, options);
            case IMMEDIATE -> sends.sendImmediate(id, new ImmediateData(id), options);
            case WRITE_WITH_IMMEDIATE ->
                sends.writeWithImmediate(
                        id, bytes, target.slice(offset, bytes.readableBytes()), new ImmediateData(id), options);
        }
    }

    private void readIntoBuffer(int id, int length, int offset, PostOptions options) {
        ByteBuf buffer = Unpooled.directBuffer(Math.max(1, length), Math.max(1, length));
        buffer.writerIndex(buffer.capacity() - length);
        readBuffers.add(buffer);
        try {
            queuePair.sendQueue().read(id, buffer, target.slice(offset, length), options);
        } catch (ConnectionClosedException closed) {
            readBuffers.remove(buffer);
            buffer.release();
            throw closed;
        }
    }

    private void sendWithInvalidate(int id, ByteBuf message, PostOptions options) {
        int stag;
        try {
            stag = windows.get().stag();
        } catch (RegionClosedException peerHasEnded) {
            queuePair.sendQueue().send(id, message, options);
            return;
        }
        queuePair.sendQueue().sendWithInvalidate(id, message, new RemoteBuffer(stag, 0, 0), options);
    }

    /** Waits for the end of the queue pair, and checks that everything completed once, with the reason of the end. */
    CloseReason finish() throws Exception {
        CloseReason reason = await(queuePair.closed());
        queuePair.channel().eventLoop().submit(() -> {}).sync();
        assertThat(unexpected)
                .as("completed, though not posted or completed before")
                .isEmpty();
        assertThat(requests.cardinality() + receives.cardinality())
                .as("posted and not completed")
                .isZero();
        assertThat(readBuffers).isEmpty();
        assertThat(failures).allSatisfy(failure -> assertThat(failure).isSameAs(reason));
        assertThat(source.release()).isTrue();
        for (ByteBuf receiveSink : sinks) {
            assertThat(receiveSink.release()).isTrue();
        }
        return reason;
    }
}
