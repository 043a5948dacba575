package io.iwarp.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.memory.RemoteBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class MapOutputCacheTest {
    private static final int PARTITIONS = 100;
    private static final int RACES = 100_000;

    private final List<MapKey> lookups = new ArrayList<>();
    private final List<CompletableFuture<MapOutput>> pending = new ArrayList<>();
    private final MapOutputCache cache =
            new MapOutputCache(3L * output(new MapKey(0, 0)).weight());

    private static MapOutput output(MapKey key) {
        ByteBuf index = Unpooled.buffer();
        index.writeZero((PARTITIONS + 1) * Long.BYTES);
        int checksum = MapSlot.checksum(index, 0, index.readableBytes());
        return MapOutput.of(
                new MapSlot(key, new RemoteBuffer(1, 0, 0), new RemoteBuffer(2, 0, index.readableBytes()), checksum),
                index);
    }

    private CompletableFuture<MapOutput> get(MapKey key) {
        return cache.get("1", key, map -> {
            lookups.add(map);
            CompletableFuture<MapOutput> result = new CompletableFuture<>();
            pending.add(result);
            return result;
        });
    }

    private void lookUp(MapKey key) {
        get(key);
        pending.get(pending.size() - 1).complete(output(key));
    }

    @Test
    void concurrentRequestsShareALookup() {
        CompletableFuture<MapOutput> first = get(new MapKey(1, 1));

        assertThat(get(new MapKey(1, 1))).isSameAs(first);
        assertThat(lookups).hasSize(1);
    }

    @Test
    void aFailureIsNotKept() {
        CompletableFuture<MapOutput> first = get(new MapKey(1, 1));
        pending.get(0).completeExceptionally(new IllegalStateException());

        assertThat(first).isCompletedExceptionally();
        assertThat(get(new MapKey(1, 1))).isNotSameAs(first);
        assertThat(lookups).hasSize(2);
    }

    @Test
    void theLeastRecentlyUsedIndexesAreRemoved() {
        lookUp(new MapKey(1, 1));
        lookUp(new MapKey(1, 2));
        lookUp(new MapKey(1, 3));
        get(new MapKey(1, 1));
        lookUp(new MapKey(1, 4));

        assertThat(cache.size()).isEqualTo(3);
        lookups.clear();
        get(new MapKey(1, 1));
        assertThat(lookups).isEmpty();
        get(new MapKey(1, 2));
        assertThat(lookups).containsExactly(new MapKey(1, 2));
    }

    @Test
    void aLookupThatThrowsFailsAndIsNotKept() {
        IllegalStateException failure = new IllegalStateException("no memory for a sink");

        CompletableFuture<MapOutput> first = cache.get("1", new MapKey(1, 1), map -> {
            throw failure;
        });

        assertThat(first).isCompletedExceptionally();
        assertThat(cache.size()).isZero();
    }

    @Test
    void aMapOutputForgottenDuringItsLookupFreesItsWeight() throws Exception {
        MapOutputCache large = new MapOutputCache(Long.MAX_VALUE);
        MapOutput output = output(new MapKey(1, 1));
        List<CompletableFuture<MapOutput>> results = new ArrayList<>();
        for (int map = 0; map < RACES; map++) {
            CompletableFuture<MapOutput> lookup = new CompletableFuture<>();
            pending.add(lookup);
            results.add(large.get("1", new MapKey(1, map), key -> lookup));
        }
        CyclicBarrier together = new CyclicBarrier(2);
        CompletableFuture<Void> forgotten = CompletableFuture.runAsync(() -> {
            await(together);
            for (int map = 0; map < RACES; map++) {
                large.forget("1", new MapKey(1, map), results.get(map));
            }
        });

        await(together);
        pending.forEach(lookup -> lookup.complete(output));
        forgotten.get(1, TimeUnit.MINUTES);
        large.forgetShuffle(1);

        assertThat(large.size()).isZero();
        assertThat(large.weight()).isZero();
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await(1, TimeUnit.MINUTES);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aShuffleThatEndsIsForgotten() {
        lookUp(new MapKey(1, 1));
        lookUp(new MapKey(2, 1));

        cache.forgetShuffle(1);
        cache.forget("1", new MapKey(2, 1), get(new MapKey(2, 1)));

        assertThat(cache.size()).isZero();
        assertThat(cache.weight()).isZero();
    }
}
