package io.iwarp.verbs;

import static io.iwarp.verbs.Loopback.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Posting a Read: what its sink may be, and what is left of it when it cannot be posted. */
class ReadPostTest {
    private static final RemoteBuffer SOMEWHERE = new RemoteBuffer(0x1234, 0, 8);

    private final Loopback loopback = new Loopback();
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final ByteBuf bytes = Unpooled.directBuffer(8, 8);
    private QueuePair queuePair;

    @BeforeEach
    void connect() throws Exception {
        queuePair = loopback.connect(
                loopback.accept(domain, QueuePairSettings.DEFAULT, qp -> {}),
                domain,
                QueuePairSettings.DEFAULT,
                qp -> qp.setCompletionListener((same, completion) -> {}));
    }

    @AfterEach
    void release() throws Exception {
        queuePair.close();
        await(queuePair.closed());
        await(loopback.nextAccepted().closed());
        loopback.close();
        assertThat(domain.device().regionCount()).isZero();
        domain.close();
        assertThat(bytes.release()).isTrue();
    }

    @Test
    void afterTheEndItFailsWithTheReasonOfTheEnd() throws Exception {
        queuePair.abort();
        CloseReason reason = await(queuePair.closed());
        assertThatThrownBy(() -> await(queuePair.read(bytes, SOMEWHERE)))
                .cause()
                .isInstanceOfSatisfying(
                        ConnectionClosedException.class,
                        ended -> assertThat(ended.reason()).isSameAs(reason));
        assertThatThrownBy(() -> queuePair
                        .sendQueue()
                        .read(1, bytes, SOMEWHERE.slice(0, bytes.writableBytes()), PostOptions.NONE))
                .isInstanceOfSatisfying(
                        ConnectionClosedException.class,
                        closed -> assertThat(closed.reason()).isSameAs(reason));
    }

    @Test
    void aReadOfNoBytesCompletesWithItsBuffer() throws Exception {
        Completion read = await(queuePair.read(bytes, new RemoteBuffer(1, 0, 0)));
        assertThat(read.buffer()).isSameAs(bytes);
        assertThat(read.bytes()).isZero();
        assertThat(bytes.writerIndex()).isZero();
        assertThat(bytes.refCnt()).isOne();
    }

    @Test
    void aReadOfNoBytesHoldsItsBufferUntilTheCompletion() throws Exception {
        ByteBuf sink = Unpooled.directBuffer(8, 8);
        CompletableFuture<Completion> reading = queuePair.read(sink, new RemoteBuffer(1, 0, 0));
        sink.release();
        await(reading);
        assertThat(sink.refCnt()).isZero();
        assertThat(queuePair.closeReason()).isNull();
    }

    @Test
    void aSinkOfAnotherDomainIsRefused() {
        try (ProtectionDomain other = ProtectionDomain.create();
                MemoryRegion foreign = other.register(bytes, AccessRight.LOCAL_WRITE)) {
            assertThatThrownBy(() -> queuePair.read(foreign.slice(0, SOMEWHERE.length()), SOMEWHERE))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("another protection domain");
        }
    }

    @Test
    void aSinkThatMayNotBeWrittenIsRefused() {
        try (MemoryRegion readable = domain.register(bytes, AccessRight.REMOTE_READ)) {
            assertThatThrownBy(() -> queuePair.read(readable.slice(0, SOMEWHERE.length()), SOMEWHERE))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("LOCAL_WRITE");
        }
    }

    @Test
    void aSinkThatIsTooSmallOrNotDirectIsRefused() {
        assertThatThrownBy(() -> queuePair.read(bytes, new RemoteBuffer(1, 0, 9)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("9 bytes, which do not fit into the 8");
        assertThatThrownBy(() -> queuePair.read(Unpooled.buffer(8), SOMEWHERE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("direct");
    }
}
