package io.iwarp.fuzz;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import io.iwarp.CloseReason;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.FetchAdd;
import io.iwarp.verbs.IwarpChannelInitializer;
import io.iwarp.verbs.PostOptions;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * One end of a connection whose peer is the fuzzer: a queue pair with memory of each kind of right, posted receives and
 * outstanding requests, on a channel without a socket. {@link #close} looks for what must never happen: memory changed
 * or sent beyond its rights, an exception that is no typed error, a stream that does not end, a buffer that is left.
 */
final class FuzzedEnd implements AutoCloseable {
    static final int BYTES = 64;

    private static final int GUARD = 64;

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
    private final ProtectionDomain domain = ProtectionDomain.create();
    /** Drawn anew each time, so that the fuzzer cannot learn and send it. */
    private final long secretBytes = ThreadLocalRandom.current().nextLong();

    private final Place writable;
    private final Place readable;
    private final Place atomic;
    private final Place secret;
    private final Place sink;
    private final EmbeddedChannel channel;

    /** A region in the middle of a buffer, with bytes around it that no message may touch. */
    private static final class Place {
        private final ByteBuf whole;
        private final MemoryRegion region;
        private final byte[] before = new byte[BYTES + 2 * GUARD];

        /** @param secret fills the bytes around the region, and the region unless its bytes may be sent */
        Place(UnpooledByteBufAllocator allocator, ProtectionDomain domain, long secret, AccessRight... rights) {
            Set<AccessRight> granted = Set.of(rights);
            boolean sent = granted.contains(AccessRight.REMOTE_READ) || granted.contains(AccessRight.REMOTE_ATOMIC);
            ByteBuffer filled = ByteBuffer.wrap(before);
            while (filled.hasRemaining()) {
                boolean inside = filled.position() >= GUARD && filled.position() < GUARD + BYTES;
                filled.putLong(inside && sent ? 0 : secret);
            }
            whole = allocator.directBuffer(before.length, before.length).writeBytes(before);
            region = domain.register(whole.slice(GUARD, BYTES), rights);
        }

        void requireGuarded() {
            requireUnchanged(0, GUARD);
            requireUnchanged(GUARD + BYTES, GUARD);
        }

        void requireUnchanged() {
            requireUnchanged(GUARD, BYTES);
        }

        private void requireUnchanged(int index, int length) {
            for (int i = index; i < index + length; i++) {
                if (whole.getByte(i) != before[i]) {
                    throw new AssertionError("byte " + (i - GUARD) + " of " + region + " was changed");
                }
            }
        }

        void close() {
            region.close();
            require(whole.release(), "the memory of a region is still held");
        }
    }

    /** @param initializer makes the queue pair of the end */
    FuzzedEnd(Function<ProtectionDomain, IwarpChannelInitializer> initializer) {
        writable = new Place(allocator, domain, secretBytes, AccessRight.REMOTE_WRITE);
        readable = new Place(allocator, domain, secretBytes, AccessRight.REMOTE_READ);
        atomic = new Place(allocator, domain, secretBytes, AccessRight.REMOTE_ATOMIC);
        secret = new Place(allocator, domain, secretBytes, AccessRight.LOCAL_WRITE);
        sink = new Place(allocator, domain, secretBytes, AccessRight.LOCAL_WRITE);
        channel = new EmbeddedChannel();
        channel.config().setOption(ChannelOption.ALLOCATOR, allocator);
        channel.freezeTime();
        channel.pipeline().addLast(initializer.apply(domain));
    }

    /** Posts what the peer can answer, and what its messages can use up. */
    void postSomeOfEach() {
        QueuePair queuePair = Objects.requireNonNull(IwarpChannelInitializer.queuePair(channel), "no queue pair");
        for (int i = 0; i < 3; i++) {
            ByteBuf receive = allocator.directBuffer(BYTES, BYTES);
            queuePair.receiveQueue().receive(i, receive);
            receive.release();
        }
        RemoteBuffer peers = new RemoteBuffer(1, 0, BYTES);
        queuePair.sendQueue().read(10, sink.region.slice(0, BYTES / 2), peers.slice(0, BYTES / 2), PostOptions.NONE);
        queuePair.sendQueue().fetchAdd(11, peers.slice(0, Long.BYTES), FetchAdd.add(1), PostOptions.NONE);
        queuePair
                .sendQueue()
                .read(12, sink.region.slice(BYTES / 2, BYTES / 2), peers.slice(0, BYTES / 2), PostOptions.NONE);
        run();
    }

    /** Returns an STag for the peer to use: mostly one that exists. */
    int stag(FuzzedDataProvider data) {
        return switch (data.consumeInt(0, 6)) {
            case 0 -> writable.region.stag();
            case 1 -> readable.region.stag();
            case 2 -> atomic.region.stag();
            case 3 -> secret.region.stag();
            case 4 -> sink.region.stag();
            case 5 -> 0;
            default -> data.consumeInt();
        };
    }

    /** Bytes of the peer arrive, and everything that follows from them happens. */
    void receive(byte[] bytes) {
        if (channel.isOpen() && bytes.length > 0) {
            channel.writeInbound(allocator.directBuffer(bytes.length).writeBytes(bytes));
        }
        run();
    }

    /** As {@link #receive}, in pieces that the fuzzer cuts. */
    void receiveInPieces(byte[] bytes, FuzzedDataProvider data) {
        int from = 0;
        while (from < bytes.length) {
            int piece = Math.min(bytes.length - from, data.consumeInt(1, 32));
            byte[] part = new byte[piece];
            System.arraycopy(bytes, from, part, 0, piece);
            receive(part);
            from += piece;
        }
    }

    private void run() {
        channel.runPendingTasks();
        channel.runScheduledPendingTasks();
        takeOutput();
    }

    /** What is not readable must not be sent. Eight bytes that are equal by chance are not to be expected. */
    private void takeOutput() {
        for (ByteBuf sent = channel.readOutbound(); sent != null; sent = channel.readOutbound()) {
            byte[] bytes = ByteBufUtil.getBytes(sent);
            sent.release();
            require(!containsSecret(bytes), "bytes of memory that no peer may read were sent");
        }
    }

    /** Returns whether any eight bytes in a row are of the secret, wherever in it they begin. */
    private boolean containsSecret(byte[] sent) {
        ByteBuffer bytes = ByteBuffer.wrap(sent);
        for (int i = 0; i + Long.BYTES <= sent.length; i++) {
            long eight = bytes.getLong(i);
            for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
                if (eight == Long.rotateLeft(secretBytes, shift)) {
                    return true;
                }
            }
        }
        return false;
    }

    @Override
    public void close() {
        // A responder has none before a valid request.
        QueuePair queuePair = IwarpChannelInitializer.queuePair(channel);
        channel.close();
        run();
        channel.advanceTimeBy(1, TimeUnit.HOURS);
        run();
        if (queuePair != null) {
            CompletableFuture<CloseReason> closed = queuePair.closed();
            require(closed.isDone(), "the stream did not end");
            Throwable cause = closed.join().cause();
            if (cause instanceof RuntimeException || cause instanceof Error) {
                throw new AssertionError("the stream failed by an exception: " + closed.join(), cause);
            }
        }
        channel.finishAndReleaseAll();
        channel.checkException();
        for (Place place : new Place[] {writable, readable, atomic, secret, sink}) {
            place.requireGuarded();
        }
        readable.requireUnchanged();
        secret.requireUnchanged();
        for (Place place : new Place[] {writable, readable, atomic, secret, sink}) {
            place.close();
        }
        domain.close();
        require(allocator.metric().usedDirectMemory() == 0, "direct memory is left");
        require(allocator.metric().usedHeapMemory() == 0, "heap buffers are left");
    }

    private static void require(boolean condition, String complaint) {
        if (!condition) {
            throw new AssertionError(complaint);
        }
    }
}
