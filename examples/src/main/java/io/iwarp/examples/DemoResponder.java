package io.iwarp.examples;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.Completion;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.ConnectionRequestListener;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Advertises memory to the first initiator that asks, waits for its message, checks the memory and answers. */
final class DemoResponder implements ConnectionRequestListener, AutoCloseable {
    private static final byte[] ONE_AT_A_TIME = "another initiator was first".getBytes(StandardCharsets.UTF_8);

    /** A region may be larger than a buffer can be; its buffers have at most this many octets. */
    private static final int PIECE = 1 << 30;

    private final ProtectionDomain domain;
    private final List<ByteBuf> memory = new ArrayList<>();
    private final CompletableFuture<QueuePair> accepted = new CompletableFuture<>();
    private final CompletableFuture<MemoryRegion> registered = new CompletableFuture<>();
    private final CompletableFuture<Report> report = new CompletableFuture<>();

    /**
     * What the responder found.
     *
     * @param deliveredAtNanos when it got the initiator's message
     * @param verifyNanos how long it took to compare
     * @param firstDifference the first octet that is not as the initiator announced it, or -1
     */
    record Report(long deliveredAtNanos, long verifyNanos, long firstDifference) {}

    DemoResponder(ProtectionDomain domain, long size) {
        this.domain = domain;
        for (long left = size; left > 0; left -= PIECE) {
            int length = (int) Math.min(PIECE, left);
            memory.add(ByteBufAllocator.DEFAULT.directBuffer(length, length));
        }
    }

    @Override
    public void onConnectionRequest(ConnectionRequest request) {
        if (!Application.DEMO.isRequestedBy(request.privateData())) {
            request.reject(Application.DEMO.rejection());
            return;
        }
        QueuePair queuePair = request.queuePair();
        if (!accepted.complete(queuePair)) {
            request.reject(ONE_AT_A_TIME);
            return;
        }
        MemoryRegion region = domain.region().buffers(memory).rights(AccessRight.REMOTE_WRITE).stream(
                        queuePair.stream())
                .register();
        registered.complete(region);
        ByteBuf message = Unpooled.buffer(DoneMessage.ENCODED_LENGTH, DoneMessage.ENCODED_LENGTH);
        queuePair.receive(message).whenComplete((done, failure) -> {
            if (failure == null) {
                onDone(queuePair, region, message);
            } else {
                report.completeExceptionally(failure);
            }
        });
        ByteBuf advertisement = Unpooled.buffer(RemoteBuffer.ENCODED_LENGTH);
        region.remoteBuffer().encode(advertisement);
        request.accept(Application.DEMO.reply(advertisement));
    }

    /** On the event loop, so the comparison of so many octets goes elsewhere. */
    private void onDone(QueuePair queuePair, MemoryRegion region, ByteBuf message) {
        long deliveredAt = System.nanoTime();
        CompletionStage<Completion> answered = CompletableFuture.supplyAsync(() -> verify(region, message, deliveredAt))
                .thenCompose(found -> {
                    report.complete(found);
                    return queuePair.send(answer(message, found));
                });
        answered.whenComplete((sent, failure) -> {
            if (failure != null) {
                report.completeExceptionally(failure);
            }
        });
    }

    private static Report verify(MemoryRegion region, ByteBuf message, long deliveredAt) {
        DoneMessage done = DoneMessage.decode(message.duplicate());
        long begin = System.nanoTime();
        long length = Math.min(done.length(), region.length());
        long difference = new OctetPattern(done.seed()).firstDifference(region.span(), length);
        return new Report(deliveredAt, System.nanoTime() - begin, difference);
    }

    /** The message comes back as it is if all octets are right, and without its last octet if not. */
    private static ByteBuf answer(ByteBuf message, Report found) {
        return found.firstDifference() < 0 ? message : message.slice(0, message.readableBytes() - 1);
    }

    /** {@return the region that was advertised, once there is one} */
    CompletionStage<MemoryRegion> region() {
        return registered;
    }

    /** {@return the queue pair that was accepted, once there is one} */
    CompletionStage<QueuePair> queuePair() {
        return accepted;
    }

    /** {@return what was found in the memory, once the initiator's message came} */
    CompletionStage<Report> report() {
        return report;
    }

    /** Takes the memory back from the initiator and releases it. */
    @Override
    public void close() {
        MemoryRegion region = registered.getNow(null);
        if (region != null) {
            region.close();
        }
        memory.forEach(ByteBuf::release);
    }
}
