package io.iwarp.internal.memory;

import static io.iwarp.memory.AccessRight.REMOTE_READ;
import static io.iwarp.memory.AccessRight.REMOTE_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.MemoryWindow;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RegionBuilder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class FileRegionTest {
    private static final int LENGTH = 1000;

    private final ProtectionDomain domain = ProtectionDomain.create();
    private final StreamAssociation stream = StreamAssociation.open(domain);
    private final ByteBuf sink = PooledByteBufAllocator.DEFAULT.directBuffer(LENGTH, LENGTH);

    @TempDir
    private Path folder;

    private Path file;

    @BeforeEach
    void write() throws IOException {
        byte[] content = new byte[LENGTH];
        for (int i = 0; i < LENGTH; i++) {
            content[i] = byteAt(i);
        }
        file = Files.write(folder.resolve("data"), content);
    }

    @AfterEach
    void close() {
        assertThat(domain.regionCount()).isZero();
        assertThat(domain.registeredBytes()).isZero();
        stream.close();
        domain.close();
        assertThat(sink.release()).isTrue();
    }

    private static byte byteAt(int index) {
        return (byte) (index * 31 + index / 256);
    }

    private MemoryRegion register(long position, long length) {
        return domain.region().file(file, position, length).rights(REMOTE_READ).register();
    }

    @Test
    void peersReadPartOfTheFile() {
        CompositeByteBuf pieces = Unpooled.compositeBuffer()
                .addComponents(
                        true,
                        Unpooled.buffer(3).writeZero(3),
                        Unpooled.directBuffer(7).writeZero(7));
        try (MemoryRegion region = register(100, 900)) {
            TaggedBuffer tagged = stream.lookup(region.stag());

            assertThat(region.length()).isEqualTo(900);
            assertThat(domain.registeredBytes()).isEqualTo(900);
            assertThat(tagged.check(stream, REMOTE_READ, 0, 900)).isEqualTo(AccessVerdict.GRANTED);
            assertThat(tagged.check(stream, REMOTE_READ, 0, 901)).isEqualTo(AccessVerdict.BOUNDS);
            assertThat(tagged.fetch(5, sink, 10, 800)).isTrue();
            assertThat(tagged.fetch(890, pieces, 0, 10)).isTrue();
        }
        for (int i = 0; i < 800; i++) {
            assertThat(sink.getByte(10 + i)).isEqualTo(byteAt(105 + i));
        }
        for (int i = 0; i < 10; i++) {
            assertThat(pieces.getByte(i)).isEqualTo(byteAt(990 + i));
        }
        pieces.release();
    }

    @Test
    void aRegionCanBeLongerThanAnyMap() throws IOException {
        long length = 5L << 30;
        try (FileChannel sparse = FileChannel.open(file, StandardOpenOption.WRITE)) {
            sparse.write(ByteBuffer.wrap(new byte[] {42}), length - 1);
        }
        try (MemoryRegion region = register(0, length)) {
            TaggedBuffer tagged = stream.lookup(region.stag());

            assertThat(tagged.fetch(length - 2, sink, 0, 2)).isTrue();
            assertThat(tagged.fetch(LENGTH - 1, sink, 2, 2)).isTrue();
        }
        assertThat(sink.getInt(0)).isEqualTo(42 << 16 | (byteAt(LENGTH - 1) & 0xff) << 8);
    }

    @Test
    void onlyReadsAreGranted() {
        RegionBuilder builder = domain.region().file(file, 0, LENGTH);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.rights(REMOTE_READ, REMOTE_WRITE).register())
                .withMessageContaining("cannot grant [REMOTE_WRITE]");
        try (MemoryRegion region = builder.rights(REMOTE_READ).register()) {
            assertThat(region.isReadOnly()).isTrue();
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> region.window(0, 8).rights(REMOTE_WRITE).bind())
                    .withMessageContaining("cannot grant [REMOTE_WRITE]");
            try (MemoryWindow window = region.window(8, 8).rights(REMOTE_READ).bind()) {
                assertThat(stream.lookup(window.stag()).fetch(0, sink, 0, 8)).isTrue();
            }
        }
        assertThat(sink.getByte(0)).isEqualTo(byteAt(8));
    }

    @Test
    void thisSideReadsTheFileItself() {
        try (MemoryRegion region = register(0, LENGTH)) {
            assertOnlyPeersRead(() -> region.view(0, 1));
            assertOnlyPeersRead(() -> region.getBytes(0, sink, 1));
            assertOnlyPeersRead(() -> region.setBytes(0, sink));
            assertOnlyPeersRead(() -> region.slice(0, 1));
            assertOnlyPeersRead(() -> region.getVolatile(0));
            assertOnlyPeersRead(() -> region.setVolatile(0, 1));
            assertOnlyPeersRead(() -> region.fetchAdd(0, 1));
        }
    }

    private static void assertOnlyPeersRead(ThrowingCallable use) {
        assertThatThrownBy(use)
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("is over a file, and only peers read it");
    }

    @Test
    void aFileThatDoesNotSufficeIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> register(1, LENGTH))
                .withMessageContaining(file + " has 1000 bytes, too few for a region of 1000 bytes at position 1");
        assertThatIllegalArgumentException().isThrownBy(() -> register(Long.MAX_VALUE, Long.MAX_VALUE));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> register(-1, LENGTH))
                .withMessageContaining("at least 0, not -1");
        assertThatIllegalArgumentException().isThrownBy(() -> register(0, 0)).withMessageContaining("at least 1 byte");
        file = folder.resolve("none");
        assertThatThrownBy(() -> register(0, 1))
                .isInstanceOf(UncheckedIOException.class)
                .hasCauseInstanceOf(NoSuchFileException.class)
                .hasMessageContaining(file.toString());
    }

    @Test
    void aTruncatedFileIsAnErrorAndNeverOtherBytes() throws IOException {
        sink.setZero(0, LENGTH);
        try (MemoryRegion region = register(0, LENGTH)) {
            TaggedBuffer tagged = stream.lookup(region.stag());
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.truncate(500);
            }

            assertThatIllegalStateException()
                    .isThrownBy(() -> tagged.fetch(400, sink, 0, 200))
                    .withMessageContaining(file + " was truncated, and has no byte 500");
            assertThat(tagged.fetch(300, sink, 0, 200)).isTrue();
        }
        assertThat(sink.getByte(0)).isEqualTo(byteAt(300));
    }

    @Test
    void anInterruptedReaderClosesTheFile() {
        try (MemoryRegion region = register(0, LENGTH)) {
            TaggedBuffer tagged = stream.lookup(region.stag());
            Thread.currentThread().interrupt();

            assertThatIllegalStateException()
                    .isThrownBy(() -> tagged.fetch(0, sink, 0, 1))
                    .withMessageContaining("interrupted");
            assertThat(Thread.interrupted()).isTrue();
            assertThatIllegalStateException()
                    .isThrownBy(() -> tagged.fetch(0, sink, 0, 1))
                    .withMessageContaining("register it again");
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void theEndOfTheRegionClosesTheFile() throws IOException {
        MemoryRegion region = register(0, LENGTH);
        assertThat(timesOpen()).isOne();
        region.invalidate();
        assertThat(timesOpen()).isOne();
        region.close();
        assertThat(timesOpen()).isZero();

        assertThatIllegalArgumentException().isThrownBy(() -> register(0, LENGTH + 1));
        assertThat(timesOpen()).isZero();
    }

    private long timesOpen() throws IOException {
        Path real = file.toRealPath();
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors.filter(descriptor -> isLink(descriptor, real)).count();
        }
    }

    /** Descriptors that were closed meanwhile are no links any more. */
    private static boolean isLink(Path descriptor, Path target) {
        try {
            return Files.readSymbolicLink(descriptor).equals(target);
        } catch (IOException closed) {
            return false;
        }
    }

    /** Each read returns the bytes of its range, or finds the region closed. */
    @Test
    void severalThreadsReadUntilTheRegionIsClosed() throws Exception {
        int readers = 3;
        ExecutorService threads = Executors.newFixedThreadPool(readers);
        MemoryRegion region = register(0, LENGTH);
        TaggedBuffer tagged = stream.lookup(region.stag());
        CountDownLatch underWay = new CountDownLatch(readers * 100);
        List<Future<Integer>> wrong = new ArrayList<>();
        for (int i = 0; i < readers; i++) {
            wrong.add(threads.submit(reader(tagged, new Random(i), underWay)));
        }

        underWay.await();
        region.close();

        for (Future<Integer> bytes : wrong) {
            assertThat(bytes.get()).isZero();
        }
        threads.shutdown();
    }

    private static Callable<Integer> reader(TaggedBuffer tagged, Random random, CountDownLatch underWay) {
        return () -> {
            ByteBuf own = Unpooled.directBuffer(LENGTH, LENGTH);
            int wrong = 0;
            try {
                while (true) {
                    int from = random.nextInt(LENGTH);
                    int count = random.nextInt(LENGTH - from + 1);
                    if (!tagged.fetch(from, own, 0, count)) {
                        return wrong;
                    }
                    for (int i = 0; i < count; i++) {
                        wrong += own.getByte(i) == byteAt(from + i) ? 0 : 1;
                    }
                    underWay.countDown();
                }
            } finally {
                own.release();
            }
        };
    }
}
