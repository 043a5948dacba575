package io.iwarp.memory;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.EOFException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Regions that are stored in files and loaded from them. */
class RegionStoreTest {
    /** More than two pieces, and not a multiple of one. */
    private static final int LENGTH = (1 << 19) + 13;

    private final byte[] bytes = new byte[LENGTH];
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final MemoryRegion region = domain.allocate(LENGTH);

    @TempDir
    private Path folder;

    private FileChannel file;

    @BeforeEach
    void open() throws Exception {
        new Random(1).nextBytes(bytes);
        region.setBytes(0, Unpooled.wrappedBuffer(bytes));
        file = FileChannel.open(Files.createFile(folder.resolve("file")), READ, WRITE);
    }

    @AfterEach
    void close() throws Exception {
        file.close();
        region.close();
        domain.close();
    }

    @Test
    void loadRestoresWhatStoreWrote() throws Exception {
        file.position(3);
        region.store(file);
        assertThat(file.position()).isEqualTo(3 + LENGTH);
        region.setBytes(0, Unpooled.wrappedBuffer(new byte[LENGTH]));
        region.invalidate(); // local access needs no valid STag

        region.load(file.position(3));

        assertThat(file.position()).isEqualTo(3 + LENGTH);
        assertThat(region.getBytes(0, LENGTH)).isEqualTo(bytes);
    }

    @Test
    void loadRefusesAFileThatIsTooShort() throws Exception {
        region.store(file);
        region.setVolatile(0, 7);
        file.position(1);
        assertThatExceptionOfType(EOFException.class)
                .isThrownBy(() -> region.load(file))
                .withMessageContaining("has " + (LENGTH - 1) + " bytes from position 1");
        assertThat(region.getVolatile(0)).isEqualTo(7);
    }

    @Test
    void closedAndReadOnlyRegionsAreRefused() throws Exception {
        region.store(file);
        ByteBuf constant = Unpooled.directBuffer(8).writeLong(1).asReadOnly();
        try (MemoryRegion readOnly = domain.region().buffers(constant).register()) {
            file.position(0);
            assertThatThrownBy(() -> readOnly.load(file)).isInstanceOf(UnsupportedOperationException.class);
            readOnly.store(file);
            assertThat(file.position()).isEqualTo(8);
        }
        constant.release();
        region.close();
        assertThatThrownBy(() -> region.load(file)).isInstanceOf(RegionClosedException.class);
        assertThatThrownBy(() -> region.store(file)).isInstanceOf(RegionClosedException.class);
    }
}
