package io.iwarp.spark;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * The map outputs of peers that this executor has looked up, so that it looks each up once. The least recently used
 * ones are removed when their weight exceeds the maximum.
 *
 * <p>Any thread may call any method.
 */
final class MapOutputCache {
    private final long maximumWeight;
    // This guards all of the following.
    private final Map<Key, Entry> outputs = new LinkedHashMap<>(16, 0.75f, true);
    private long weight;

    private record Key(String executor, MapKey map) {}

    /** A map output that is being looked up or is known. Its weight is 0 until it is known. */
    private static final class Entry {
        private final CompletableFuture<MapOutput> output = new CompletableFuture<>();
        private long weight;
    }

    MapOutputCache(long maximumWeight) {
        this.maximumWeight = maximumWeight;
    }

    /** Returns the map output, and starts to look it up if it is not cached. A failure is not cached. */
    CompletableFuture<MapOutput> get(
            String executor, MapKey map, Function<MapKey, CompletableFuture<MapOutput>> lookup) {
        Key key = new Key(executor, map);
        Entry entry;
        synchronized (this) {
            entry = outputs.get(key);
            if (entry != null) {
                return entry.output;
            }
            entry = new Entry();
            outputs.put(key, entry);
        }
        Entry fresh = entry;
        start(lookup, map).whenComplete((output, failure) -> {
            if (failure == null) {
                store(key, fresh, output);
                fresh.output.complete(output);
            } else {
                forget(key, fresh.output);
                fresh.output.completeExceptionally(failure);
            }
        });
        return fresh.output;
    }

    private static CompletableFuture<MapOutput> start(
            Function<MapKey, CompletableFuture<MapOutput>> lookup, MapKey map) {
        try {
            return lookup.apply(map);
        } catch (RuntimeException | Error failure) {
            return CompletableFuture.failedFuture(failure);
        }
    }

    private synchronized void store(Key key, Entry entry, MapOutput output) {
        if (outputs.get(key) != entry) {
            return;
        }
        entry.weight = output.weight();
        weight += entry.weight;
        Iterator<Entry> eldest = outputs.values().iterator();
        while (weight > maximumWeight && eldest.hasNext()) {
            Entry candidate = eldest.next();
            if (candidate.weight > 0) {
                weight -= candidate.weight;
                eldest.remove();
            }
        }
    }

    /** Removes a map output that is wrong, unless it was replaced. */
    void forget(String executor, MapKey map, CompletableFuture<MapOutput> wrong) {
        forget(new Key(executor, map), wrong);
    }

    private synchronized void forget(Key key, CompletableFuture<MapOutput> wrong) {
        Entry entry = outputs.get(key);
        if (entry != null && entry.output == wrong) {
            outputs.remove(key);
            weight -= entry.weight;
        }
    }

    /** Removes all map outputs of a shuffle. */
    synchronized void forgetShuffle(int shuffleId) {
        outputs.entrySet().removeIf(each -> {
            boolean gone = each.getKey().map().shuffleId() == shuffleId;
            if (gone) {
                weight -= each.getValue().weight;
            }
            return gone;
        });
    }

    synchronized int size() {
        return outputs.size();
    }

    synchronized long weight() {
        return weight;
    }
}
