package io.iwarp.examples;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.verbs.Completion;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.ConnectionRequestListener;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The responder of {@link Operations}: memory that may be written, read and changed atomically, and posted receives. */
final class OperationsTarget implements ConnectionRequestListener, AutoCloseable {
    /** How much of the memory the numbers for atomics take, in octets from its beginning. */
    static final int NUMBERS_OCTETS = 64;
    /** How many receives are posted. */
    private static final int RECEIVES = 16;

    private static final int MESSAGE_OCTETS = 1 << 17;

    private final ProtectionDomain domain;
    private final int size;
    private final CompletableFuture<QueuePair> accepted = new CompletableFuture<>();
    private final CompletableFuture<MemoryRegion> memory = new CompletableFuture<>();
    private final BlockingQueue<Completion> received = new LinkedBlockingQueue<>();

    /**
     * @param size of the memory, in octets
     */
    OperationsTarget(ProtectionDomain domain, int size) {
        this.domain = domain;
        this.size = size;
    }

    @Override
    public void onConnectionRequest(ConnectionRequest request) {
        QueuePair queuePair = request.queuePair();
        if (!accepted.complete(queuePair)) {
            request.reject();
            return;
        }
        memory.complete(register(size));
        for (int i = 0; i < RECEIVES; i++) {
            ByteBuf buffer = Unpooled.buffer(MESSAGE_OCTETS, MESSAGE_OCTETS);
            queuePair.receive(buffer).thenAccept(received::add);
        }
        request.accept();
    }

    /** {@return memory for the connection's initiator alone} */
    MemoryRegion register(int length) {
        return domain
                .region()
                .allocate(ByteBufAllocator.DEFAULT, length)
                .rights(AccessRight.REMOTE_WRITE, AccessRight.REMOTE_READ, AccessRight.REMOTE_ATOMIC)
                .stream(queuePair().stream())
                .register();
    }

    /** {@return the memory that is there from the beginning} */
    MemoryRegion memory() {
        return memory.join();
    }

    /** {@return the connection's end here, when there is one} */
    QueuePair queuePair() {
        return accepted.join();
    }

    /** Waits for the next message; its completion tells what came with it. */
    Completion receive() throws InterruptedException, CommandFailedException {
        Completion completion = received.poll(Endpoint.patienceSeconds(), TimeUnit.SECONDS);
        if (completion == null) {
            throw Endpoint.noAnswer();
        }
        return completion;
    }

    @Override
    public void close() {
        memory.thenAccept(MemoryRegion::close);
    }
}
