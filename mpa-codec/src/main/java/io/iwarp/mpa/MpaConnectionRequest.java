package io.iwarp.mpa;

import io.iwarp.CloseReason;
import io.iwarp.StartupException;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A valid MPA Request Frame that waits for the responder's answer: exactly one call of {@link #accept} or {@link #reject}. All
 * methods may be called from any thread.
 */
public final class MpaConnectionRequest {

    private final Channel channel;
    private final MpaFrame.Request frame;
    private final Answer answer;
    private final ChannelPromise answered;
    private final AtomicBoolean decided = new AtomicBoolean();

    /** Takes the application's answer to the owner of the start-up, from whichever thread it was given on. */
    @FunctionalInterface
    interface Answer {

        void give(boolean accepted, byte[] privateData);
    }

    MpaConnectionRequest(Channel channel, MpaFrame.Request frame, ChannelPromise answered, Answer answer) {
        this.channel = channel;
        this.frame = frame;
        this.answered = answered;
        this.answer = answer;
    }

    /** Returns a copy of the private data of the Request Frame, 0 to 512 octets. */
    public byte[] privateData() {
        return frame.privateData();
    }

    /** Returns the MPA revision of the Request Frame. */
    public int revision() {
        return frame.revision();
    }

    /** Returns the channel the request came on. It may have been closed meanwhile. */
    public Channel channel() {
        return channel;
    }

    /**
     * Accepts the request: sends a Reply Frame, in one write, and enters Full Operation.
     *
     * @param privateData 0 to 512 octets for the Reply Frame, copied; an array of no octets for none
     * @return completes when the transport has taken the Reply Frame; fails with a {@link StartupException}, which has the
     *     reason, if the start-up ended before that, for example because the peer closed the connection or the time was up
     * @throws IllegalArgumentException if there are more than 512 octets; the request can still be answered then
     * @throws IllegalStateException if the request was answered before
     */
    public ChannelFuture accept(byte[] privateData) {
        return decide(true, privateData);
    }

    /**
     * Refuses the request: sends a Reply Frame with the R bit, in one write, fires {@link MpaEvent.Rejected} and leaves the TCP
     * connection open to the ULP, which closes it unless it has another use for it (RFC 5044, section 7.1.2, rule 2).
     *
     * @param privateData 0 to 512 octets for the Reply Frame, copied, for example the reason; an array of no octets for none
     * @return completes when the transport has taken the Reply Frame; fails as that of {@link #accept} does
     * @throws IllegalArgumentException if there are more than 512 octets; the request can still be answered then
     * @throws IllegalStateException if the request was answered before
     */
    public ChannelFuture reject(byte[] privateData) {
        return decide(false, privateData);
    }

    private ChannelFuture decide(boolean accepted, byte[] privateData) {
        byte[] copy = MpaFrameLayout.copyOfPrivateData(privateData);
        if (!decided.compareAndSet(false, true)) {
            throw new IllegalStateException(
                    "this connection request was answered before; call accept or reject exactly once");
        }
        answer.give(accepted, copy);
        return answered;
    }

    /** The Reply Frame went to the transport. */
    void replyTaken() {
        answered.trySuccess();
    }

    /** There will be no answer on the wire; does nothing after {@link #replyTaken}. */
    void failed(CloseReason reason) {
        answered.tryFailure(new StartupException(reason));
    }
}
