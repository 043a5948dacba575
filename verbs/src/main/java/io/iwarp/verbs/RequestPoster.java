package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.Operation;
import io.iwarp.ddp.DdpMessage;
import io.iwarp.internal.memory.ByteSpan;
import io.iwarp.internal.memory.StreamAssociation;
import io.iwarp.memory.LocalBuffer;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.RegionClosedException;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.rdmap.RdmapRequest;
import io.iwarp.rdmap.StreamState;
import io.netty.buffer.ByteBuf;
import java.util.Map;
import java.util.Objects;

/**
 * The calls that post a request: each checks its arguments, retains the local memory, claims a slot of
 * {@link PostedRequests}, fills it and publishes it. A {@link SendQueue} posts with an id and a fixed target, a
 * {@link QueuePair} with a future. Any thread may post. A refused post has no effect.
 *
 * <p>Local memory is a {@link ByteBuf} or part of a {@link MemoryRegion}, which the {@link ByteSpan} of the slot
 * covers. It is retained before the claim, and released if the claim is refused. Everything that can fail comes before
 * the claim.
 */
final class RequestPoster {
    private static final String MESSAGE = "message";
    private static final String SOURCE = "source";
    private static final String SINK = "sink";

    private final PostedRequests requests;
    private final StreamAssociation stream;
    private final StreamState state;
    /** Whether atomics and Immediate Data may be posted. */
    private final boolean extensionsEnabled;

    private final Map<ByteBuf, ReadSink> sinks = ReadSink.newRegistry();

    RequestPoster(PostedRequests requests, StreamAssociation stream, StreamState state, boolean extensionsEnabled) {
        this.requests = requests;
        this.stream = stream;
        this.state = state;
        this.extensionsEnabled = extensionsEnabled;
    }

    void send(long id, ByteBuf message, PostOptions options, CompletionTarget target) {
        send(claim(MESSAGE, message, options, target), id, options, target);
    }

    void send(long id, LocalBuffer message, PostOptions options, CompletionTarget target) {
        send(claim(MESSAGE, message, options, target), id, options, target);
    }

    void send(long id, MemoryRegion message, long offset, long length, PostOptions options, CompletionTarget target) {
        send(claim(MESSAGE, message, offset, length, options, target), id, options, target);
    }

    private void send(WorkRequest request, long id, PostOptions options, CompletionTarget target) {
        request.send(options.solicited);
        requests.publish(request, id, Operation.SEND, options, target);
    }

    void sendWithInvalidate(
            long id, ByteBuf message, RemoteBuffer invalidated, PostOptions options, CompletionTarget target) {
        Objects.requireNonNull(invalidated, "invalidated is null");
        sendWithInvalidate(claim(MESSAGE, message, options, target), id, invalidated, options, target);
    }

    void sendWithInvalidate(
            long id, LocalBuffer message, RemoteBuffer invalidated, PostOptions options, CompletionTarget target) {
        Objects.requireNonNull(invalidated, "invalidated is null");
        sendWithInvalidate(claim(MESSAGE, message, options, target), id, invalidated, options, target);
    }

    private void sendWithInvalidate(
            WorkRequest request, long id, RemoteBuffer invalidated, PostOptions options, CompletionTarget target) {
        request.sendWithInvalidate(invalidated.stag(), options.solicited);
        requests.publish(request, id, Operation.SEND, options, target);
    }

    void write(long id, ByteBuf source, RemoteBuffer to, PostOptions options, CompletionTarget target) {
        requireNonNull(SOURCE, source);
        requireRoom(to, source.readableBytes());
        write(claim(SOURCE, source, options, target), id, to.stag(), to.taggedOffset(), options, target);
    }

    void write(long id, LocalBuffer source, RemoteBuffer to, PostOptions options, CompletionTarget target) {
        requireNonNull(SOURCE, source);
        requireRoom(to, source.length());
        write(claim(SOURCE, source, options, target), id, to.stag(), to.taggedOffset(), options, target);
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
        write(claim(SOURCE, source, offset, length, options, target), id, stag, taggedOffset, options, target);
    }

    private void write(
            WorkRequest request, long id, int stag, long taggedOffset, PostOptions options, CompletionTarget target) {
        request.write(stag, taggedOffset);
        requests.publish(request, id, Operation.WRITE, options, target);
    }

    void writeWithImmediate(
            long id,
            ByteBuf source,
            RemoteBuffer to,
            ImmediateData data,
            PostOptions options,
            CompletionTarget target) {
        requireNonNull(SOURCE, source);
        requireRoom(to, source.readableBytes());
        long bits = requireBits(data);
        writeWithImmediate(claim(SOURCE, source, options, target), id, to, bits, options, target);
    }

    void writeWithImmediate(
            long id,
            LocalBuffer source,
            RemoteBuffer to,
            ImmediateData data,
            PostOptions options,
            CompletionTarget target) {
        requireNonNull(SOURCE, source);
        requireRoom(to, source.length());
        long bits = requireBits(data);
        writeWithImmediate(claim(SOURCE, source, options, target), id, to, bits, options, target);
    }

    private void writeWithImmediate(
            WorkRequest request, long id, RemoteBuffer to, long bits, PostOptions options, CompletionTarget target) {
        request.writeWithImmediate(to.stag(), to.taggedOffset(), bits, options.solicited);
        requests.publish(request, id, Operation.WRITE, options, target);
    }

    void sendImmediate(long id, ImmediateData data, PostOptions options, CompletionTarget target) {
        long bits = requireBits(data);
        WorkRequest request = requests.claim(Long.BYTES, options, target);
        request.immediate(bits, options.solicited);
        requests.publish(request, id, Operation.IMMEDIATE, options, target);
    }

    void read(long id, LocalBuffer sink, RemoteBuffer from, PostOptions options, CompletionTarget target) {
        Objects.requireNonNull(sink, "sink is null");
        Objects.requireNonNull(from, "source is null");
        long length = from.length();
        if (length > sink.length()) {
            throw new IllegalArgumentException(
                    "the source has " + length + " bytes, which do not fit into " + sink + ": read a slice of it");
        }
        read(
                id,
                ByteSpan.region(sink),
                ByteSpan.offset(sink),
                length,
                from.stag(),
                from.taggedOffset(),
                options,
                target);
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
        Objects.requireNonNull(sink, "sink is null");
        requests.requireReads();
        stream.requireSink(sink);
        WorkRequest request = claim(SINK, sink, offset, length, options, target);
        // The peer may invalidate the sink at any time, even before the request is sent. Its response then ends the
        // stream.
        request.read(sink.stag(), sink.baseTaggedOffset() + offset, length, stag, taggedOffset);
        requests.publish(request, id, Operation.READ, options, target);
    }

    /** A Read of 0 bytes refers to no memory, so every peer accepts it. */
    void placed(long id, CompletionTarget target) {
        requests.requireReads();
        WorkRequest request = requests.claim(0, PostOptions.NONE, target);
        request.read(RdmapRequest.EMPTY_MESSAGE_STAG, 0, 0, RdmapRequest.EMPTY_MESSAGE_STAG, 0);
        requests.publish(request, id, Operation.READ, PostOptions.NONE, target);
    }

    /** Registers the buffer for the duration of the Read. Only responses of this stream's peer can be placed there. */
    void read(long id, ByteBuf sink, RemoteBuffer from, PostOptions options, CompletionTarget target) {
        Objects.requireNonNull(sink, "sink is null");
        Objects.requireNonNull(from, "source is null");
        requests.requireReads();
        int room = sink.writableBytes();
        if (from.length() > room) {
            throw new IllegalArgumentException("the source has " + from.length() + " bytes, which do not fit into the "
                    + room + " writable bytes of the sink: read a slice of it");
        }
        int length = (int) from.length();
        ReadSink readSink = lend(sink, length, target);
        WorkRequest request;
        try {
            request = requests.claim(length, options, target);
        } catch (Throwable refused) {
            readSink.close();
            throw refused;
        }
        request.readSink(readSink);
        MemoryRegion region = readSink.region();
        if (region == null) {
            request.read(0, 0, 0, from.stag(), from.taggedOffset());
        } else {
            long to = region.baseTaggedOffset() + sink.writerIndex();
            request.read(region.stag(), to, length, from.stag(), from.taggedOffset());
        }
        requests.publish(request, id, Operation.READ, options, target);
    }

    private ReadSink lend(ByteBuf sink, int length, CompletionTarget target) {
        ReadSink readSink = ReadSink.of(sink, target, sinks);
        try {
            if (length > 0) {
                readSink.setRegion(register(sink));
            } else {
                ByteSpan.retain(SINK, sink);
                readSink.setRetained();
            }
        } catch (Throwable refused) {
            readSink.close();
            throw refused;
        }
        return readSink;
    }

    /** Registration fails if the stream has ended, or is closing and its domain was closed; report that instead. */
    private MemoryRegion register(ByteBuf sink) {
        try {
            return stream.registerSink(sink);
        } catch (RegionClosedException refused) {
            CloseReason endReason = state.refusalReason();
            throw endReason == null ? refused : new ConnectionClosedException(endReason);
        }
    }

    void fetchAdd(long id, RemoteBuffer word, FetchAdd numbers, PostOptions options, CompletionTarget target) {
        Objects.requireNonNull(numbers, "numbers is null");
        fetchAdd(id, word, numbers.addend(), numbers.addMask(), options, target);
    }

    /** @param mask the highest bits of the fields, or 0 */
    void fetchAdd(long id, RemoteBuffer word, long addend, long mask, PostOptions options, CompletionTarget target) {
        requireWord(word);
        fetchAdd(id, word.stag(), word.taggedOffset(), addend, mask, options, target);
    }

    void fetchAdd(
            long id,
            int stag,
            long taggedOffset,
            long addend,
            long mask,
            PostOptions options,
            CompletionTarget target) {
        requireAtomics();
        WorkRequest request = requests.claim(Long.BYTES, options, target);
        request.fetchAdd(stag, taggedOffset, addend, mask);
        requests.publish(request, id, Operation.FETCH_ADD, options, target);
    }

    void compareSwap(long id, RemoteBuffer word, CompareSwap numbers, PostOptions options, CompletionTarget target) {
        Objects.requireNonNull(numbers, "numbers is null");
        requireWord(word);
        requireAtomics();
        WorkRequest request = requests.claim(Long.BYTES, options, target);
        request.compareSwap(
                word.stag(),
                word.taggedOffset(),
                numbers.swapData(),
                numbers.swapMask(),
                numbers.compareData(),
                numbers.compareMask());
        requests.publish(request, id, Operation.COMPARE_SWAP, options, target);
    }

    void compareSwap(
            long id,
            int stag,
            long taggedOffset,
            long expected,
            long replacement,
            PostOptions options,
            CompletionTarget target) {
        requireAtomics();
        WorkRequest request = requests.claim(Long.BYTES, options, target);
        request.compareSwap(stag, taggedOffset, replacement, -1, expected, -1);
        requests.publish(request, id, Operation.COMPARE_SWAP, options, target);
    }

    private static void requireNonNull(String name, Object memory) {
        if (memory == null) {
            throw new NullPointerException(name + " is null");
        }
    }

    private static void requireRoom(RemoteBuffer to, long length) {
        Objects.requireNonNull(to, "target is null");
        if (length > to.length()) {
            throw new IllegalArgumentException(length + " bytes do not fit into the " + to.length()
                    + " bytes of the peer's buffer: post less, or ask the peer for a larger buffer");
        }
    }

    private static void requireWord(RemoteBuffer target) {
        Objects.requireNonNull(target, "target is null");
        if (target.length() != Long.BYTES) {
            throw new IllegalArgumentException("an atomic works on " + Long.BYTES + " bytes, " + target + " has "
                    + target.length() + ": use word(byteOffset) of it");
        }
    }

    private void requireAtomics() {
        requireExtensions();
        requests.requireReads();
    }

    private long requireBits(ImmediateData data) {
        Objects.requireNonNull(data, "data is null");
        requireExtensions();
        return data.bits();
    }

    private void requireExtensions() {
        if (!extensionsEnabled) {
            throw new UnsupportedOperationException(
                    "atomics and Immediate Data are turned off by QueuePairSettings.extensions");
        }
    }

    /** Any thread: retains a buffer, and claims a slot whose payload is its readable bytes. */
    private WorkRequest claim(String name, ByteBuf memory, PostOptions options, CompletionTarget target) {
        requireNonNull(name, memory);
        int index = memory.readerIndex();
        int length = memory.readableBytes();
        ByteSpan.retain(name, memory);
        WorkRequest request;
        try {
            request = requests.claim(length, options, target);
        } catch (Throwable refused) {
            memory.release();
            throw refused;
        }
        request.payload().cover(memory, index, length);
        return request;
    }

    private WorkRequest claim(String name, LocalBuffer piece, PostOptions options, CompletionTarget target) {
        requireNonNull(name, piece);
        return claim(name, ByteSpan.region(piece), ByteSpan.offset(piece), piece.length(), options, target);
    }

    /** Any thread: retains part of a region, and claims a slot whose payload it is. */
    private WorkRequest claim(
            String name, MemoryRegion region, long offset, long length, PostOptions options, CompletionTarget target) {
        requireNonNull(name, region);
        DdpMessage.requireLength(name, length);
        ByteSpan.retain(region, offset, length);
        WorkRequest request;
        try {
            request = requests.claim(length, options, target);
        } catch (Throwable refused) {
            ByteSpan.release(region);
            throw refused;
        }
        request.payload().cover(region, offset, length);
        return request;
    }
}
