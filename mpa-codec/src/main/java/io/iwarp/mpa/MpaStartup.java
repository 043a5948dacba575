package io.iwarp.mpa;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.ProtocolFault;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The start-up of one MPA connection, initiator or responder, without I/O, clock or threads (RFC 5044, section 7.1.2).
 *
 * <pre>
 *        initiator                                          responder
 *
 *      RequestUnsent                                      NotStarted
 *           | start: Send                                      | start: Wait
 *           v                                                  v
 *      AwaitingReply                                      AwaitingRequest
 *           |                                                  | whole Request: Ask
 *           |                                                  v
 *           |                                             AwaitingDecision
 *           | whole Reply                                      | accept, reject
 *           |   R=0: Establish                                 |   accept: Establish
 *           v   R=1: Leave                                     v   reject: Leave
 *          Over                                               Over
 *
 *      bad octets, ended: Fail, and Over, from any state; a pre-agreed start goes from PreAgreed to Over at once
 * </pre>
 *
 * <p>Events are {@link #start}, first and once, then {@link #received}, {@link #accept} or {@link #reject}, and
 * {@link #ended}; each returns the one {@link StartupAction} to carry out before the next event. When that is Establish, Leave
 * or Fail, the start-up is over and takes no event but {@code ended}, which does nothing any more.
 */
final class MpaStartup {

    private static final StartupAction WAIT = new StartupAction.Wait();
    private static final byte[] NO_PRIVATE_DATA = {};

    private State state;

    private MpaStartup(State state) {
        this.state = state;
    }

    /**
     * Returns the start-up of an initiator.
     *
     * @throws IllegalArgumentException if there are more than 512 octets of private data, or any with a pre-agreed start
     */
    static MpaStartup initiator(MpaSettings settings, byte[] privateData) {
        if (settings.start() == StartMode.REQUEST_REPLY) {
            return new MpaStartup(new RequestUnsent(
                    settings,
                    new MpaFrame.Request(
                            settings.requestMarkers(), settings.crc(), false, MpaRevisions.SPOKEN, privateData)));
        }
        if (privateData.length > 0) {
            throw new IllegalArgumentException("a pre-agreed start sends no frame that could carry the "
                    + privateData.length + " octets of private data; pass none");
        }
        return new MpaStartup(new PreAgreed(settings, Role.INITIATOR));
    }

    /** Returns the start-up of a responder. */
    static MpaStartup responder(MpaSettings settings) {
        return new MpaStartup(
                settings.start() == StartMode.REQUEST_REPLY
                        ? new NotStarted(settings)
                        : new PreAgreed(settings, Role.RESPONDER));
    }

    /** The TCP connection is there. */
    StartupAction start() {
        return enter(state.start());
    }

    /**
     * Octets came from the peer. Those of the peer's frame are taken out of {@code in}; what is left in it after Establish or Leave
     * belongs to the layer that takes over. The caller keeps {@code in}.
     */
    StartupAction received(ByteBuf in) {
        return enter(state.received(in));
    }

    /**
     * The application accepts the request.
     *
     * @param privateData 0 to 512 octets for the Reply Frame
     */
    StartupAction accept(byte[] privateData) {
        return enter(state.decided(false, privateData));
    }

    /**
     * The application refuses the request.
     *
     * @param privateData 0 to 512 octets for the Reply Frame
     */
    StartupAction reject(byte[] privateData) {
        return enter(state.decided(true, privateData));
    }

    /**
     * The start-up cannot go on, for a reason outside of the frames: a timeout, a closed connection.
     *
     * @param what what happened, in words to which the state of the start-up is added
     */
    StartupAction ended(EndedBy endedBy, @Nullable ProtocolError error, String what, @Nullable Throwable cause) {
        if (state instanceof Over) {
            return WAIT;
        }
        String detail = what + "; " + state.progress();
        return enter(over(new StartupAction.Fail(new CloseReason(endedBy, error, detail, cause))));
    }

    private StartupAction enter(Step step) {
        state = step.next();
        return step.action();
    }

    private static Step over(StartupAction action) {
        return new Step(new Over(), action);
    }

    private static Step malformed(String detail) {
        return malformed(new ProtocolFault(ProtocolError.MPA_INVALID_STARTUP_FRAME, detail));
    }

    private static Step malformed(ProtocolFault fault) {
        return over(new StartupAction.Fail(CloseReason.of(fault)));
    }

    /** What an event leads to: the state after it, and what to do. */
    private record Step(State next, StartupAction action) {}

    /** One state with the data it has; an event that a state does not list cannot happen in it. */
    private sealed interface State {

        default Step start() {
            throw new IllegalStateException("MPA start-up was started already: " + progress());
        }

        default Step received(ByteBuf in) {
            throw new IllegalStateException("MPA start-up takes no octets now: " + progress());
        }

        default Step decided(boolean rejected, byte[] privateData) {
            throw new IllegalStateException("MPA start-up has no request to decide about: " + progress());
        }

        /** Returns where the start-up stands, in words for people. */
        String progress();
    }

    private record PreAgreed(MpaSettings settings, Role role) implements State {

        @Override
        public Step start() {
            boolean markers = settings.requestMarkers();
            StartupAction.Agreement agreement = new StartupAction.Agreement(
                    role, MpaRevisions.SPOKEN, settings.crc(), markers, markers, NO_PRIVATE_DATA);
            return over(new StartupAction.Establish(null, agreement));
        }

        @Override
        public String progress() {
            return "the pre-agreed start had not begun";
        }
    }

    private record RequestUnsent(MpaSettings settings, MpaFrame.Request request) implements State {

        @Override
        public Step start() {
            return new Step(
                    new AwaitingReply(settings, request, new MpaFrameReader(Role.RESPONDER)),
                    new StartupAction.Send(request));
        }

        @Override
        public String progress() {
            return "the MPA Request Frame had not been sent";
        }
    }

    private record AwaitingReply(MpaSettings settings, MpaFrame.Request request, MpaFrameReader reader)
            implements State {

        @Override
        public Step received(ByteBuf in) {
            ProtocolFault fault = reader.read(in);
            if (fault != null) {
                return malformed(fault);
            }
            if (!reader.isComplete()) {
                return new Step(this, WAIT);
            }
            MpaFrame.Reply reply = (MpaFrame.Reply) reader.frame();
            if (reply.rejected()) {
                return over(new StartupAction.Leave(null, reply.privateData()));
            }
            if (settings.refuseEarlyFpdus() && in.isReadable()) {
                return malformed(
                        in.readableBytes() + " octets came right behind the MPA Reply Frame; a responder sends no"
                                + " FPDU before it has received one (RFC 5044, section 7.1.2, rule 4)");
            }
            return over(
                    new StartupAction.Establish(null, StartupAction.Agreement.between(Role.INITIATOR, request, reply)));
        }

        @Override
        public String progress() {
            return "the MPA Request Frame was sent and " + reader.progress();
        }
    }

    private record NotStarted(MpaSettings settings) implements State {

        @Override
        public Step start() {
            return new Step(new AwaitingRequest(settings, new MpaFrameReader(Role.INITIATOR)), WAIT);
        }

        @Override
        public String progress() {
            return "the wait for the MPA Request Frame had not begun";
        }
    }

    private record AwaitingRequest(MpaSettings settings, MpaFrameReader reader) implements State {

        @Override
        public Step received(ByteBuf in) {
            ProtocolFault fault = reader.read(in);
            if (fault != null) {
                return malformed(fault);
            }
            if (!reader.isComplete()) {
                return new Step(this, WAIT);
            }
            MpaFrame.Request request = (MpaFrame.Request) reader.frame();
            AwaitingDecision next = new AwaitingDecision(settings, request);
            return in.isReadable() ? next.received(in) : new Step(next, new StartupAction.Ask(request));
        }

        @Override
        public String progress() {
            return reader.progress();
        }
    }

    private record AwaitingDecision(MpaSettings settings, MpaFrame.Request request) implements State {

        @Override
        public Step received(ByteBuf in) {
            return in.isReadable()
                    ? malformed(
                            in.readableBytes() + " octets came behind the MPA Request Frame before the Reply Frame was"
                                    + " sent; an initiator waits for the Reply (RFC 5044, section 7.1.2, rule 3), or PD_Length"
                                    + " was too small")
                    : new Step(this, WAIT);
        }

        @Override
        public Step decided(boolean rejected, byte[] privateData) {
            MpaFrame.Reply reply = new MpaFrame.Reply(
                    settings.requestMarkers(),
                    settings.crc(),
                    rejected,
                    false,
                    MpaRevisions.common(request.revision()),
                    privateData);
            return over(
                    rejected
                            ? new StartupAction.Leave(reply, reply.privateData())
                            : new StartupAction.Establish(
                                    reply, StartupAction.Agreement.between(Role.RESPONDER, reply, request)));
        }

        @Override
        public String progress() {
            return "the application had not decided about the connection request";
        }
    }

    private record Over() implements State {

        @Override
        public String progress() {
            return "the start-up was over";
        }
    }
}
