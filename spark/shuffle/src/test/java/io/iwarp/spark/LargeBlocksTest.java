package io.iwarp.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockId;
import org.junit.jupiter.api.Test;
import scala.Option;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** Which blocks use Spark's own transport without a lookup, by the sizes that map tasks reported. */
class LargeBlocksTest {
    private static final BlockManagerId EXECUTOR = BlockManagerId.apply("1", "host", 7, Option.empty());

    private static LargeBlocks of(boolean batches, long... sizes) {
        List<Tuple3<BlockId, Object, Object>> blocks = new ArrayList<>();
        for (int reduce = 0; reduce < sizes.length; reduce++) {
            blocks.add(new Tuple3<>(new ShuffleBlockId(3, 8, reduce), sizes[reduce], 0));
        }
        LargeBlocks large = new LargeBlocks(1000, batches);
        Seq<Tuple3<BlockId, Object, Object>> ofExecutor = CollectionConverters.asScala(blocks);
        large.addAll(CollectionConverters.asScala(List.of(new Tuple2<>(EXECUTOR, ofExecutor))));
        return large;
    }

    private static BlockRange range(String blocks) {
        return Objects.requireNonNull(BlockRange.parse(blocks));
    }

    @Test
    void aBlockIsLargeIfItIsBeforeRounding() {
        LargeBlocks large = of(false, 999, 1100, 1102);

        assertThat(large.contains(range("shuffle_3_8_0"))).isFalse();
        assertThat(large.contains(range("shuffle_3_8_1"))).isFalse();
        assertThat(large.contains(range("shuffle_3_8_2"))).isTrue();
        assertThat(large.contains(range("shuffle_3_9_2"))).isFalse();
    }

    @Test
    void blocksThatAreFetchedAsOneCountTogether() {
        assertThat(of(true, 600, 600).contains(range("shuffle_3_8_0_2"))).isTrue();
        assertThat(of(false, 600, 600).contains(range("shuffle_3_8_0"))).isFalse();
        assertThat(of(true, 600, 400).contains(range("shuffle_3_8_0_2"))).isFalse();
    }
}
