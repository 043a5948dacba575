package io.iwarp.spark;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The node of this process. Spark makes the plugin before the shuffle manager, and both by reflection, so the manager
 * finds the node here.
 */
final class CurrentNode {
    private static final AtomicReference<@Nullable ShuffleNode> NODE = new AtomicReference<>();

    private CurrentNode() {}

    /** Returns the node, or null if shuffles use Spark's own transport. */
    static @Nullable ShuffleNode get() {
        return NODE.get();
    }

    static void set(ShuffleNode node) {
        NODE.set(node);
    }

    /** Forgets the node, unless another application of this process has set its own. */
    static void clear(ShuffleNode node) {
        NODE.compareAndSet(node, null);
    }
}
