package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A region over a read-only map of a file. */
class ReadOnlyRegionTest extends ReadOfAFile {
    private static final int LENGTH = 3 * 65536;

    ReadOnlyRegionTest() {
        super(LENGTH);
    }

    @Override
    MemoryRegion register() throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            MappedByteBuffer map = channel.map(FileChannel.MapMode.READ_ONLY, 0, LENGTH);
            return domain.register(Unpooled.wrappedBuffer(map), AccessRight.REMOTE_READ);
        }
    }

    @Test
    void peersReadTheFile() {
        CompletableFuture<Completion> read = reader.read(sink, region.remoteBuffer());

        pair.run();

        assertThat(read).isCompleted();
        assertThat(sink).isEqualTo(content);
    }

    @Test
    void itIsSentFromAndNotReceivedInto() {
        CompletableFuture<Completion> received = reader.receive(sink);
        pair.run();
        owner.send(region.slice(0, LENGTH), PostOptions.NONE);
        reader.send(Unpooled.EMPTY_BUFFER);
        owner.receive(Unpooled.EMPTY_BUFFER);
        pair.run();

        assertThat(received).isCompleted();
        assertThat(sink).isEqualTo(content);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> owner.receive(region.slice(0, LENGTH)))
                .withMessageContaining("a receive needs writable memory")
                .withMessageContaining("is read-only");
        try (SharedReceiveQueue shared = SharedReceiveQueue.create(1, 1)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> shared.receive(1, region.slice(0, LENGTH)))
                    .withMessageContaining("is read-only");
        }
    }
}
