package io.iwarp.ddp;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import org.jspecify.annotations.Nullable;

/**
 * Segments that were handed to MPA together. One promise, that of the last of them, tells when the transport has taken
 * all. The objects are used again and again.
 */
final class Burst implements ChannelFutureListener {
    private final Runnable onSettled;
    private int bytes;
    private int messages;
    private boolean settled;
    private @Nullable Throwable failure;

    /** A burst without segments, which runs {@code onSettled} when its promise completes. */
    Burst(Runnable onSettled) {
        this.onSettled = onSettled;
    }

    void addSegment(int ulpduBytes) {
        bytes += ulpduBytes;
    }

    void endMessage() {
        messages++;
    }

    /** The messages that have their last segment in this burst are not to be reported. */
    void forgetMessages() {
        messages = 0;
    }

    /** {@return bytes of all segments} */
    int bytes() {
        return bytes;
    }

    /** {@return how many messages have their last segment in this burst} */
    int messages() {
        return messages;
    }

    /** {@return whether the promise completed} */
    boolean settled() {
        return settled;
    }

    /** {@return why the transport did not take the burst; null when it did} */
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
