package io.iwarp.ddp;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import org.jspecify.annotations.Nullable;

/**
 * Segments that were handed to MPA together. The promise of the last one completes when the transport has taken all. The
 * objects are reused.
 */
final class Burst implements ChannelFutureListener {
    private final Runnable onSettled;
    private int bytes;
    private int messages;
    private boolean settled;
    private @Nullable Throwable failure;

    /** Creates a burst without segments. It runs {@code onSettled} when its promise completes. */
    Burst(Runnable onSettled) {
        this.onSettled = onSettled;
    }

    void addSegment(int ulpduBytes) {
        bytes += ulpduBytes;
    }

    void endMessage() {
        messages++;
    }

    /** The messages whose last segment is in this burst will not be reported. */
    void forgetMessages() {
        messages = 0;
    }

    /** Returns the bytes of all segments together. */
    int bytes() {
        return bytes;
    }

    /** Returns the number of messages whose last segment is in this burst. */
    int messages() {
        return messages;
    }

    /** Returns whether the promise completed. */
    boolean settled() {
        return settled;
    }

    /** Returns why the transport refused the burst; null if it took it. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    void reset() {
        bytes = 0;
        messages = 0;
        settled = false;
        failure = null;
    }

    @Override
    public void operationComplete(ChannelFuture future) {
        settled = true;
        failure = future.cause();
        onSettled.run();
    }
}
