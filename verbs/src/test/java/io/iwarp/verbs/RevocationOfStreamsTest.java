package io.iwarp.verbs;

import static io.iwarp.verbs.Loopback.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.MemoryWindow;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Seeds;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.net.SocketAddress;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Memory that is revoked while peers write to it, read it and change it atomically. An access to a revoked STag ends
 * the stream, so each round has connections of its own; what happens within one segment is tested with the memory
 * alone.
 *
 * <p>{@code -Diwarp.effort=10} runs 600 rounds.
 */
@Timeout(600)
class RevocationOfStreamsTest {
    private static final int ROUNDS = 60;
    private static final int PEERS = 3;
    private static final int LENGTH = 32 * 1024;
    private static final long WAIT_NANOS = 10_000;
    private static final AccessRight[] ALL = {
        AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_ATOMIC
    };
    /** What each of the peers does. */
    private static final Traffic.Kind[][] STORM = {
        {Traffic.Kind.WRITE},
        {Traffic.Kind.READ, Traffic.Kind.READ_INTO_BUFFER, Traffic.Kind.WRITE},
        {Traffic.Kind.FETCH_ADD, Traffic.Kind.COMPARE_SWAP, Traffic.Kind.WRITE}
    };

    private final Loopback loopback = new Loopback();
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final ByteBuf memory = Unpooled.directBuffer(LENGTH, LENGTH).writerIndex(LENGTH);
    private MemoryRegion sink;
    private SocketAddress address;

    @BeforeEach
    void listen() throws Exception {
        sink = domain.region()
                .allocate(UnpooledByteBufAllocator.DEFAULT, LENGTH)
                .rights(AccessRight.LOCAL_WRITE)
                .register();
        address = loopback.accept(domain, QueuePairSettings.DEFAULT, qp -> {});
    }

    @AfterEach
    void release() {
        loopback.close();
        sink.close();
        assertThat(domain.device().regionCount()).isZero();
        assertThat(domain.device().windowCount()).isZero();
        domain.close();
        assertThat(memory.release()).isTrue();
    }

    @Test
    @Requirement({"SEC-6", "RDMAP-41", "RDMAP-47", "DDP-74"})
    void afterTheRevokingCallReturnedNotOneByteChanges() throws Exception {
        Seeds.forEach(ROUNDS, (seed, random) -> {
            MemoryRegion region = domain.region().buffers(memory).rights(ALL).register();
            MemoryWindow window =
                    random.nextBoolean() ? region.window(0, LENGTH).rights(ALL).bind() : null;
            Runnable revoke = revocation(random, region, window);
            storm(random, window == null ? region.remoteBuffer() : window.remoteBuffer(), revoke);
            region.close();
        });
    }

    private static Runnable revocation(Random random, MemoryRegion region, MemoryWindow window) {
        Runnable[] ways = window == null
                ? new Runnable[] {region::invalidate, region::close}
                : new Runnable[] {region::invalidate, region::close, window::invalidate, window::close};
        return ways[random.nextInt(ways.length)];
    }

    private void storm(Random random, RemoteBuffer target, Runnable revoke) throws Exception {
        Traffic[] peers = new Traffic[PEERS];
        QueuePair[] targets = new QueuePair[PEERS];
        int quiet = random.nextInt(100);
        for (int i = 0; i < PEERS; i++) {
            int number = i;
            loopback.connect(address, domain, QueuePairSettings.DEFAULT, qp -> {
                peers[number] = new Traffic(
                        qp, STORM[number], target, sink, () -> null, new Random(random.nextLong()), () -> {});
            });
            targets[i] = loopback.nextAccepted();
        }
        for (Traffic peer : peers) {
            peer.begin();
        }
        while (peers[0].completed() + peers[1].completed() + peers[2].completed() < quiet) {
            LockSupport.parkNanos(WAIT_NANOS);
        }
        revoke.run();
        byte[] atReturn = ByteBufUtil.getBytes(memory, 0, LENGTH);
        for (int i = 0; i < PEERS; i++) {
            CloseReason reason = peers[i].finish();
            assertThat(reason.endedBy()).isEqualTo(EndedBy.PEER_TERMINATE);
            assertThat(reason.error()).isIn(ProtocolError.DDP_TAGGED_INVALID_STAG, ProtocolError.RDMAP_INVALID_STAG);
            CloseReason here = await(targets[i].closed());
            assertThat(here.endedBy()).isEqualTo(EndedBy.LOCAL_FAULT);
            assertThat(here.error()).isEqualTo(reason.error());
        }
        assertThat(ByteBufUtil.getBytes(memory, 0, LENGTH)).isEqualTo(atReturn);
    }

    /** The peer itself takes the window back, in the middle of its own storm. */
    @Test
    @Requirement({"SEC-6", "RDMAP-39", "RDMAP-41"})
    void afterASendWithInvalidateCompletedNotOneByteChanges() throws Exception {
        Seeds.forEach(ROUNDS / 4, (seed, random) -> {
            CompletableFuture<byte[]> atReturn = new CompletableFuture<>();
            ByteBuf inbox = Unpooled.directBuffer(8, 8);
            MemoryRegion region = domain.region().buffers(memory).rights(ALL).register();
            Traffic[] traffic = new Traffic[1];
            QueuePair peer = loopback.connect(address, domain, QueuePairSettings.DEFAULT, qp -> {});
            QueuePair target = loopback.nextAccepted();
            target.receive(inbox).thenAccept(taken -> {
                boolean revoked = target.stream().lookup(taken.invalidatedStag()) == null;
                atReturn.complete(revoked ? ByteBufUtil.getBytes(memory, 0, LENGTH) : new byte[0]);
            });
            MemoryWindow window = target.window(region, 0, LENGTH).rights(ALL).bind();
            int quiet = random.nextInt(100);
            CompletableFuture<Completion> taking = new CompletableFuture<>();
            traffic[0] = new Traffic(peer, STORM[1], window.remoteBuffer(), sink, () -> null, random, () -> {
                if (traffic[0].completed() == quiet + 1) {
                    peer.sendWithInvalidate(Unpooled.EMPTY_BUFFER, window.remoteBuffer())
                            .whenComplete((done, failure) -> taking.complete(done));
                }
            });
            traffic[0].begin();
            CloseReason reason = traffic[0].finish();
            assertThat(reason.endedBy()).isEqualTo(EndedBy.PEER_TERMINATE);
            assertThat(reason.error()).isIn(ProtocolError.DDP_TAGGED_INVALID_STAG, ProtocolError.RDMAP_INVALID_STAG);
            await(target.closed());
            await(taking);
            assertThat(ByteBufUtil.getBytes(memory, 0, LENGTH)).isEqualTo(await(atReturn));
            assertThat(window.isValid()).isFalse();
            region.close();
            inbox.release();
        });
    }
}
