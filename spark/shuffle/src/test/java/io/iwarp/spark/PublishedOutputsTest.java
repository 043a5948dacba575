package io.iwarp.spark;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import io.iwarp.memory.ProtectionDomain;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PublishedOutputsTest {
    private static final int MAX_FILES = 3;

    @TempDir
    private Path folder;

    private final ProtectionDomain domain = ProtectionDomain.create();
    private final Directory directory = new Directory(domain, UnpooledByteBufAllocator.DEFAULT, 64);
    private final OutputRegions regions = new OutputRegions(domain, UnpooledByteBufAllocator.DEFAULT, MAX_FILES);
    private final ShuffleMetrics metrics = new ShuffleMetrics(new MetricRegistry());
    private final List<Runnable> later = new ArrayList<>();
    private final PublishedOutputs published =
            new PublishedOutputs(regions, directory, metrics, Duration.ofSeconds(9), (delay, task) -> {
                assertThat(delay).isEqualTo(Duration.ofSeconds(9));
                later.add(task);
            });

    @AfterEach
    void nothingIsLeft() {
        published.close();
        directory.close();
        assertThat(domain.regionCount()).isZero();
        assertThat(regions.files()).isZero();
        domain.close();
    }

    private void publish(int shuffle, long map, int... lengths) {
        Blocks.MapFiles files = Blocks.write(folder, shuffle, map, lengths);
        published.begin(new MapKey(shuffle, map)).publish(files.data(), files.index());
    }

    @Test
    void endedShuffleFreesItsMemoryAfterTheDelay() {
        publish(1, 1, 5);
        publish(1, 2, 5);
        publish(2, 3, 5);

        published.unregister(1);

        assertThat(directory.used()).isEqualTo(1);
        assertThat(regions.files()).isEqualTo(3);
        later.forEach(Runnable::run);
        later.clear();
        assertThat(regions.files()).isEqualTo(1);
    }

    /** A task may end after the removal of its shuffle. */
    @Test
    void aMapOutputOfARemovedShuffleKeepsNeitherSlotNorFiles() {
        PublishedOutputs.PendingOutput late = published.begin(new MapKey(1, 1));
        Blocks.MapFiles files = Blocks.write(folder, 1, 1, 5);

        published.unregister(1);
        late.publish(files.data(), files.index());

        assertThat(directory.used()).isZero();
        assertThat(regions.files()).isZero();
        assertThat(metrics.mapsNotPublished.getCount()).isEqualTo(1);
    }

    /** Spark repeats a stage under the same shuffle, also one whose files were removed. */
    @Test
    void aRemovedShuffleThatIsWrittenAgainIsPublished() {
        publish(1, 1, 5);
        published.unregister(1);
        later.forEach(Runnable::run);

        publish(1, 2, 5);

        assertThat(directory.used()).isEqualTo(1);
        assertThat(metrics.mapsNotPublished.getCount()).isZero();
    }

    @Test
    void aMapOutputWithoutDataIsNotPublished() {
        publish(1, 1, 0, 0);
        published.begin(new MapKey(1, 2)).publish(new File("no such file"), new File("nor this"));

        assertThat(directory.used()).isZero();
        assertThat(metrics.mapsNotPublished.getCount()).isZero();
    }

    @Test
    void theLimitOfOpenFilesHolds() {
        for (int map = 0; map <= MAX_FILES; map++) {
            publish(1, map, 5);
        }

        assertThat(regions.files()).isEqualTo(MAX_FILES);
        assertThat(metrics.mapsNotPublished.getCount()).isEqualTo(1);
        assertThat(metrics.mapsPublished.getCount()).isEqualTo(MAX_FILES);
    }

    @Test
    void aLongIndexIsAFileToo() {
        publish(1, 1, new int[3000]);
        assertThat(regions.files()).isZero();
        int[] lengths = new int[3000];
        lengths[7] = 1;
        publish(1, 2, lengths);

        assertThat(regions.files()).isEqualTo(2);
    }

    @Test
    void aMissingIndexLeavesNothing() {
        Blocks.MapFiles files = Blocks.write(folder, 1, 1, 5);
        assertThat(files.index().delete()).isTrue();

        published.begin(new MapKey(1, 1)).publish(files.data(), files.index());

        assertThat(metrics.mapsNotPublished.getCount()).isEqualTo(1);
        assertThat(regions.files()).isZero();
    }

    @Test
    void aMapOutputThatIsPublishedAgainReplacesTheFirst() {
        publish(1, 1, 5);
        publish(1, 1, 6);

        assertThat(directory.used()).isEqualTo(1);
        later.forEach(Runnable::run);
        assertThat(regions.files()).isEqualTo(1);
    }
}
