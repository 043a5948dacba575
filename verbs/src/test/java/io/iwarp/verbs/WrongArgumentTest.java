package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.Role;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.LocalBuffer;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RegionClosedException;
import io.iwarp.memory.RemoteBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.IllegalReferenceCountException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A call with a wrong argument is refused and changes nothing. */
@SuppressWarnings("NullAway") // the mistake that is tried
class WrongArgumentTest {
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final EmbeddedChannel channel = new EmbeddedChannel();

    private QueuePair queuePair() {
        return new QueuePair(channel, domain, QueuePairSettings.DEFAULT, Role.INITIATOR, null);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aMissingCompletionQueueReservesNothing(boolean first) {
        QueuePair queuePair = queuePair();
        CompletionQueue queue = CompletionQueue.create(CompletionQueue.capacityFor(QueuePairSettings.DEFAULT, 1));
        assertThatThrownBy(() -> queuePair.setCompletionQueues(first ? null : queue, first ? queue : null))
                .isInstanceOf(NullPointerException.class);
        assertThat(queue.reserved()).isZero();
        queuePair.setCompletionQueue(queue);
        assertThat(queue.reserved()).isEqualTo(queue.capacity());
    }

    @Test
    void aReceiveIntoAFullBufferIsRefused() {
        QueuePair queuePair = queuePair();
        ByteBuf full = Unpooled.directBuffer(8, 8).writeLong(1);
        assertThatThrownBy(() -> queuePair.receive(full))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no writable byte: clear() it");
        assertThat(full.refCnt()).isOne();
        full.release();
        assertThat(queuePair.receive(Unpooled.EMPTY_BUFFER)).isNotDone();
    }

    @Test
    void completionQueuesThatComeTooLateReserveNothing() {
        QueuePair queuePair = queuePair();
        CompletionQueue queue = CompletionQueue.create(CompletionQueue.capacityFor(QueuePairSettings.DEFAULT, 1));
        queuePair.receive(Unpooled.EMPTY_BUFFER);
        assertThatThrownBy(() -> queuePair.setCompletionQueue(queue)).isInstanceOf(IllegalStateException.class);
        assertThat(queue.reserved()).isZero();
        queue.close();
    }

    @Test
    void aMissingListenerIsRefusedAtTheCall() {
        QueuePair queuePair = queuePair();
        CompletionQueue queue = CompletionQueue.create(1);
        for (ThrowingCallable call : List.<ThrowingCallable>of(
                () -> queuePair.setCompletionListener(null),
                () -> queuePair.sendQueueFor(null),
                () -> queuePair.setListener(null),
                () -> queue.setListener(null),
                () -> IwarpChannelInitializer.responder(domain, null),
                () -> IwarpChannelInitializer.initiator(domain, QueuePairSettings.DEFAULT, new byte[0], null),
                () -> IwarpChannelInitializer.initiator(domain).withTransportHandlers(null))) {
            assertThatThrownBy(call).isInstanceOf(NullPointerException.class);
        }
    }

    @Test
    void aListenerBesideCompletionQueuesIsRefused() {
        CompletionQueue queue = CompletionQueue.create(CompletionQueue.capacityFor(QueuePairSettings.DEFAULT, 1));
        QueuePair queuePair = queuePair().setCompletionQueue(queue);
        assertThatThrownBy(() -> queuePair.setCompletionListener((same, completion) -> {}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has its completion queues already");
    }

    @Test
    void aPollWithoutAHandlerOrForNothingIsRefused() {
        CompletionQueue queue = CompletionQueue.create(CompletionQueue.capacityFor(QueuePairSettings.DEFAULT, 1));
        QueuePair queuePair = queuePair().setCompletionQueue(queue);
        queue.add((CompletionPort) queuePair.engine().receiveSide().target(), new CompletionView());
        assertThatThrownBy(() -> queue.poll(null, 1)).isInstanceOf(NullPointerException.class);
        for (int max : new int[] {0, -1}) {
            assertThatThrownBy(() -> queue.poll((ofPair, completion) -> {}, max))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("poll for at least 1");
        }
        List<QueuePair> polled = new ArrayList<>();
        queue.poll((ofPair, completion) -> polled.add(ofPair), 1);
        assertThat(polled).containsExactly(queuePair);
    }

    /** In each form of a post, at the call, with the name of the argument. */
    @Test
    void aWrongPostIsRefusedAtTheCallAndSaysWhatIsWrong() {
        QueuePair qp = queuePair().setCompletionListener((same, completion) -> {});
        SendQueue sends = qp.sendQueue();
        RemoteBuffer peers = new RemoteBuffer(1, 0, 8);
        ByteBuf bytes = Unpooled.directBuffer(8, 8).writeLong(1);
        ByteBuf sink = Unpooled.directBuffer(8, 8);
        ByteBuf released = Unpooled.directBuffer(8, 8).writeLong(1);
        released.release();
        MemoryRegion region = domain.register(sink, AccessRight.LOCAL_WRITE);
        MemoryRegion readable = domain.register(sink, AccessRight.REMOTE_READ);
        MemoryRegion closed = domain.register(sink, AccessRight.LOCAL_WRITE);
        LocalBuffer gone = closed.slice(0, 8);
        closed.close();
        ProtectionDomain other = ProtectionDomain.create();
        MemoryRegion foreign = other.register(sink, AccessRight.LOCAL_WRITE);
        PostOptions none = PostOptions.NONE;

        Map<ThrowingCallable, String> nulls = new LinkedHashMap<>();
        nulls.put(() -> qp.send((ByteBuf) null), "message is null");
        nulls.put(() -> sends.send(1, (LocalBuffer) null, none), "message is null");
        nulls.put(() -> qp.sendWithInvalidate(bytes, null), "invalidated is null");
        nulls.put(() -> qp.write((ByteBuf) null, peers), "source is null");
        nulls.put(() -> qp.write(bytes, null), "target is null");
        nulls.put(() -> sends.write(1, region.slice(0, 8), null, none), "target is null");
        nulls.put(() -> qp.write(bytes, peers, null), "options are null");
        nulls.put(() -> qp.writeWithImmediate(bytes, peers, null, none), "data is null");
        nulls.put(() -> sends.sendImmediate(1, null, none), "data is null");
        nulls.put(() -> qp.read((LocalBuffer) null, peers), "sink is null");
        nulls.put(() -> qp.read(sink, null), "source is null");
        nulls.put(() -> qp.fetchAdd(null, 1), "target is null");
        nulls.put(() -> sends.fetchAdd(1, peers, null, none), "numbers is null");
        nulls.put(() -> qp.compareSwap(peers, null, none), "numbers is null");
        nulls.put(() -> qp.receive((ByteBuf) null), "sink is null");
        nulls.put(() -> qp.receiveQueue().receive(1, (LocalBuffer) null), "sink is null");
        refuses(NullPointerException.class, nulls);

        Map<ThrowingCallable, String> ended = new LinkedHashMap<>();
        ended.put(() -> qp.send(released), "message ");
        ended.put(() -> sends.write(1, released, peers), "source ");
        ended.put(() -> qp.receive(released.clear()), "sink ");
        refuses(IllegalReferenceCountException.class, ended);

        Map<ThrowingCallable, String> gones = new LinkedHashMap<>();
        for (CompletableFuture<Completion> refused :
                List.of(qp.write(gone, peers), qp.receive(gone), qp.read(gone, peers))) {
            assertThatThrownBy(refused::join)
                    .hasCauseInstanceOf(RegionClosedException.class)
                    .hasMessageContaining("was closed; register the memory again");
        }
        gones.put(() -> sends.write(1, gone, peers, none), "was closed; register the memory again");
        gones.put(() -> closed.slice(0, 8), "was closed; register the memory again");
        refuses(RegionClosedException.class, gones);

        Map<ThrowingCallable, String> wrong = new LinkedHashMap<>();
        wrong.put(() -> qp.read(Unpooled.buffer(8, 8), peers), "direct");
        wrong.put(() -> qp.read(readable.slice(0, 8), peers), "register it with the right LOCAL_WRITE");
        wrong.put(() -> sends.read(1, foreign.slice(0, 8), peers, none), "another protection domain");
        wrong.put(() -> qp.read(region.slice(0, 7), peers), "read a slice of it");
        wrong.put(() -> qp.write(bytes, peers.slice(0, 7)), "8 bytes do not fit into the 7 bytes");
        wrong.put(() -> qp.receive(sink.asReadOnly()), "is read-only");
        wrong.put(() -> qp.fetchAdd(peers.slice(0, 4), 1), "an atomic works on 8 bytes");
        refuses(IllegalArgumentException.class, wrong);

        Map<ThrowingCallable, String> beyond = new LinkedHashMap<>();
        beyond.put(() -> region.slice(-1, 1), "offset -1 and length 1 are not within the 8 bytes of MemoryRegion[");
        beyond.put(() -> region.slice(0, -1), "offset 0 and length -1");
        beyond.put(() -> region.slice(1, 8), "offset 1 and length 8");
        beyond.put(() -> region.slice(1, Long.MAX_VALUE), "are not within the 8 bytes");
        beyond.put(() -> region.slice(4, 4).slice(1, 4), "are not within the 4 bytes of LocalBuffer[");
        refuses(IndexOutOfBoundsException.class, beyond);

        assertThat(qp.engine().requests().ring().unreleasedCount()).isZero();
        List.of(region, readable, foreign).forEach(MemoryRegion::close);
        assertThat(bytes.release()).isTrue();
        assertThat(sink.release()).isTrue();
        other.close();
    }

    private static void refuses(Class<? extends Throwable> exception, Map<ThrowingCallable, String> calls) {
        calls.forEach((call, message) ->
                assertThatThrownBy(call).as(message).isInstanceOf(exception).hasMessageContaining(message));
    }

    /** For example because memory is short, or a registry of meters fails. */
    @Test
    void aQueuePairThatCannotBeMadeLeavesItsDomain() {
        EmbeddedChannel failing = new EmbeddedChannel() {
            @Override
            public ByteBufAllocator alloc() {
                throw new OutOfMemoryError("made");
            }
        };
        QueuePairSettings managed =
                QueuePairSettings.builder().managedReceiveBytes(8).build();
        assertThatThrownBy(() -> new QueuePair(failing, domain, managed, Role.RESPONDER, null))
                .isInstanceOf(OutOfMemoryError.class);
        domain.close();
    }
}
