package io.iwarp.spark;

import static io.iwarp.spark.Blocks.content;
import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.testing.LogCapture;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.internal.OutOfDirectMemoryError;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The transport of each block, and what happens when one fails. */
class FetchTest {
    private static final int LARGE = 1001;

    @TempDir
    private Path folder;

    @RegisterExtension
    private final LogCapture log = new LogCapture("io.iwarp.spark");

    @Test
    void blocksArriveByReadsAloneAndAMapIsLookedUpOnce() throws IOException {
        try (TwoNodes nodes = new TwoNodes(folder)) {
            nodes.publish(3, 7, 10, 0, 999, 20);
            nodes.publish(3, 8, 5, 6, 7, 8);

            RecordingListener first = nodes.fetch("shuffle_3_7_0", "shuffle_3_8_3", "shuffle_3_7_2");
            RecordingListener second = nodes.fetch("shuffle_3_7_3", "shuffle_3_8_0_3");

            assertThat(first.arrived)
                    .containsEntry("shuffle_3_7_0", content(3, 7, 0, 10))
                    .containsEntry("shuffle_3_8_3", content(3, 8, 3, 8))
                    .containsEntry("shuffle_3_7_2", content(3, 7, 2, 999));
            assertThat(second.arrived)
                    .containsEntry("shuffle_3_7_3", content(3, 7, 3, 20))
                    .containsEntry("shuffle_3_8_0_3", content(3, 8, 0, 5) + content(3, 8, 1, 6) + content(3, 8, 2, 7));
            assertThat(nodes.spark.calls).isEmpty();
            assertThat(nodes.count("blocksRead")).isEqualTo(5);
            assertThat(nodes.count("lookups")).isEqualTo(2);
            assertThat(nodes.count("connections")).isEqualTo(1);
        }
    }

    @Test
    void executorsReadOverIpv6() throws IOException {
        SparkConf conf = TwoNodes.settings()
                // As Spark names such a host.
                .set("test.host", "[::1]");
        try (TwoNodes nodes = new TwoNodes(folder, conf, ByteBufAllocator.DEFAULT)) {
            nodes.publish(1, 1, 4);

            assertThat(nodes.fetch("shuffle_1_1_0").arrived).containsEntry("shuffle_1_1_0", content(1, 1, 0, 4));
            assertThat(nodes.spark.calls).isEmpty();
        }
    }

    @Test
    void theAdvertisedPortIsPublishedInsteadOfTheBoundOne() throws IOException {
        SparkConf conf = TwoNodes.settings()
                .set("spark.shuffle.iwarp.bindAddress", "127.0.0.1")
                .set("spark.shuffle.iwarp.advertisedPort", "77")
                .set("test.host", "gateway");
        try (TwoNodes nodes = new TwoNodes(folder, conf, ByteBufAllocator.DEFAULT)) {
            assertThat(nodes.addresses.get(TwoNodes.SERVER)).isEqualTo(new PeerAddress("gateway", 77, ""));
        }
    }

    @Test
    void blocksBeyondTheQueueDepthWait() throws IOException {
        SparkConf conf = TwoNodes.settings().set("spark.shuffle.iwarp.outstandingReads", "2");
        try (TwoNodes nodes = new TwoNodes(folder, conf, ByteBufAllocator.DEFAULT)) {
            nodes.publish(0, 1, IntStream.generate(() -> 50).limit(300).toArray());
            String[] blocks =
                    IntStream.range(0, 300).mapToObj(i -> "shuffle_0_1_" + i).toArray(String[]::new);

            RecordingListener fetched = nodes.fetch(blocks);

            for (int i = 0; i < blocks.length; i++) {
                assertThat(fetched.arrived).containsEntry(blocks[i], content(0, 1, i, 50));
            }
            assertThat(nodes.spark.calls).isEmpty();
        }
    }

    @Test
    void largeAndUnpublishedBlocksGoToSparkTogether() throws IOException {
        try (TwoNodes nodes = new TwoNodes(folder)) {
            nodes.publish(1, 1, LARGE, 9);

            RecordingListener fetched = nodes.fetch("shuffle_1_1_0", "shuffle_1_1_1", "shuffle_1_2_0");

            assertThat(fetched.arrived)
                    .containsEntry("shuffle_1_1_1", content(1, 1, 1, 9))
                    .containsEntry("shuffle_1_1_0", FakeSpark.CONTENT)
                    .containsEntry("shuffle_1_2_0", FakeSpark.CONTENT);
            assertThat(nodes.spark.calls).hasSize(1);
            assertThat(nodes.count("largeBlocks")).isEqualTo(1);
            assertThat(nodes.count("unpublishedBlocks")).isEqualTo(1);
            assertThat(nodes.count("fallbackBlocks")).isZero();
        }
    }

    @Test
    void blocksThatAreKnownToBeLargeNeedNoLookup() throws IOException {
        try (TwoNodes nodes = new TwoNodes(folder)) {
            nodes.publish(1, 1, LARGE, 9);
            RecordingListener listener = new RecordingListener();
            new IwarpBlockStoreClient(nodes.client, nodes.spark, range -> range.start() == 0)
                    .fetchBlocks("host", 7, TwoNodes.SERVER, new String[] {"shuffle_1_1_0"}, listener, null);

            assertThat(listener.await(1).arrived).containsEntry("shuffle_1_1_0", FakeSpark.CONTENT);
            assertThat(nodes.count("largeBlocks")).isEqualTo(1);
            assertThat(nodes.count("lookups")).isZero();
            assertThat(nodes.count("connections")).isZero();
        }
    }

    @Test
    void otherBlocksGoToSparkAtOnce() throws IOException {
        try (TwoNodes nodes = new TwoNodes(folder)) {
            nodes.fetch("rdd_1_1", "shuffleChunk_0_0_0_0");

            assertThat(nodes.spark.calls).containsExactly(List.of("rdd_1_1", "shuffleChunk_0_0_0_0"));
            assertThat(nodes.count("connections")).isZero();
        }
    }

    @Test
    void aPartitionThatTheIndexDoesNotHaveFallsBackOnce() throws IOException {
        try (TwoNodes nodes = new TwoNodes(folder)) {
            nodes.publish(1, 1, 4, 4);

            RecordingListener fetched = nodes.fetch("shuffle_1_1_2", "shuffle_1_1_1");

            assertThat(fetched.arrived)
                    .containsEntry("shuffle_1_1_1", content(1, 1, 1, 4))
                    .containsEntry("shuffle_1_1_2", FakeSpark.CONTENT);
            assertThat(nodes.count("fallbackBlocks")).isEqualTo(1);
        }
    }

    @Test
    void aCorruptedSlotFallsBackOnceOrFailsIfThatIsOff() throws IOException {
        try (TwoNodes nodes = new TwoNodes(folder)) {
            nodes.publish(1, 1, 4);
            nodes.corruptSlot(new MapKey(1, 1));

            assertThat(nodes.fetch("shuffle_1_1_0").arrived).containsEntry("shuffle_1_1_0", FakeSpark.CONTENT);
            assertThat(nodes.spark.calls).hasSize(1);
        }
        SparkConf strict = TwoNodes.settings().set("spark.shuffle.iwarp.fallback", "false");
        try (TwoNodes nodes = new TwoNodes(folder, strict, ByteBufAllocator.DEFAULT)) {
            nodes.publish(1, 1, 4);
            nodes.corruptSlot(new MapKey(1, 1));

            assertThat(nodes.fetch("shuffle_1_1_0").failed.get("shuffle_1_1_0"))
                    .isInstanceOf(ShuffleDataException.class)
                    .hasMessageContaining("corrupted slot");
            assertThat(nodes.spark.calls).isEmpty();
        }
    }

    @Test
    void anIndexThatDoesNotFitItsDataFallsBack() throws IOException {
        try (TwoNodes nodes = new TwoNodes(folder)) {
            Blocks.MapFiles beyond = Blocks.write(folder, "beyond", new byte[10], 0, 5, 11);
            Blocks.MapFiles backward = Blocks.write(folder, "backward", new byte[10], 0, 7, 5, 10);
            Blocks.MapFiles odd = Blocks.write(folder, "odd", new byte[10], 0);
            nodes.server.begin(new MapKey(1, 1)).publish(beyond.data(), beyond.index());
            nodes.server.begin(new MapKey(1, 2)).publish(backward.data(), backward.index());
            nodes.server.begin(new MapKey(1, 3)).publish(odd.data(), odd.index());

            RecordingListener fetched = nodes.fetch("shuffle_1_1_0", "shuffle_1_2_0", "shuffle_1_3_0");

            assertThat(fetched.arrived.values()).containsOnly(FakeSpark.CONTENT);
            assertThat(nodes.count("fallbackBlocks")).isEqualTo(3);
        }
    }

    @Test
    void anIndexThatChangedSinceItWasPublishedFallsBack() throws IOException {
        try (TwoNodes nodes = new TwoNodes(folder)) {
            long[] offsets = new long[3000];
            Arrays.fill(offsets, 1, offsets.length, 10);
            Blocks.MapFiles files = Blocks.write(folder, "changed", new byte[10], offsets);
            nodes.server.begin(new MapKey(1, 1)).publish(files.data(), files.index());
            offsets[1] = 9;
            Blocks.write(folder, "changed", new byte[10], offsets);

            assertThat(nodes.fetch("shuffle_1_1_0").arrived).containsEntry("shuffle_1_1_0", FakeSpark.CONTENT);
            assertThat(nodes.count("fallbackBlocks")).isEqualTo(1);
        }
    }

    @Test
    void revokedShuffleFallsBackWithoutHarmToOthers() throws IOException {
        SparkConf conf = TwoNodes.settings()
                .set("spark.shuffle.iwarp.releaseDelay", "0")
                .set("spark.shuffle.iwarp.outstandingReads", "4");
        int[] lengths = IntStream.generate(() -> 50).limit(100).toArray();
        try (TwoNodes nodes = new TwoNodes(folder, conf, ByteBufAllocator.DEFAULT)) {
            nodes.publish(1, 1, lengths);
            nodes.publish(2, 2, lengths);
            String[] blocks = IntStream.range(0, 2 * lengths.length)
                    .mapToObj(i -> i % 2 == 0 ? "shuffle_1_1_" + i / 2 : "shuffle_2_2_" + i / 2)
                    .toArray(String[]::new);
            RecordingListener listener = new RecordingListener().onFirst(() -> {
                nodes.server.unregister(1);
                nodes.awaitRelease(1);
            });

            RecordingListener fetched = nodes.fetch(listener, blocks);

            assertThat(fetched.failed).isEmpty();
            for (int i = 0; i < lengths.length; i++) {
                assertThat(fetched.arrived).containsEntry("shuffle_2_2_" + i, content(2, 2, i, 50));
                assertThat(fetched.arrived.get("shuffle_1_1_" + i)).isIn(content(1, 1, i, 50), FakeSpark.CONTENT);
            }
            assertThat(nodes.spark.calls)
                    .isNotEmpty()
                    .allSatisfy(call -> assertThat(call).allMatch(block -> block.startsWith("shuffle_1_1_")));
            assertThat(nodes.count("fallbackBlocks")).isZero();
            nodes.awaitReleaseOfSinks();
        }
    }

    @Test
    void aRevokedShuffleDoesNotHarmTheReadsOfOthers() throws IOException {
        SparkConf conf = TwoNodes.settings().set("spark.shuffle.iwarp.releaseDelay", "0");
        try (TwoNodes nodes = new TwoNodes(folder, conf, ByteBufAllocator.DEFAULT)) {
            nodes.publish(1, 1, 30);
            nodes.publish(2, 2, 40, 50);
            nodes.fetch("shuffle_1_1_0", "shuffle_2_2_0");
            nodes.server.unregister(1);
            nodes.awaitRelease(1);

            RecordingListener fetched = nodes.fetch("shuffle_1_1_0", "shuffle_2_2_0", "shuffle_2_2_1");

            assertThat(fetched.arrived)
                    .containsEntry("shuffle_1_1_0", FakeSpark.CONTENT)
                    .containsEntry("shuffle_2_2_0", content(2, 2, 0, 40))
                    .containsEntry("shuffle_2_2_1", content(2, 2, 1, 50));
            assertThat(nodes.spark.calls).containsExactly(List.of("shuffle_1_1_0"));
            assertThat(nodes.count("repeatedReads")).isPositive();
            assertThat(nodes.count("connections")).isEqualTo(2);
        }
    }

    @Test
    void lostExecutorFallsBackAndIsNotTriedForAWhile() throws IOException {
        try (TwoNodes nodes = new TwoNodes(folder)) {
            nodes.publish(1, 1, 4, 5);
            nodes.fetch("shuffle_1_1_0");
            nodes.server.close();

            RecordingListener fetched = nodes.fetch("shuffle_1_1_0", "shuffle_1_1_1");
            nodes.fetch("shuffle_1_1_1");
            nodes.fetch("shuffle_1_1_0");

            assertThat(log.messages()).singleElement().asString().startsWith("Could not connect to executor 1");
            assertThat(fetched.arrived.values()).containsOnly(FakeSpark.CONTENT);
            assertThat(nodes.count("fallbackBlocks")).isEqualTo(4);
            assertThat(nodes.count("failedConnections")).isEqualTo(1);
        }
    }

    @Test
    void anExecutorThatTheDriverDoesNotKnowFallsBack() throws IOException {
        try (TwoNodes nodes = new TwoNodes(folder)) {
            nodes.addresses.clear();

            assertThat(nodes.fetch("shuffle_1_1_0").arrived).containsEntry("shuffle_1_1_0", FakeSpark.CONTENT);
        }
    }

    @Test
    void anExecutorOfAnotherApplicationReadsNothing() throws IOException {
        try (TwoNodes nodes = new TwoNodes(folder);
                ShuffleNode stranger = nodes.stranger()) {
            nodes.publish(1, 1, 4);

            assertThat(nodes.fetch(stranger, "shuffle_1_1_0").arrived)
                    .containsEntry("shuffle_1_1_0", FakeSpark.CONTENT);
            assertThat(stranger.metrics().failedConnections.getCount()).isEqualTo(1);
            assertThat(stranger.metrics().lookups.getCount()).isEqualTo(1);
        }
    }

    @Test
    void aDeadHostDelaysNoFetchFromAnother() throws IOException {
        CompletableFuture<Void> response = new CompletableFuture<>();
        FakeSpark dead = new FakeSpark() {
            @Override
            public void fetchBlocks(
                    String host,
                    int port,
                    String execId,
                    String[] blockIds,
                    BlockFetchingListener listener,
                    DownloadFileManager downloadFileManager) {
                response.join();
                super.fetchBlocks(host, port, execId, blockIds, listener, downloadFileManager);
            }
        };
        RecordingListener stuck = new RecordingListener();
        try (TwoNodes nodes = new TwoNodes(folder)) {
            nodes.publish(1, 1, 4, LARGE);
            for (int i = 0; i < 5 * Workers.THREADS_PER_PEER; i++) {
                new IwarpBlockStoreClient(nodes.client, dead, range -> false)
                        .fetchBlocks("dead", 7, "dead", new String[] {"shuffle_1_1_" + i}, stuck, null);
            }

            assertThat(nodes.fetch("shuffle_1_1_0", "shuffle_1_1_1").arrived)
                    .containsEntry("shuffle_1_1_0", content(1, 1, 0, 4))
                    .containsEntry("shuffle_1_1_1", FakeSpark.CONTENT);
            assertThat(stuck.arrived).isEmpty();
            response.complete(null);
            stuck.await(5 * Workers.THREADS_PER_PEER);
        }
    }

    @Test
    void theAddressOfAnotherExecutorFallsBack() throws IOException {
        try (TwoNodes nodes = new TwoNodes(folder)) {
            PeerAddress other = nodes.client.listen("127.0.0.1");
            nodes.addresses.put(TwoNodes.SERVER, other);
            nodes.publish(1, 1, 4);

            assertThat(nodes.fetch("shuffle_1_1_0").arrived).containsEntry("shuffle_1_1_0", FakeSpark.CONTENT);
            assertThat(nodes.count("failedConnections")).isEqualTo(1);
        }
    }

    @Test
    void aLackOfMemoryForALookupIsReportedToSpark() throws IOException {
        ScarceAllocator scarce = new ScarceAllocator(UnpooledByteBufAllocator.DEFAULT);
        try (TwoNodes nodes = new TwoNodes(folder, TwoNodes.settings(), scarce)) {
            nodes.publish(1, 1, 4);
            scarce.exhausted = true;

            assertThat(nodes.fetch("shuffle_1_1_0").failed.get("shuffle_1_1_0"))
                    .isInstanceOf(OutOfDirectMemoryError.class);
            assertThat(nodes.spark.calls).isEmpty();

            scarce.exhausted = false;
            assertThat(nodes.fetch("shuffle_1_1_0").arrived).containsEntry("shuffle_1_1_0", content(1, 1, 0, 4));
        }
    }

    @Test
    void aLackOfMemoryForABlockIsReportedToSpark() throws IOException {
        ScarceAllocator scarce = new ScarceAllocator(UnpooledByteBufAllocator.DEFAULT);
        SparkConf conf = TwoNodes.settings().set("spark.shuffle.iwarp.maxBlockSize", "16m");
        try (TwoNodes nodes = new TwoNodes(folder, conf, scarce)) {
            nodes.publish(1, 1, 4, SinkPool.SLAB_LENGTH);
            nodes.fetch("shuffle_1_1_0");
            scarce.exhausted = true;

            RecordingListener fetched = nodes.fetch("shuffle_1_1_0", "shuffle_1_1_1");

            assertThat(fetched.arrived).containsOnlyKeys("shuffle_1_1_0");
            assertThat(fetched.failed.get("shuffle_1_1_1")).isInstanceOf(OutOfDirectMemoryError.class);
            assertThat(nodes.spark.calls).isEmpty();
        }
    }

    @Test
    void aClosedNodeHoldsNoMemory() throws IOException {
        TwoNodes nodes = new TwoNodes(folder);
        nodes.publish(1, 1, 4, LARGE);
        nodes.fetch("shuffle_1_1_0", "shuffle_1_1_1");
        nodes.awaitReleaseOfSinks();

        nodes.close();

        assertThat(nodes.clientMetrics.getGauges().get("registeredBytes").getValue())
                .isEqualTo(0L);
        assertThat(nodes.serverMetrics.getGauges().get("registeredBytes").getValue())
                .isEqualTo(0L);
    }
}
