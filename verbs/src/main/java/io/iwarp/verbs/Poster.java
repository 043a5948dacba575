package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.Operation;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.ByteSpan;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.memory.StreamAssociation;
import io.iwarp.metrics.QueueLimit;
import io.iwarp.rdmap.StreamState;
import io.netty.buffer.ByteBuf;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Turns posts into work requests: retains the local memory that a request needs, fills a slot and publishes it. A
 * refused post has no effect. Any thread may call any method.
 *
 * <p>Everything that can fail is done before the claim of a slot; nothing throws between claim and publication. A
 * claimed slot that is never published would block all later slots.
 */
final class Poster {
    private static final String NO_OPTIONS = "the options are null: use PostOptions.NONE";

    private final SendSide sends;
    private final ReceiveSide receives;
    private final StreamState state;
    private final StreamAssociation stream;
    private final boolean extensions;
    private final @Nullable QueuePairMetrics metrics;

    /**
     * @param extensions whether atomics and Immediate Data may be posted
     * @param metrics null if metrics are disabled
     */
    Poster(
            SendSide sends,
            ReceiveSide receives,
            StreamState state,
            StreamAssociation stream,
            boolean extensions,
            @Nullable QueuePairMetrics metrics) {
        this.sends = sends;
        this.receives = receives;
        this.state = state;
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

    void sendWithInvalidate(
            long id, ByteBuf message, RemoteBuffer invalidated, PostOptions options, CompletionTarget target) {
        int stag = invalidated.stag();
        WorkRequest request = claim(message, options);
        request.sendWithInvalidate(stag, options.solicited());
        publish(request, id, Operation.SEND, options, target);
    }

    void write(long id, ByteBuf source, RemoteBuffer to, long toOffset, PostOptions options, CompletionTarget target) {
        long taggedOffset = taggedOffset(to, toOffset, source.readableBytes());
        WorkRequest request = claim(source, options);
        request.write(to.stag(), taggedOffset);
        publish(request, id, Operation.WRITE, options, target);
    }

    void write(
            long id,
            MemoryRegion source,
            long offset,
            long length,
            RemoteBuffer to,
            long toOffset,
            PostOptions options,
            CompletionTarget target) {
        long taggedOffset = taggedOffset(to, toOffset, length);
        WorkRequest request = claim(source, offset, length, options);
        request.write(to.stag(), taggedOffset);
        publish(request, id, Operation.WRITE, options, target);
    }

    void writeWithImmediate(
            long id,
            ByteBuf source,
            RemoteBuffer to,
            long toOffset,
            long data,
            PostOptions options,
            CompletionTarget target) {
        requireExtensions();
        long taggedOffset = taggedOffset(to, toOffset, source.readableBytes());
        WorkRequest request = claim(source, options);
        request.writeWithImmediate(to.stag(), taggedOffset, data, options.solicited());
        publish(request, id, Operation.WRITE, options, target);
    }

    void writeWithImmediate(
            long id,
            MemoryRegion source,
            long offset,
            long length,
            RemoteBuffer to,
            long toOffset,
            long data,
            PostOptions options,
            CompletionTarget target) {
        requireExtensions();
        long taggedOffset = taggedOffset(to, toOffset, length);
        WorkRequest request = claim(source, offset, length, options);
        request.writeWithImmediate(to.stag(), taggedOffset, data, options.solicited());
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
            RemoteBuffer from,
            long fromOffset,
            PostOptions options,
            CompletionTarget target) {
        WorkRequest request = claimRead(sink, offset, length, from, fromOffset, options);
        publish(request, id, Operation.READ, options, target);
    }

    private WorkRequest claimRead(
            MemoryRegion sink, long offset, long length, RemoteBuffer from, long fromOffset, PostOptions options) {
        if (!sink.grants(AccessRight.LOCAL_WRITE)) {
            throw new IllegalArgumentException(
                    sink + " cannot be the sink of a Read: register it with the right " + AccessRight.LOCAL_WRITE);
        }
        if (sink.protectionDomain() != stream.protectionDomain()) {
            throw new IllegalArgumentException(sink + " cannot be the sink of a Read: it belongs to another protection"
                    + " domain; register the memory in the domain of the queue pair");
        }
        long taggedOffset = taggedOffset(from, fromOffset, length);
        int sinkStag = sink.stag();
        long sinkOffset = sink.baseTaggedOffset() + offset;
        WorkRequest request = claim(sink, offset, length, options);
        request.read(sinkStag, sinkOffset, length, from.stag(), taggedOffset);
        return request;
    }

    /** Registers the buffer for the duration of the Read. Only answers of this stream's peer can be placed there. */
    void read(
            long id,
            ByteBuf sink,
            int length,
            RemoteBuffer from,
            long fromOffset,
            PostOptions options,
            CompletionTarget target) {
        if (length > sink.writableBytes()) {
            throw new IllegalArgumentException(
                    length + " bytes do not fit into the " + sink.writableBytes() + " writable bytes of the sink");
        }
        long taggedOffset = taggedOffset(from, fromOffset, length);
        if (length == 0) {
            WorkRequest request = claim(sink, sink.writerIndex(), 0, options);
            request.read(0, 0, 0, from.stag(), taggedOffset);
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
        request.read(sinkStag, sinkOffset, length, from.stag(), taggedOffset);
        publish(request, id, Operation.READ, options, target);
    }

    /** Registration fails after the end of the stream; report the stream's end instead. */
    private MemoryRegion register(ByteBuf sink) {
        try {
            return stream.registerSink(sink);
        } catch (IllegalStateException refused) {
            CloseReason ended = state.closeReason();
            throw ended == null ? refused : new QueuePairClosedException(ended);
        }
    }

    void fetchAdd(
            long id,
            RemoteBuffer to,
            long toOffset,
            long add,
            long mask,
            PostOptions options,
            CompletionTarget target) {
        requireExtensions();
        long taggedOffset = taggedOffset(to, toOffset, Long.BYTES);
        WorkRequest request = claim(Long.BYTES, options);
        request.fetchAdd(to.stag(), taggedOffset, add, mask);
        publish(request, id, Operation.FETCH_ADD, options, target);
    }

    void compareSwap(
            long id,
            RemoteBuffer to,
            long toOffset,
            CompareSwap numbers,
            PostOptions options,
            CompletionTarget target) {
        requireExtensions();
        Objects.requireNonNull(numbers, "the numbers to compare and swap are null: make them with CompareSwap.compare");
        long taggedOffset = taggedOffset(to, toOffset, Long.BYTES);
        WorkRequest request = claim(Long.BYTES, options);
        request.compareSwap(
                to.stag(),
                taggedOffset,
                numbers.swapData(),
                numbers.swapMask(),
                numbers.compareData(),
                numbers.compareMask());
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
        LentMemory.requireWritable(sink);
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

    /** Returns the tagged offset of a part of the peer's memory. */
    private static long taggedOffset(RemoteBuffer remote, long offset, long length) {
        long space = remote.length();
        if (offset < 0 || offset > space || length > space - offset) {
            throw new IllegalArgumentException(length + " bytes at offset " + offset + " do not fit into the " + space
                    + " bytes of the peer's buffer: post less, or ask the peer for a larger buffer");
        }
        return remote.taggedOffset() + offset;
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
        return sends.claim(bytes);
    }

    private WorkRequest claim(ByteBuf source, PostOptions options) {
        return claim(source, source.readerIndex(), source.readableBytes(), options);
    }

    private WorkRequest claim(ByteBuf memory, int index, int length, PostOptions options) {
        memory.retain();
        WorkRequest request = null;
        try {
            request = claim(length, options);
        } finally {
            if (request == null) {
                memory.release();
            }
        }
        request.payload().cover(memory, index, length);
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
        try {
            return receives.claim();
        } catch (QueueFullException full) {
            if (metrics != null) {
                metrics.refused(QueueLimit.RECEIVE);
            }
            throw full;
        }
    }
}
