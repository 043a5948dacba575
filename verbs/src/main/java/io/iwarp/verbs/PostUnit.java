package io.iwarp.verbs;

/**
 * Consecutive places of the send queue, which one thread fills: the target of the posts of one unit. None of them is
 * published before the unit is complete. If the unit remains incomplete, its places are published as cancelled.
 */
final class PostUnit implements CompletionTarget {
    private final CompletionTarget target;
    private final long firstPosition;
    private final int count;
    private int filledCount;

    /**
     * @param target gets the completions
     * @param firstPosition the position of the first of the claimed places
     */
    PostUnit(CompletionTarget target, long firstPosition, int count) {
        this.target = target;
        this.firstPosition = firstPosition;
        this.count = count;
    }

    CompletionTarget target() {
        return target;
    }

    /** Returns the position of the next place to fill. */
    long nextPosition() {
        if (filledCount == count) {
            throw new IllegalStateException("the unit has " + count + " requests: post no more, or make it larger");
        }
        return firstPosition + filledCount;
    }

    /** The next place is filled. */
    void onFilled() {
        filledCount++;
    }

    int filledCount() {
        return filledCount;
    }

    void requireComplete() {
        if (filledCount < count) {
            throw new IllegalStateException(
                    "the unit has " + count + " requests, and " + filledCount + " were posted: post all of them");
        }
    }

    @Override
    public void complete(CompletionView completion, QueueSlots slots) {
        throw new IllegalStateException("a unit is not the target of its requests");
    }
}
