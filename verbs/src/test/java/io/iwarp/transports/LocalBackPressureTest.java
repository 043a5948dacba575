package io.iwarp.transports;

import static io.iwarp.transports.Ends.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.Counter;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.verbs.Completion;
import io.iwarp.verbs.PostOptions;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A {@code LocalChannel} calls everything written at once; the stack bounds what its peer has not read nevertheless.
 */
class LocalBackPressureTest {
    private static final int LENGTH = 1 << 20;
    private static final int WRITES = 8;
    private static final int TURNS = 200;

    @ParameterizedTest
    @EnumSource(names = {"NONE", "TLS_1_3"})
    void noMoreThanTheTransmitWindowWaitsForABlockedPeer(Security security) throws Exception {
        Wiring wiring = new Wiring(
                Transport.LOCAL, security, false, false, Wiring.CompletionModel.FUTURES, Wiring.ReceiveModel.POSTED);
        Host host = new Host(wiring);
        Ends ends = new Ends(host, Path.of(""));
        MemoryRegion region = ends.domain()
                .region()
                .allocate(UnpooledByteBufAllocator.DEFAULT, LENGTH)
                .rights(AccessRight.REMOTE_WRITE)
                .register();
        ByteBuf source = Unpooled.directBuffer(LENGTH, LENGTH).writeZero(LENGTH);
        source.setInt(LENGTH - Integer.BYTES, 0x01020304);
        EventLoop sender = ends.initiator().queuePair().channel().eventLoop();
        Channel blocked = ends.responder().queuePair().channel();
        assertThat(blocked.eventLoop()).isNotSameAs(sender);
        CountDownLatch isBlocked = new CountDownLatch(1);
        CountDownLatch unblock = new CountDownLatch(1);
        blocked.eventLoop().execute(() -> {
            isBlocked.countDown();
            awaitUninterruptibly(unblock);
        });
        isBlocked.await();
        List<CompletableFuture<Completion>> writes = new ArrayList<>();
        try {
            for (int i = 0; i < WRITES; i++) {
                writes.add(ends.initiator().posts().write(source, region.remoteBuffer(), PostOptions.NONE));
            }
            for (int turn = 0; turn < TURNS; turn++) {
                sender.schedule(() -> {}, 0, TimeUnit.NANOSECONDS).sync();
            }
            int window = wiring.settings().transmitWindow();
            long sent = ends.initiator().queuePair().counters().get(Counter.BYTES_SENT);
            assertThat(sent).as("bytes of ULPDUs sent").isBetween(window / 2L, (long) window);
        } finally {
            unblock.countDown();
        }
        for (CompletableFuture<Completion> write : writes) {
            assertThat(await(write).bytes()).isEqualTo(LENGTH);
        }
        ByteBuf end = Unpooled.buffer(Integer.BYTES, Integer.BYTES);
        region.getBytes(LENGTH - Integer.BYTES, end, Integer.BYTES);
        assertThat(end.getInt(0)).isEqualTo(0x01020304);
        region.close();
        ends.close();
        assertThat(source.release()).isTrue();
        host.close();
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
