package io.iwarp.verbs;

import static io.iwarp.verbs.Loopback.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.Operation;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RegionClosedException;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.mpa.MpaParameters;
import io.iwarp.mpa.MpaSettings;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Operations on parts of regions, in every form, and what the end of a stream means for its regions. */
class RegionOperationsTest {
    private static final int LENGTH = 64;
    private static final int HALF = LENGTH / 2;

    private final Loopback loopback = new Loopback();
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final MemoryRegion here = region();
    private final MemoryRegion there = region();

    @AfterEach
    void release() throws Exception {
        loopback.close();
        here.close();
        there.close();
        domain.close();
    }

    private MemoryRegion region() {
        return domain.region()
                .allocate(UnpooledByteBufAllocator.DEFAULT, LENGTH)
                .rights(
                        AccessRight.LOCAL_WRITE,
                        AccessRight.REMOTE_WRITE,
                        AccessRight.REMOTE_READ,
                        AccessRight.REMOTE_ATOMIC)
                .register();
    }

    private static void fill(MemoryRegion region, long value) {
        for (int i = 0; i < LENGTH; i += Long.BYTES) {
            region.setVolatile(i, value);
        }
    }

    private static long at(MemoryRegion region, int index) {
        return region.getVolatile(index);
    }

    private QueuePair connect() throws Exception {
        SocketAddress address = loopback.accept(domain, QueuePairSettings.DEFAULT, qp -> {});
        return loopback.connect(address, domain, QueuePairSettings.DEFAULT, qp -> {});
    }

    @Test
    void futuresTakeOptionsForRegionsAsForBuffers() throws Exception {
        QueuePair sender = connect();
        QueuePair receiver = loopback.nextAccepted();
        fill(here, 1);
        RemoteBuffer target = there.remoteBuffer(HALF, HALF);
        CompletableFuture<Completion> message = receiver.receive(there.slice(0, HALF));
        CompletableFuture<Completion> immediate = receiver.receive(Unpooled.EMPTY_BUFFER);
        await(sender.send(here.slice(0, HALF), PostOptions.SOLICITED));
        assertThat(await(message).solicited()).isTrue();
        assertThat(at(there, 0)).isOne();
        assertThat(at(there, HALF)).isZero();
        await(sender.writeWithImmediate(here.slice(0, HALF), target, new ImmediateData(7), PostOptions.SOLICITED));
        assertThat(await(immediate).immediate()).isEqualTo(7);
        assertThat(at(there, LENGTH - Long.BYTES)).isOne();
        fill(there, 2);
        CompletableFuture<Completion> read = sender.read(here.slice(0, target.length()), target, PostOptions.NONE);
        await(sender.write(here.slice(0, HALF), target, PostOptions.FENCE));
        assertThat(read).as("a fenced Write waits for the Read").isCompleted();
        assertThat(at(here, 0)).isEqualTo(2);
        assertThatThrownBy(() -> sender.writeWithImmediate(
                        here.slice(0, LENGTH), target, new ImmediateData(7), PostOptions.NONE))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aRegionsWriteWithImmediateCompletesWithItsId() throws Exception {
        QueuePair sender = connect();
        CompletableFuture<Completion> receive = loopback.nextAccepted().receive(Unpooled.EMPTY_BUFFER);
        CompletableFuture<Long> id = new CompletableFuture<>();
        sender.setCompletionListener((qp, completion) -> id.complete(completion.workRequestId()));
        RemoteBuffer target = there.remoteBuffer();
        fill(here, 3);
        sender.sendQueue().writeWithImmediate(9, here.slice(0, LENGTH), target, new ImmediateData(7), PostOptions.NONE);
        assertThat(await(receive).immediate()).isEqualTo(7);
        assertThat(await(id)).isEqualTo(9);
        assertThat(at(there, 0)).isEqualTo(3);
    }

    @Test
    void postsByNumbersDoWhatThoseOfBuffersDo() throws Exception {
        QueuePair sender = connect();
        CompletableFuture<Completion> message = loopback.nextAccepted().receive(there.slice(0, Long.BYTES));
        List<Long> found = new ArrayList<>();
        CompletableFuture<Long> last = new CompletableFuture<>();
        sender.setCompletionListener((qp, completion) -> {
            if (completion.operation() == Operation.FETCH_ADD || completion.operation() == Operation.COMPARE_SWAP) {
                found.add(completion.originalValue());
            }
            if (completion.operation() == Operation.COMPARE_SWAP) {
                last.complete(completion.workRequestId());
            }
        });
        RemoteBuffer target = there.remoteBuffer(HALF, HALF);
        int stag = target.stag();
        long offset = target.taggedOffset();
        here.setVolatile(8, 3);
        here.setVolatile(16, 4);
        SendQueue sends = sender.sendQueue();
        sends.send(1, here, 16, Long.BYTES, PostOptions.NONE);
        sends.write(2, here, 8, 2 * Long.BYTES, stag, offset + 8, PostOptions.NONE);
        sends.read(3, here, HALF, Long.BYTES, stag, offset + 16, PostOptions.NONE);
        sends.fetchAdd(4, stag, offset + 8, 10, PostOptions.NONE);
        sends.compareSwap(5, stag, offset + 8, 13, 20, PostOptions.NONE);
        assertThat(await(last)).isEqualTo(5);
        assertThat(await(message).bytes()).isEqualTo(Long.BYTES);
        assertThat(at(there, 0)).isEqualTo(4);
        assertThat(at(there, HALF)).isZero();
        assertThat(at(there, HALF + 8)).isEqualTo(20);
        assertThat(at(there, HALF + 16)).isEqualTo(4);
        assertThat(at(here, HALF)).isEqualTo(4);
        assertThat(found).containsExactly(3L, 13L);
    }

    @Test
    void postsByNumbersCheckTheLocalMemory() throws Exception {
        SendQueue sends = connect().sendQueueFor((qp, completion) -> {});
        assertThatThrownBy(() -> sends.write(1, here, 1, LENGTH, 7, 0, PostOptions.NONE))
                .isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessageContaining("offset 1 and length 64 are not within the 64 bytes");
        assertThatThrownBy(() -> sends.send(1, here, -1, 1, PostOptions.NONE))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> sends.read(1, here, 0, -1, 7, 0, PostOptions.NONE))
                .isInstanceOf(IndexOutOfBoundsException.class);
        try (MemoryRegion unwritable = domain.allocate(LENGTH, AccessRight.REMOTE_READ)) {
            assertThatThrownBy(() -> sends.read(1, unwritable, 0, 1, 7, 0, PostOptions.NONE))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("LOCAL_WRITE");
        }
        here.close();
        assertThatThrownBy(() -> sends.write(1, here, 0, 1, 7, 0, PostOptions.NONE))
                .isInstanceOf(RegionClosedException.class);
        assertThat(sends.room()).isEqualTo(QueuePairSettings.DEFAULT.sendQueueDepth());
    }

    @Test
    void offeringMemoryToAStreamThatHasEndedFailsWithATypeOfItsOwn() throws Exception {
        QueuePair initiator = connect();
        MemoryRegion ofStream = initiator
                .region()
                .allocate(UnpooledByteBufAllocator.DEFAULT, LENGTH)
                .register();
        initiator.abort();
        await(initiator.closed());
        assertThatThrownBy(ofStream::remoteBuffer).isInstanceOf(RegionClosedException.class);
        assertThatThrownBy(() -> initiator
                        .region()
                        .allocate(UnpooledByteBufAllocator.DEFAULT, LENGTH)
                        .register())
                .isInstanceOf(RegionClosedException.class);
        assertThatThrownBy(() -> initiator.window(here, 0, LENGTH).bind()).isInstanceOf(RegionClosedException.class);
        ofStream.close();
        assertThatThrownBy(ofStream::remoteBuffer).isInstanceOf(RegionClosedException.class);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatWasAgreedIsKnownOnBothSidesAsSoonAsTheyAreReady(boolean enhanced) throws Exception {
        QueuePairSettings settings = QueuePairSettings.builder()
                .mpa(MpaSettings.builder()
                        .enhanced(enhanced)
                        .peerToPeer(enhanced)
                        .build())
                .build();
        CompletableFuture<MpaParameters> seenByListener = new CompletableFuture<>();
        SocketAddress address = loopback.accept(
                domain,
                settings,
                queuePair -> queuePair.setListener(new QueuePairListener() {
                    @Override
                    public void onReady(QueuePair qp) {
                        seenByListener.complete(Objects.requireNonNull(qp.parameters()));
                    }
                }));
        QueuePair initiator = loopback.connect(address, domain, settings, qp -> {});
        assertThat(initiator.parameters()).isNotNull();
        await(initiator.send(Unpooled.EMPTY_BUFFER));
        assertThat(await(seenByListener)).isNotNull();
    }
}
