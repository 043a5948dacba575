package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A peer that reads a file through a region of its owner. */
abstract class ReadOfAFile {
    final ProtectionDomain domain = ProtectionDomain.create();
    final SimulatedPair pair = new SimulatedPair(domain, QueuePairSettings.DEFAULT, qp -> {});
    final QueuePair reader = pair.initiator.queuePair();
    final QueuePair owner = pair.responder.queuePair();
    final ByteBuf sink;
    final ByteBuf content;

    @TempDir
    private Path folder;

    Path file;
    MemoryRegion region;

    ReadOfAFile(int length) {
        sink = Unpooled.directBuffer(length, length);
        content = Unpooled.buffer(length);
    }

    /** Returns a region over the whole file. */
    abstract MemoryRegion register() throws IOException;

    @BeforeEach
    final void write() throws IOException {
        while (content.isWritable()) {
            content.writeByte(content.writerIndex() / 7);
        }
        file = Files.write(folder.resolve("data"), content.array());
        region = register();
    }

    @AfterEach
    final void close() {
        pair.close();
        region.close();
        domain.close();
        assertThat(sink.release()).isTrue();
    }
}
