package io.iwarp.spark;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.awaitility.Awaitility;

/** Records the content or the failure of each block. */
final class RecordingListener implements BlockFetchingListener {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    final Map<String, String> arrived = new ConcurrentHashMap<>();
    final Map<String, Throwable> failed = new ConcurrentHashMap<>();

    private final AtomicReference<Runnable> onFirst = new AtomicReference<>(() -> {});

    /** Runs this when the first block arrives; the others wait for its end. */
    RecordingListener onFirst(Runnable action) {
        onFirst.set(action);
        return this;
    }

    @Override
    public void onBlockFetchSuccess(String blockId, ManagedBuffer data) {
        onFirst.getAndSet(() -> {}).run();
        try {
            String content = new String(data.createInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            if (arrived.put(blockId, content) != null) {
                throw new AssertionError(blockId + " arrived twice");
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void onBlockFetchFailure(String blockId, Throwable exception) {
        if (failed.put(blockId, exception) != null) {
            throw new AssertionError(blockId + " failed twice");
        }
    }

    RecordingListener await(int blocks) {
        Awaitility.await().atMost(PATIENCE).until(() -> arrived.size() + failed.size() == blocks);
        return this;
    }
}
