package io.iwarp.tools.kv;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.verbs.IwarpChannelInitializer;
import io.iwarp.verbs.IwarpConnector;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A reader whose server is a test, which stops in the middle of a change for as long as it likes. */
class TornReadTest {
    private static final byte[] KEY = "key".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] OLD = "the value before".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] NEW = "the value behind".getBytes(StandardCharsets.US_ASCII);
    private static final int SLOTS = KvLayout.BUCKET_SLOTS;
    private static final int ENTRY = 128;
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final ByteBuf scratch = Unpooled.buffer();
    private final MemoryRegion index = region(SLOTS * KvSlot.LENGTH, AccessRight.REMOTE_READ);
    private final MemoryRegion values = region(1 << 10, AccessRight.REMOTE_READ);
    private final MemoryRegion cells = region(SLOTS * KvLayout.CELL_LENGTH, AccessRight.REMOTE_ATOMIC);
    private IwarpListener listener;
    private QueuePair queuePair;
    private KvConnection connection;

    @BeforeEach
    void connect() throws Exception {
        listener = IwarpListener.listen(
                        new ServerBootstrap().group(group).channel(NioServerSocketChannel.class),
                        IwarpChannelInitializer.responder(
                                domain, QueuePairSettings.DEFAULT, request -> request.accept()),
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .get();
        connection = connection(PATIENCE);
    }

    private KvConnection connection(Duration patience) throws Exception {
        queuePair = new IwarpConnector(
                        new Bootstrap().group(group).channel(NioSocketChannel.class),
                        IwarpChannelInitializer.initiator(domain, QueuePairSettings.DEFAULT, new byte[0], fresh -> {}))
                .connect(listener.localAddress())
                .get();
        KvGrant grant = new KvGrant(index.remoteBuffer(), values.remoteBuffer(), cells.remoteBuffer());
        return new KvConnection(queuePair, domain, grant, patience);
    }

    @AfterEach
    void close() throws Exception {
        connection.close();
        listener.close();
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        index.close();
        values.close();
        cells.close();
        domain.close();
    }

    private MemoryRegion region(int length, AccessRight right) {
        return domain.region()
                .allocate(ByteBufAllocator.DEFAULT, length)
                .rights(right)
                .register();
    }

    @Test
    void anEntryThatIsHalfWrittenIsReadAgain() throws Exception {
        putSlot(1, 0, OLD);
        putEntry(1, 0, OLD, 20);

        assertThat(readAfterRetries(() -> putEntry(1, 0, OLD, Integer.MAX_VALUE)))
                .isEqualTo("the value before");
    }

    @Test
    void anEntryOfAnotherVersionIsReadAgain() throws Exception {
        putSlot(1, 0, OLD);
        putEntry(2, 0, NEW, Integer.MAX_VALUE);

        assertThat(readAfterRetries(() -> putSlot(2, 0, NEW))).isEqualTo("the value behind");
    }

    @Test
    void aSlotThatIsHalfWrittenIsReadAgain() throws Exception {
        putEntry(1, 0, OLD, Integer.MAX_VALUE);
        putSlot(1, 0, OLD);
        // The hash of another key: it must not be taken for a sign that the key is not there.
        putBytes(index, 16, Unpooled.copyInt(~KvLayout.hash(KEY)), Integer.BYTES);

        assertThat(readAfterRetries(() -> putSlot(1, 0, OLD))).isEqualTo("the value before");
    }

    @Test
    void aValueThatLeavesItsWordIsReadAgain() throws Exception {
        putWordSlot(1);
        cells.setVolatile(KvLayout.WORD, KvWord.ELSEWHERE);

        assertThat(readAfterRetries(() -> cells.setVolatile(KvLayout.WORD, KvWord.of(KEY))))
                .isEqualTo("key");
    }

    @Test
    void whatIsRememberedOfAKeyDoesNotOutliveAChange() throws Exception {
        putSlot(1, 0, OLD);
        putEntry(1, 0, OLD, Integer.MAX_VALUE);
        assertThat(text(connection.get("key"))).isEqualTo("the value before");

        putEntry(2, ENTRY, NEW, Integer.MAX_VALUE);
        putSlot(2, ENTRY, NEW);

        assertThat(text(connection.get("key"))).isEqualTo("the value behind");
        assertThat(connection.get("key").orElseThrow().version()).isEqualTo(2);
        assertThat(connection.hits("key")).hasValue(3);
        assertThat(connection.retries()).isZero();
    }

    @Test
    void aKeyWithTheSameHashIsNotTheKey() throws Exception {
        putSlot(1, 0, OLD);
        KvEntry.encode(scratch, 1, "kex".getBytes(StandardCharsets.US_ASCII), OLD);
        putBytes(values, 0, scratch, scratch.readableBytes());

        assertThat(connection.get("key")).isEmpty();
        assertThat(connection.hits("key")).isEmpty();
    }

    @Test
    void aReaderDoesNotTryForEver() throws Exception {
        putSlot(1, 0, OLD);
        connection.close();
        connection = connection(Duration.ofMillis(200));

        assertThat(readInBackground())
                .failsWithin(PATIENCE)
                .withThrowableThat()
                .withMessageContaining("changed each time");
    }

    private String readAfterRetries(Runnable completion) throws Exception {
        CompletableFuture<String> read = readInBackground();
        Awaitility.await().until(() -> connection.retries() > 2);
        assertThat(read).isNotDone();

        completion.run();

        return read.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private CompletableFuture<String> readInBackground() {
        Supplier<String> read = () -> {
            try {
                return text(connection.get("key"));
            } catch (IOException | InterruptedException e) {
                throw new CompletionException(e);
            }
        };
        return CompletableFuture.supplyAsync(read);
    }

    private static String text(Optional<KvValue> value) {
        return value.map(KvValue::text).orElse("nothing");
    }

    private void putSlot(long version, long offset, byte[] value) {
        new KvSlot(version, offset, KvLayout.hash(KEY), KEY.length, value.length, false).encode(scratch);
        putBytes(index, 0, scratch, KvSlot.LENGTH);
    }

    private void putWordSlot(long version) {
        new KvSlot(version, 0, KvLayout.hash(KEY), KEY.length, 0, true).encode(scratch);
        putBytes(index, 0, scratch, KvSlot.LENGTH);
        putEntry(version, 0, new byte[0], Integer.MAX_VALUE);
    }

    private void putEntry(long version, long offset, byte[] value, int most) {
        KvEntry.encode(scratch, version, KEY, value);
        putBytes(values, offset, scratch, Math.min(most, scratch.readableBytes()));
    }

    private static void putBytes(MemoryRegion region, long offset, ByteBuf bytes, int count) {
        region.span().put(offset, bytes, 0, count);
    }
}
