package io.iwarp.internal.mpa;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.Role;
import io.iwarp.internal.ProtocolFault;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.mpa.StartMode;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The start-up of one MPA connection, initiator or responder, without I/O, clock or threads (RFC 5044 section 7.1.2,
 * and RFC 6581). {@link SetupNegotiation} has the rules of the enhanced set-up.
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
 *      bad bytes, ended: Fail, and Over, from any state; a pre-agreed start goes from PreAgreed to Over at once
 * </pre>
 *
 * <p>Events are {@link #start}, first and once, then {@link #received}, {@link #accept} or {@link #reject}, and
 * {@link #ended}. Each returns the {@link StartupAction} to execute before the next event. After Establish, Leave or
 * Fail, the start-up is over and accepts only {@code ended}, which does nothing.
 */
final class MpaStartup {

    private static final StartupAction WAIT = new StartupAction.Wait();

    private State state;

    private MpaStartup(State state) {
        this.state = state;
    }

    /**
     * Returns the start-up of an initiator.
     *
     * @throws IllegalArgumentException if there are more than 512 bytes of private data (508 with the enhanced set-up),
     *     or any with a pre-agreed start
     */
    static MpaStartup initiator(MpaSettings settings, byte[] privateData) {
        if (settings.start() == StartMode.REQUEST_REPLY) {
            return new MpaStartup(new RequestUnsent(settings, request(settings, privateData)));
        }
        if (privateData.length > 0) {
            throw new IllegalArgumentException("a pre-agreed start sends no frame that could carry the "
                    + privateData.length + " bytes of private data; pass none");
        }
        return new MpaStartup(new PreAgreed(settings, Role.INITIATOR));
    }

    private static MpaFrame.Request request(MpaSettings settings, byte[] privateData) {
        boolean enhanced = settings.enhanced();
        byte[] copy = EnhancedSetup.copyOfUlpPrivateData(privateData, enhanced);
        return new MpaFrame.Request(
                settings.requestMarkers(),
                settings.crc(),
                enhanced,
                enhanced ? MpaRevisions.ENHANCED : MpaRevisions.PLAIN,
                enhanced ? SetupNegotiation.request(settings).followedBy(copy) : copy);
    }

    /** Returns the start-up of a responder. */
    static MpaStartup responder(MpaSettings settings) {
        return new MpaStartup(
                settings.start() == StartMode.REQUEST_REPLY
                        ? new NotStarted(settings)
                        : new PreAgreed(settings, Role.RESPONDER));
    }

    /** The TCP connection is established. */
    StartupAction start() {
        return enter(state.start());
    }

    /** The transport has taken the Request Frame. Under TLS, this happens after the handshake. */
    void requestTaken() {
        state = state.requestTaken();
    }

    /**
     * Bytes of the peer arrived. Those of its frame are read from {@code in}. After Establish or Leave, the rest of
     * {@code in} belongs to the layer that takes over. The caller keeps {@code in}.
     */
    StartupAction received(ByteBuf in) {
        return enter(state.received(in));
    }

    /**
     * The application accepts the request.
     *
     * @param privateData 0 to 512 bytes for the Reply Frame, 508 if the request was enhanced
     */
    StartupAction accept(byte[] privateData) {
        return decide(Decision.accept(privateData));
    }

    /**
     * The application rejects the request.
     *
     * @param privateData 0 to 512 bytes for the Reply Frame, 508 if the request was enhanced
     */
    StartupAction reject(byte[] privateData) {
        return decide(Decision.reject(privateData));
    }

    /** The application accepts or rejects the request. */
    StartupAction decide(Decision decision) {
        return enter(state.decided(decision));
    }

    /**
     * The start-up cannot continue, for a reason other than a frame, such as a timeout or a closed connection.
     *
     * @param what what happened; the state of the start-up is appended
     */
    StartupAction ended(EndedBy endedBy, @Nullable ProtocolError error, String what, @Nullable Throwable cause) {
        if (state instanceof Ended) {
            return WAIT;
        }
        String hint = switch (endedBy) {
            case TIMEOUT -> state.hintAtSilence();
            case PEER_CLOSED, TRANSPORT -> cause instanceof SSLException ? "" : state.hintAtClose();
            default -> "";
        };
        CloseReason reason = new CloseReason(endedBy, error, what + "; " + state.progress() + hint, cause);
        boolean lost = endedBy == EndedBy.PEER_CLOSED || cause instanceof IOException;
        return enter(finalStep(new StartupAction.Fail(reason, lost && state.awaitsEnhancedReply())));
    }

    private StartupAction enter(Step step) {
        state = step.next();
        return step.action();
    }

    /** Returns what our frame and the peer's agree on, without the parameters of the enhanced set-up. */
    private static AgreedParameters.Builder agreed(Role role, MpaSettings settings, MpaFrame ours, MpaFrame theirs) {
        return AgreedParameters.builder(role)
                .revision(MpaRevisions.common(ours.revision(), theirs.revision()))
                .crc(ours.crc() || theirs.crc())
                .sendMarkers(theirs.markers())
                .receiveMarkers(ours.markers())
                .peerPrivateData(theirs.ulpPrivateData())
                .depths(settings.ird(), settings.ord());
    }

    private static Step finalStep(StartupAction action) {
        return new Step(new Ended(), action);
    }

    private static Step malformed(String detail) {
        return malformed(new ProtocolFault(ProtocolError.MPA_INVALID_STARTUP_FRAME, detail));
    }

    private static Step malformed(ProtocolFault fault) {
        return finalStep(new StartupAction.Fail(fault.closeReason(), false));
    }

    /**
     * The decision of the application about a request.
     *
     * @param privateData the ULP's bytes for the Reply Frame
     * @param requiredOrd the ORD to state in a rejection, or null for the one that would have been used
     * @param settings the settings of this connection, or null for those of the start-up
     */
    @SuppressWarnings("ArrayRecordComponent") // passed on at once, never compared
    record Decision(
            boolean rejected,
            byte[] privateData,
            @Nullable Integer requiredOrd,
            @Nullable MpaSettings settings) {

        static Decision accept(byte[] privateData) {
            return new Decision(false, privateData, null, null);
        }

        static Decision reject(byte[] privateData) {
            return new Decision(true, privateData, null, null);
        }

        /** Returns the settings of this connection, given those of the start-up. */
        MpaSettings settingsOr(MpaSettings ofStartup) {
            return settings == null ? ofStartup : settings;
        }
    }

    /** The result of an event: the next state and the action. */
    private record Step(State next, StartupAction action) {}

    /** One state with its data. An event that a state does not override is illegal in it. */
    private sealed interface State {

        default Step start() {
            throw new IllegalStateException("MPA start-up was started already: " + progress());
        }

        default State requestTaken() {
            return this;
        }

        default Step received(ByteBuf in) {
            throw new IllegalStateException("MPA start-up takes no bytes now: " + progress());
        }

        default Step decided(Decision decision) {
            throw new IllegalStateException("MPA start-up has no request to decide about: " + progress());
        }

        /** Returns whether an enhanced Request Frame was sent and nothing has arrived since. */
        default boolean awaitsEnhancedReply() {
            return false;
        }

        /** Returns a hint for a peer that was silent for too long, appended to {@link #progress}; may be empty. */
        default String hintAtSilence() {
            return "";
        }

        /** Returns why the peer may have closed the connection, to follow {@link #progress}; may be empty. */
        default String hintAtClose() {
            return "";
        }

        /** Returns the progress of the start-up as text for a close reason. */
        String progress();
    }

    private record PreAgreed(MpaSettings settings, Role role) implements State {

        @Override
        public Step start() {
            boolean markers = settings.requestMarkers();
            AgreedParameters agreed = AgreedParameters.builder(role)
                    .crc(settings.crc())
                    .sendMarkers(markers)
                    .receiveMarkers(markers)
                    .depths(settings.ird(), settings.ord())
                    .build();
            return finalStep(new StartupAction.Establish(null, agreed, null));
        }

        @Override
        public String progress() {
            return "the pre-agreed start had not begun";
        }
    }

    private record RequestUnsent(MpaSettings settings, MpaFrame.Request request) implements State {

        @Override
        public Step start() {
            MpaFrameReader reader = new MpaFrameReader(
                    Role.RESPONDER,
                    (flags, revision) -> MpaRevisions.replyRefusal(request.enhanced(), flags, revision));
            return new Step(new AwaitingReply(settings, request, false, reader), new StartupAction.Send(request));
        }

        @Override
        public String progress() {
            return "the MPA Request Frame had not been sent";
        }
    }

    private record AwaitingReply(MpaSettings settings, MpaFrame.Request request, boolean taken, MpaFrameReader reader)
            implements State {

        @Override
        public State requestTaken() {
            return new AwaitingReply(settings, request, true, reader);
        }

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
                return finalStep(StartupAction.Leave.of(null, reply.ulpPrivateData(), reply));
            }
            if (request.enhanced() && !reply.enhanced()) {
                return revision1Reply(reply);
            }
            if (settings.refuseEarlyFpdus() && in.isReadable()) {
                return malformed(in.readableBytes() + " bytes followed the MPA Reply Frame; a responder sends no"
                        + " FPDU before it has received one (RFC 5044 section 7.1.2, rule 4)");
            }
            return finalStep(established(reply));
        }

        private StartupAction established(MpaFrame.Reply reply) {
            AgreedParameters.Builder agreed = agreed(Role.INITIATOR, settings, request, reply);
            EnhancedSetup replied = reply.setup();
            if (replied == null) {
                return new StartupAction.Establish(null, agreed.build(), null);
            }
            SetupNegotiation.negotiateAsInitiator(agreed, settings, replied);
            return new StartupAction.Establish(
                    null, agreed.build(), SetupNegotiation.initiatorFault(settings, replied));
        }

        private static Step revision1Reply(MpaFrame.Reply reply) {
            ProtocolFault fault = new ProtocolFault(
                    ProtocolError.MPA_INVALID_STARTUP_FRAME,
                    "the peer replied to the enhanced MPA Request Frame with a plain Reply Frame of revision "
                            + reply.revision() + " (RFC 6581 section 10); connect with a revision 1 request");
            return finalStep(new StartupAction.Fail(fault.closeReason(), true));
        }

        @Override
        public boolean awaitsEnhancedReply() {
            return request.enhanced() && isReplyMissing();
        }

        private boolean isReplyMissing() {
            return taken && reader.isUntouched();
        }

        /** Servers of other protocols usually wait for more input, for example an HTTP server for CRLF. */
        @Override
        public String hintAtSilence() {
            return isReplyMissing()
                    ? "; perhaps what listens there is not an iWARP server or expects TLS, or its application"
                            + " has not replied"
                    : "";
        }

        @Override
        public String hintAtClose() {
            return isReplyMissing()
                    ? "; perhaps the peer expects TLS, is not an iWARP server, refuses connections for now, or its"
                            + " application failed: see its log"
                    : "";
        }

        @Override
        public String progress() {
            return taken
                    ? "the MPA Request Frame was sent and " + reader.progress()
                    : "the MPA Request Frame was never written: the TLS handshake may not have completed";
        }
    }

    private record NotStarted(MpaSettings settings) implements State {

        @Override
        public Step start() {
            MpaFrameReader reader = new MpaFrameReader(
                    Role.INITIATOR,
                    (flags, revision) -> MpaRevisions.requestRefusal(settings.revision(), flags, revision));
            return new Step(new AwaitingRequest(settings, reader), WAIT);
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
                    ? malformed(in.readableBytes() + " bytes followed the MPA Request Frame before the Reply Frame was"
                            + " sent; an initiator waits for the Reply (RFC 5044 section 7.1.2, rule 3), or"
                            + " PD_Length was too small")
                    : new Step(this, WAIT);
        }

        @Override
        public Step decided(Decision decision) {
            return new AwaitingDecision(decision.settingsOr(settings), request).stepOf(decision);
        }

        private Step stepOf(Decision decision) {
            MpaFrame.Reply reply = reply(decision);
            if (decision.rejected()) {
                return finalStep(StartupAction.Leave.of(reply, reply.ulpPrivateData(), request));
            }
            AgreedParameters.Builder agreed = agreed(Role.RESPONDER, settings, reply, request);
            EnhancedSetup asked = request.setup();
            if (asked != null) {
                SetupNegotiation.negotiateAsResponder(agreed, settings, asked);
            }
            return finalStep(new StartupAction.Establish(reply, agreed.build(), null));
        }

        private MpaFrame.Reply reply(Decision decision) {
            EnhancedSetup asked = request.setup();
            byte[] copy = EnhancedSetup.copyOfUlpPrivateData(decision.privateData(), asked != null);
            // CRCs are on if the initiator requests them, and some initiators expect the bit in the Reply.
            boolean crc = settings.crc() || request.crc();
            return new MpaFrame.Reply(
                    settings.requestMarkers(),
                    crc,
                    decision.rejected(),
                    asked != null,
                    MpaRevisions.common(settings.revision(), request.revision()),
                    asked == null ? copy : setup(asked, decision).followedBy(copy));
        }

        private EnhancedSetup setup(EnhancedSetup asked, Decision decision) {
            return decision.requiredOrd() == null
                    ? SetupNegotiation.reply(settings, asked)
                    : SetupNegotiation.rejection(settings, asked, decision.requiredOrd());
        }

        @Override
        public String progress() {
            return "the application had not decided about the connection request";
        }
    }

    private record Ended() implements State {

        @Override
        public String progress() {
            return "the start-up was over";
        }
    }
}
