package io.iwarp.tools.demo;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.tools.cli.Story;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.ConnectionRequestListener;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** The passive half of the demo: advertises memory to the first initiator that asks, and then follows its script. */
final class DemoResponder implements ConnectionRequestListener, AutoCloseable {
    /** The initial value of the number for atomics. */
    static final long NUMBER = 37;

    private static final String ONE_AT_A_TIME = "another initiator was first";
    private static final long SCRIPT_END_SECONDS = 10;

    /** A region may be larger than a buffer can be; its buffers have at most this many bytes. */
    private static final int PIECE = 1 << 30;

    private final Story story;
    private final List<ByteBuf> memory = new ArrayList<>();
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final CompletableFuture<DemoResponderScript> script = new CompletableFuture<>();

    /** @param size of its memory in bytes */
    DemoResponder(Story story, long size) {
        this.story = story;
        for (long left = size; left > 0; left -= PIECE) {
            int length = (int) Math.min(PIECE, left);
            memory.add(ByteBufAllocator.DEFAULT.directBuffer(length, length));
        }
    }

    @Override
    public void onConnectionRequest(ConnectionRequest request) {
        if (DemoAdvertisement.PROTOCOL.rejectsOther(request)) {
            return;
        }
        if (script.isDone()) {
            request.reject(ONE_AT_A_TIME);
            return;
        }
        QueuePair queuePair = request.queuePair();
        MemoryRegion region = queuePair
                .region()
                .buffers(memory)
                .rights(AccessRight.REMOTE_WRITE, AccessRight.REMOTE_READ)
                .register();
        MemoryRegion number = queuePair
                .region()
                .allocate(ByteBufAllocator.DEFAULT, Long.BYTES)
                .rights(AccessRight.REMOTE_ATOMIC)
                .register();
        number.setVolatile(0, NUMBER);
        DemoResponderScript begun = new DemoResponderScript(story, queuePair, region, number);
        script.complete(begun);
        thread.execute(begun);
        DemoAdvertisement advertisement = new DemoAdvertisement(region.remoteBuffer(), number.remoteBuffer());
        request.accept(DemoAdvertisement.PROTOCOL.followedBy(advertisement.encode()));
    }

    /** Returns the script for the accepted initiator, once there is one. */
    CompletableFuture<DemoResponderScript> script() {
        return script;
    }

    /** Invalidates the initiator's STags and releases the memory. */
    @Override
    public void close() {
        thread.shutdownNow();
        try {
            thread.awaitTermination(SCRIPT_END_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        DemoResponderScript begun = script.getNow(null);
        if (begun != null) {
            begun.close();
        }
        memory.forEach(ByteBuf::release);
    }
}
