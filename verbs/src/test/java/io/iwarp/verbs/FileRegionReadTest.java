package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Peers read a file through a region, and learn of a file that does not keep its bytes. */
class FileRegionReadTest extends ReadOfAFile {
    private static final int LENGTH = 3 * 65536 + 1;

    FileRegionReadTest() {
        super(LENGTH);
    }

    @Override
    MemoryRegion register() {
        return domain.region()
                .file(file, 0, LENGTH)
                .rights(AccessRight.REMOTE_READ)
                .register();
    }

    @Test
    void aReadReturnsTheBytesOfTheFile() throws IOException {
        Files.delete(file);
        CompletableFuture<Completion> read = reader.read(sink, region.remoteBuffer());

        pair.run();

        assertThat(read).isCompleted();
        assertThat(sink).isEqualTo(content);
    }

    @Test
    void truncatedFileEndsTheStreamAndIsNamed() throws IOException {
        CompletableFuture<Completion> early = reader.read(sink, region.remoteBuffer(0, 9));
        pair.run();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(LENGTH - 1);
        }
        CompletableFuture<Completion> late = reader.read(sink, region.remoteBuffer(9, LENGTH - 9));

        pair.run();

        assertThat(early).isCompleted();
        assertThat(late).isCompletedExceptionally();
        assertThat(sink.writerIndex()).isEqualTo(9);
        assertThat(reader.closeReason().endedBy()).isEqualTo(EndedBy.PEER_TERMINATE);
        assertThat(reader.closeReason().error()).isEqualTo(ProtocolError.DDP_LOCAL_CATASTROPHIC);
        assertThat(owner.closeReason().endedBy()).isEqualTo(EndedBy.LOCAL_FAULT);
        assertThat(owner.closeReason().detail()).contains(file + " was truncated, and has no byte " + (LENGTH - 1));
    }

    @Test
    void aReadOfAClosedRegionFindsNoStag() {
        CompletableFuture<Completion> read = reader.read(sink, region.remoteBuffer());
        region.close();

        pair.run();

        assertThat(read).isCompletedExceptionally();
        assertThat(reader.closeReason().error()).isEqualTo(ProtocolError.RDMAP_INVALID_STAG);
    }

    @Test
    void itIsNoMemoryForRequestsOfThisSide() {
        assertThatThrownBy(() -> region.slice(0, LENGTH))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("is over a file");
    }
}
