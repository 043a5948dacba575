package io.iwarp.internal.mpa;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.internal.EventLoopTasks;
import io.iwarp.mpa.MpaParameters;
import io.iwarp.mpa.MpaSettings;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A valid MPA Request Frame that waits for the responder's reply. Call {@link #accept} or one of the two {@code reject}
 * exactly once. Thread-safe.
 */
public final class MpaConnectionRequest {

    private final ChannelHandlerContext ctx;
    private final MpaFrame.Request frame;
    private final @Nullable EnhancedSetup setup;
    private final ReplySender replySender;
    private final ChannelPromise replyPromise;
    private final AtomicBoolean decided = new AtomicBoolean();

    /** Passes the decision of the application to the start-up, on the event loop. */
    @FunctionalInterface
    interface ReplySender {
        void reply(MpaStartup.Decision decision);
    }

    MpaConnectionRequest(ChannelHandlerContext ctx, MpaFrame.Request frame, ReplySender replySender) {
        this.ctx = ctx;
        this.frame = frame;
        this.setup = frame.setup();
        this.replyPromise = ctx.newPromise();
        this.replySender = replySender;
    }

    /** Returns a copy of the ULP's private data of the Request Frame, 0 to 512 bytes. */
    public byte[] privateData() {
        return frame.ulpPrivateData();
    }

    /** Returns the maximum length of the private data in the reply: 512 bytes, or 508 if {@link #enhanced()}. */
    public int maxPrivateData() {
        return setup == null ? MpaFrameLayout.MAX_PRIVATE_DATA : EnhancedSetup.MAX_ULP_PRIVATE_DATA;
    }

    /** Returns whether the initiator requests the enhanced connection set-up (RFC 6581). */
    public boolean enhanced() {
        return setup != null;
    }

    /**
     * Returns how many RDMA Reads and atomics of this end the initiator accepts at a time, 0 to 16382, or
     * {@link MpaParameters#NOT_NEGOTIATED}, also if not {@link #enhanced()}.
     */
    public int peerIrd() {
        return setup == null ? MpaParameters.NOT_NEGOTIATED : setup.ird();
    }

    /**
     * Returns the number of outstanding RDMA Reads and atomics that the initiator requests, 0 to 16382, or
     * {@link MpaParameters#NOT_NEGOTIATED}, also if not {@link #enhanced()}.
     */
    public int peerOrd() {
        return setup == null ? MpaParameters.NOT_NEGOTIATED : setup.ord();
    }

    /** Returns whether the initiator requests the peer-to-peer model; the reply follows it (RFC 6581 section 9.2). */
    public boolean peerToPeer() {
        return setup != null && setup.peerToPeer();
    }

    /** Returns the MPA revision of the Request Frame. */
    public int revision() {
        return frame.revision();
    }

    /** Returns the channel of the request. It may have been closed meanwhile. */
    public Channel channel() {
        return ctx.channel();
    }

    /**
     * Accepts the request: sends a Reply Frame, in one write, and enters Full Operation.
     *
     * @param privateData 0 to {@link #maxPrivateData()} bytes for the Reply Frame, copied; empty for none
     * @return completes when the transport has taken the Reply Frame; fails with a {@link ConnectionClosedException} if
     *     the start-up ended before that, for example because the peer closed the connection or the time expired
     * @throws IllegalArgumentException if there are more bytes; then the request can still be accepted or rejected
     * @throws IllegalStateException if the request was already accepted or rejected
     */
    public ChannelFuture accept(byte[] privateData) {
        return decide(MpaStartup.Decision.accept(copyOf(privateData)));
    }

    /**
     * Accepts the request with settings for this connection instead of those of the start-up handler; see
     * {@link #accept(byte[])}.
     *
     * @param settings the settings of the Reply Frame; the layers above must have the same
     */
    public ChannelFuture accept(byte[] privateData, MpaSettings settings) {
        return decide(new MpaStartup.Decision(
                false, copyOf(privateData), null, Objects.requireNonNull(settings, "settings")));
    }

    /**
     * Rejects the request: sends a Reply Frame with the R bit, in one write, fires {@link MpaEvent.Rejected} and leaves
     * the TCP connection open to the ULP, which closes it unless it has another use for it (RFC 5044 section 7.1.2,
     * rule 2).
     *
     * @param privateData 0 to {@link #maxPrivateData()} bytes for the Reply Frame, copied, for example the reason;
     *     empty for none
     * @return completes when the transport has taken the Reply Frame; fails as that of {@link #accept} does
     * @throws IllegalArgumentException if there are more bytes; then the request can still be accepted or rejected
     * @throws IllegalStateException if the request was already accepted or rejected
     */
    public ChannelFuture reject(byte[] privateData) {
        return decide(MpaStartup.Decision.reject(copyOf(privateData)));
    }

    /**
     * Rejects the request like {@link #reject(byte[])}, because {@link #peerIrd()} is too small for the application,
     * and tells the initiator the required number. A Reply Frame to a request that is not {@link #enhanced()}, or that
     * does not negotiate its IRD, has no field for it (RFC 6581 section 9.1).
     *
     * @param privateData 0 to {@link #maxPrivateData()} bytes for the Reply Frame, copied
     * @param requiredOrd how many Reads and atomics the application needs to have outstanding, 0 to 16382
     * @return completes when the transport has taken the Reply Frame; fails as that of {@link #accept} does
     * @throws IllegalArgumentException if an argument is out of its range; the request can still be accepted or
     *     rejected then
     * @throws IllegalStateException if the request was already accepted or rejected
     */
    public ChannelFuture reject(byte[] privateData, int requiredOrd) {
        if (requiredOrd < 0 || requiredOrd > EnhancedSetup.MAX_DEPTH) {
            throw new IllegalArgumentException(
                    "requiredOrd is " + requiredOrd + " (expected: 0 to " + EnhancedSetup.MAX_DEPTH + ")");
        }
        return decide(new MpaStartup.Decision(true, copyOf(privateData), requiredOrd, null));
    }

    private byte[] copyOf(byte[] privateData) {
        return EnhancedSetup.copyOfUlpPrivateData(privateData, enhanced());
    }

    private ChannelFuture decide(MpaStartup.Decision decision) {
        if (!decided.compareAndSet(false, true)) {
            throw new IllegalStateException(
                    "this connection request was already accepted or rejected; call accept or reject exactly once");
        }
        if (ctx.executor().inEventLoop()) {
            replySender.reply(decision);
        } else {
            EventLoopTasks.execute(ctx.executor(), () -> replySender.reply(decision), this::failAtShutDown);
        }
        return replyPromise;
    }

    private void failAtShutDown() {
        failed(EventLoopTasks.SHUT_DOWN);
    }

    /** The transport has taken the Reply Frame. */
    void replyTaken() {
        replyPromise.trySuccess();
    }

    /** No reply will be sent. Does nothing after {@link #replyTaken}. */
    void failed(CloseReason reason) {
        replyPromise.tryFailure(new ConnectionClosedException(reason));
    }
}
