package io.iwarp.spark;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * What is known of the map outputs of peers, so that an executor looks each up once. The least recently used ones are
 * dropped when the indexes take too much of the heap.
 *
 * <p>Any thread may call any method.
 */
final class MapOutputCache {
    private final long maximumWeight;
    // This guards all of the following.
    private final Map<Key, CompletableFuture<MapOutput>> outputs = new LinkedHashMap<>(16, 0.75f, true);
    private long weight;

    private record Key(String executor, MapKey map) {}

    MapOutputCache(long maximumWeight) {
        this.maximumWeight = maximumWeight;
    }

    /** Returns the map output, and starts to look it up if nobody did. A failure is not kept. */
    CompletableFuture<MapOutput> get(
            String executor, MapKey map, Function<MapKey, CompletableFuture<MapOutput>> lookup) {
        Key key = new Key(executor, map);
        CompletableFuture<MapOutput> found;
        synchronized (this) {
            found = outputs.get(key);
            if (found != null) {
                return found;
            }
            found = new CompletableFuture<>();
            outputs.put(key, found);
        }
        CompletableFuture<MapOutput> result = found;
        lookup.apply(map).whenComplete((output, failure) -> {
            if (failure == null) {
                learn(key, result, output);
                result.complete(output);
            } else {
                forget(key, result);
                result.completeExceptionally(failure);
            }
        });
        return result;
    }

    private synchronized void learn(Key key, CompletableFuture<MapOutput> result, MapOutput output) {
        if (outputs.get(key) != result) {
            return;
        }
        weight += output.weight();
        Iterator<CompletableFuture<MapOutput>> eldest = outputs.values().iterator();
        while (weight > maximumWeight && eldest.hasNext()) {
            CompletableFuture<MapOutput> candidate = eldest.next();
            if (candidate.isDone()) {
                weight -= candidate.join().weight();
                eldest.remove();
            }
        }
    }

    /** Drops a map output that turned out to be wrong. */
    void forget(String executor, MapKey map, CompletableFuture<MapOutput> wrong) {
        forget(new Key(executor, map), wrong);
    }

    private synchronized void forget(Key key, CompletableFuture<MapOutput> wrong) {
        if (outputs.remove(key, wrong)) {
            weight -= weightOf(wrong);
        }
    }

    /** Drops all map outputs of a shuffle. */
    synchronized void forgetShuffle(int shuffleId) {
        outputs.entrySet().removeIf(entry -> {
            boolean gone = entry.getKey().map().shuffleId() == shuffleId;
            if (gone) {
                weight -= weightOf(entry.getValue());
            }
            return gone;
        });
    }

    private static long weightOf(CompletableFuture<MapOutput> output) {
        return output.isDone() && !output.isCompletedExceptionally()
                ? output.join().weight()
                : 0;
    }

    synchronized int size() {
        return outputs.size();
    }

    synchronized long weight() {
        return weight;
    }
}
