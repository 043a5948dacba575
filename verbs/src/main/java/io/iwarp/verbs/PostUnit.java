package io.iwarp.verbs;

/**
 * Consecutive places of the send queue, which one thread fills: the target of the posts of one unit. Nothing of it is
 * published before it is complete. If it does not become complete, its places are published as dropped.
 */
final class PostUnit implements CompletionTarget {
    private final PostedRequests requests;
    private final CompletionTarget target;
    private final long first;
    private final int count;
    private int filled;

    /** @param first the position of the first of the claimed places */
    PostUnit(PostedRequests requests, CompletionTarget target, long first, int count) {
        this.requests = requests;
        this.target = target;
        this.first = first;
        this.count = count;
    }

    /** Returns the target of the completions. */
    CompletionTarget target() {
        return target;
    }

    /** Returns the next place. */
    WorkRequest claim(long bytes) {
        if (filled == count) {
            throw new IllegalStateException("the unit has " + count + " requests: post no more, or make it larger");
        }
        requests.takeOrRefuse(bytes);
        WorkRequest request = requests.slot(first + filled, bytes);
        filled++;
        return request;
    }

    void requireComplete() {
        if (filled < count) {
            throw new IllegalStateException(
                    "the unit has " + count + " requests, and " + filled + " were posted: post all of them");
        }
    }

    /** Drops all places. */
    void drop() {
        for (int i = 0; i < count; i++) {
            requests.dropUnpublished(first + i, i < filled);
        }
    }

    @Override
    public void complete(CompletionView completion, CompletionBound place) {
        throw new IllegalStateException("a unit is not the target of its requests");
    }
}
