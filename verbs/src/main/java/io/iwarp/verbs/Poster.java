package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.Operation;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.ByteSpan;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.StreamAssociation;
import io.iwarp.metrics.QueueLimit;
import io.netty.buffer.ByteBuf;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Turns the calls on a {@link QueuePair} into work requests: takes the references to local memory that a request needs, fills
 * a slot and publishes it. A request that cannot be posted leaves nothing behind. Any thread may call any method.
 *
 * <p>Everything that can fail comes before the claim of a slot; between the claim and the publication nothing throws. A slot
 * that was claimed and never published would hold up all slots behind it.
 */
final class Poster {
    private static final String NO_OPTIONS = "the options are null: use PostOptions.NONE";

    private final SendQueue sends;
    private final ReceiveSide receives;
    private final StreamLife life;
    private final StreamAssociation stream;
    private final boolean extensions;
    private final @Nullable QueuePairMetrics metrics;

    /**
     * @param extensions whether atomics and Immediate Data may be posted
     * @param metrics null if nobody counts
     */
    Poster(
            SendQueue sends,
            ReceiveSide receives,
            StreamLife life,
            StreamAssociation stream,
            boolean extensions,
            @Nullable QueuePairMetrics metrics) {
        this.sends = sends;
        this.receives = receives;
        this.life = life;
        this.stream = stream;
        this.extensions = extensions;
        this.metrics = metrics;
    }

    void send(long id, ByteBuf message, PostOptions options, CompletionTarget target) {
        WorkRequest request = claim(message, options);
        request.send(options.solicited());
        publish(request, id, Operation.SEND, options, target);
    }

    void send(long id, MemoryRegion source, long offset, long length, PostOptions options, CompletionTarget target) {
        WorkRequest request = claim(source, offset, length, options);
        request.send(options.solicited());
        publish(request, id, Operation.SEND, options, target);
    }

    void sendWithInvalidate(long id, ByteBuf message, int stag, PostOptions options, CompletionTarget target) {
        WorkRequest request = claim(message, options);
        request.sendWithInvalidate(stag, options.solicited());
        publish(request, id, Operation.SEND, options, target);
    }

    void write(long id, ByteBuf source, int stag, long taggedOffset, PostOptions options, CompletionTarget target) {
        WorkRequest request = claim(source, options);
        request.write(stag, taggedOffset);
        publish(request, id, Operation.WRITE, options, target);
    }

    void write(
            long id,
            MemoryRegion source,
            long offset,
            long length,
            int stag,
            long taggedOffset,
            PostOptions options,
            CompletionTarget target) {
        WorkRequest request = claim(source, offset, length, options);
        request.write(stag, taggedOffset);
        publish(request, id, Operation.WRITE, options, target);
    }

    void writeWithImmediate(
            long id,
            ByteBuf source,
            int stag,
            long taggedOffset,
            long data,
            PostOptions options,
            CompletionTarget target) {
        requireExtensions();
        WorkRequest request = claim(source, options);
        request.writeWithImmediate(stag, taggedOffset, data, options.solicited());
        publish(request, id, Operation.WRITE, options, target);
    }

    void writeWithImmediate(
            long id,
            MemoryRegion source,
            long offset,
            long length,
            int stag,
            long taggedOffset,
            long data,
            PostOptions options,
            CompletionTarget target) {
        requireExtensions();
        WorkRequest request = claim(source, offset, length, options);
        request.writeWithImmediate(stag, taggedOffset, data, options.solicited());
        publish(request, id, Operation.WRITE, options, target);
    }

    void immediate(long id, long data, PostOptions options, CompletionTarget target) {
        requireExtensions();
        WorkRequest request = claim(Long.BYTES, options);
        request.immediate(data, options.solicited());
        publish(request, id, Operation.IMMEDIATE, options, target);
    }

    void read(
            long id,
            MemoryRegion sink,
            long offset,
            long length,
            int stag,
            long taggedOffset,
            PostOptions options,
            CompletionTarget target) {
        if (!sink.grants(AccessRight.LOCAL_WRITE)) {
            throw new IllegalArgumentException(
                    sink + " cannot be the sink of a Read: register it with the right " + AccessRight.LOCAL_WRITE);
        }
        if (sink.protectionDomain() != stream.protectionDomain()) {
            throw new IllegalArgumentException(sink + " cannot be the sink of a Read: it belongs to another protection"
                    + " domain; register the memory in the domain of the queue pair");
        }
        int sinkStag = sink.stag();
        long sinkOffset = sink.baseTaggedOffset() + offset;
        WorkRequest request = claim(sink, offset, length, options);
        request.read(sinkStag, sinkOffset, length, stag, taggedOffset);
        publish(request, id, Operation.READ, options, target);
    }

    /** Registers the buffer for the time of the Read; only the answers of this stream's peer can be placed there. */
    void read(
            long id,
            ByteBuf sink,
            int length,
            int stag,
            long taggedOffset,
            PostOptions options,
            CompletionTarget target) {
        if (length > sink.writableBytes()) {
            throw new IllegalArgumentException(
                    length + " bytes do not fit into the " + sink.writableBytes() + " writable bytes of the sink");
        }
        if (length == 0) {
            WorkRequest request = claim(0, options);
            request.read(0, 0, 0, stag, taggedOffset);
            request.sinkBuffer(sink);
            publish(request, id, Operation.READ, options, target);
            return;
        }
        MemoryRegion region = register(sink);
        int sinkStag = region.stag();
        long sinkOffset = region.baseTaggedOffset() + sink.writerIndex();
        WorkRequest request = null;
        try {
            request = claim(length, options);
        } finally {
            if (request == null) {
                region.close();
            }
        }
        request.temporarySink(region);
        request.sinkBuffer(sink);
        request.read(sinkStag, sinkOffset, length, stag, taggedOffset);
        publish(request, id, Operation.READ, options, target);
    }

    /** With the stream that it is for, registration ends; then it is that end which the caller must learn of. */
    private MemoryRegion register(ByteBuf sink) {
        try {
            return stream.protectionDomain().region().buffers(sink).rights(AccessRight.LOCAL_WRITE).stream(stream)
                    .register();
        } catch (IllegalStateException refused) {
            CloseReason ended = life.closeReason();
            throw ended == null ? refused : new QueuePairClosedException(ended);
        }
    }

    void fetchAdd(
            long id, int stag, long taggedOffset, long add, long mask, PostOptions options, CompletionTarget target) {
        requireExtensions();
        WorkRequest request = claim(Long.BYTES, options);
        request.fetchAdd(stag, taggedOffset, add, mask);
        publish(request, id, Operation.FETCH_ADD, options, target);
    }

    void compareSwap(
            long id,
            int stag,
            long taggedOffset,
            long expected,
            long expectedMask,
            long replacement,
            long replacementMask,
            PostOptions options,
            CompletionTarget target) {
        requireExtensions();
        WorkRequest request = claim(Long.BYTES, options);
        request.compareSwap(stag, taggedOffset, replacement, replacementMask, expected, expectedMask);
        publish(request, id, Operation.COMPARE_SWAP, options, target);
    }

    void receive(long id, ByteBuf sink, CompletionTarget target) {
        LentMemory.requireWritable(sink);
        int index = sink.writerIndex();
        int length = sink.writableBytes();
        sink.retain();
        ReceiveRequest request = null;
        try {
            request = claimReceive();
        } finally {
            if (request == null) {
                sink.release();
            }
        }
        request.sink().cover(sink, index, length);
        receives.publish(request.set(id, target));
    }

    void receive(long id, MemoryRegion sink, long offset, long length, CompletionTarget target) {
        LentMemory.retain(sink, offset, length);
        ReceiveRequest request = null;
        try {
            request = claimReceive();
        } finally {
            if (request == null) {
                ByteSpan.release(sink);
            }
        }
        request.sink().cover(sink, offset, length);
        receives.publish(request.set(id, target));
    }

    private void publish(
            WorkRequest request, long id, Operation operation, PostOptions options, CompletionTarget target) {
        request.fenced(options.fenced());
        sends.publish(request.set(id, operation, target));
    }

    private void requireExtensions() {
        if (!extensions) {
            throw new UnsupportedOperationException(
                    "atomics and Immediate Data are turned off by RdmapSettings.extensions");
        }
    }

    private WorkRequest claim(long bytes, PostOptions options) {
        Objects.requireNonNull(options, NO_OPTIONS);
        Claim claim = sends.claim(bytes);
        if (claim instanceof WorkRequest request) {
            return request;
        }
        throw refused((Refusal) claim);
    }

    private WorkRequest claim(ByteBuf source, PostOptions options) {
        int index = source.readerIndex();
        int length = source.readableBytes();
        source.retain();
        WorkRequest request = null;
        try {
            request = claim(length, options);
        } finally {
            if (request == null) {
                source.release();
            }
        }
        request.payload().cover(source, index, length);
        return request;
    }

    private WorkRequest claim(MemoryRegion memory, long offset, long length, PostOptions options) {
        LentMemory.retain(memory, offset, length);
        WorkRequest request = null;
        try {
            request = claim(length, options);
        } finally {
            if (request == null) {
                ByteSpan.release(memory);
            }
        }
        request.payload().cover(memory, offset, length);
        return request;
    }

    private ReceiveRequest claimReceive() {
        Claim claim = receives.claim();
        if (claim instanceof ReceiveRequest request) {
            return request;
        }
        throw refused((Refusal) claim);
    }

    private RuntimeException refused(Refusal refusal) {
        QueueLimit limit = refusal.limit();
        if (metrics != null && limit != null) {
            metrics.refused(limit);
        }
        return refusal.exception();
    }
}
