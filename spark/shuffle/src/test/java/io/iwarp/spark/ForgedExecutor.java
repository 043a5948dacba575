package io.iwarp.spark;

import com.codahale.metrics.MetricRegistry;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.ConnectionRequest;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BiConsumer;
import org.apache.spark.SparkConf;

/**
 * A listener that publishes map outputs as an executor does, with checksums that are right, and replies to connection
 * requests as the test wants.
 */
final class ForgedExecutor implements AutoCloseable {
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final Network network;
    private final Directory directory;
    private final PublishedOutputs published;
    final PeerAddress address;

    /** @param reply accepts or rejects a request; gets the directory of this listener */
    ForgedExecutor(SparkConf conf, BiConsumer<ConnectionRequest, RemoteBuffer> reply) throws IOException {
        network = new Network(ShuffleSettings.from(conf), domain, null);
        directory = new Directory(domain, ByteBufAllocator.DEFAULT, 64);
        published = new PublishedOutputs(
                new OutputRegions(domain, ByteBufAllocator.DEFAULT),
                directory,
                new ShuffleMetrics(new MetricRegistry()),
                Duration.ZERO,
                network::later);
        address = new PeerAddress(
                "127.0.0.1",
                network.listen(
                        "127.0.0.1", request -> reply.accept(request, directory.advertised()), (peer, reason) -> {}),
                "");
    }

    /** Publishes a map output with one block. */
    void publish(Path folder, MapKey key, byte[] block) {
        Blocks.MapFiles files = Blocks.write(folder, "forged", block, 0, block.length);
        published.begin(key).publish(files.data(), files.index());
    }

    @Override
    public void close() {
        network.close();
        published.close();
        directory.close();
        network.terminate();
    }
}
