package io.iwarp.verbs;

import static io.iwarp.verbs.Loopback.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
                .rights(AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_READ)
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
