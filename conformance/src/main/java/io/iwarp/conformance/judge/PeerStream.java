package io.iwarp.conformance.judge;

import io.iwarp.conformance.wire.Arrival;
import io.iwarp.conformance.wire.Bytes;
import io.iwarp.conformance.wire.Dialogue;
import io.iwarp.conformance.wire.FpduChange;
import io.iwarp.conformance.wire.ReadRequest;
import io.iwarp.conformance.wire.Segment;
import io.iwarp.conformance.wire.StartupFrame;
import io.iwarp.conformance.wire.TerminateMessage;
import io.iwarp.conformance.wire.Wire;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * An established stream and the exchange of rping on it. In both roles, {@link #awaitIdle} leaves the peer waiting for
 * a Send with {@link #nextMsn}, and {@link #completePing} completes a ping from there.
 */
public final class PeerStream {
    /** Memory of the suite that the peer reads. */
    public static final long SOURCE_STAG = 0x9122_3344L;
    /** Memory of the suite that the peer writes. */
    public static final long SINK_STAG = 0xA455_6677L;
    /** Where both begin: no byte is zero, and the TO of a second segment carries into the upper half. */
    public static final long BASE = 0x9ABC_DEF1_FFFF_FFE8L;

    private final Session session;
    private final Wire wire;
    private final StartupFrame request;
    private final StartupFrame reply;
    private final Pings pings;
    private boolean midMessage;
    private long msn = 1;
    private long readMsn = 1;

    PeerStream(Session session, Wire wire, StartupFrame request, StartupFrame reply) {
        this.session = session;
        this.wire = wire;
        this.request = request;
        this.reply = reply;
        pings = new Pings(this, session);
    }

    /** Returns the connection. */
    public Wire wire() {
        return wire;
    }

    /** Returns the frame of the initiator. */
    public StartupFrame request() {
        return request;
    }

    /** Returns the frame of the responder. */
    public StartupFrame reply() {
        return reply;
    }

    /** Returns the number of the entry of the dialogue with the peer's start-up frame, or -1. */
    public int replyEntry() {
        List<Dialogue.Entry> entries = session.dialogue().entries();
        for (int i = 0; i < entries.size(); i++) {
            if (entries.get(i).from() == '<' && entries.get(i).text().startsWith("MPA")) {
                return i;
            }
        }
        return -1;
    }

    /** Returns whether the memory that the peer names may be read whatever the ping does with it. */
    boolean memoryCanBeRead() {
        return session.capabilities().memoryCanBeRead();
    }

    /** Returns whether the peer is the server. */
    public boolean peerIsServer() {
        return session.peerIsServer();
    }

    /** Returns the exchange of rping. */
    public Pings pings() {
        return pings;
    }

    /** Sends or awaits what the peer-to-peer set-up agreed on. */
    void readyToReceive() throws IOException, CaseFailed {
        if (!reply.enhanced() || (reply.irdWord() & Setup.UPPER) == 0) {
            return;
        }
        if (session.peerIsServer()) {
            sendReady(reply);
        } else {
            awaitReady();
        }
    }

    private void sendReady(StartupFrame agreed) throws IOException, CaseFailed {
        if ((agreed.ordWord() & Setup.UPPER) != 0) {
            wire.send(Segment.tagged(Segment.WRITE, 1, 0, Bytes.NONE));
        } else if ((agreed.ordWord() & Setup.LOWER) != 0) {
            wire.send(Segment.readRequest(takeReadMsn(), new ReadRequest(1, 0, 0, 1, 0)));
            expect(Segment.READ_RESPONSE);
        } else {
            wire.send(Segment.send(takeMsn(), Bytes.NONE));
        }
    }

    private void awaitReady() throws IOException, CaseFailed {
        Arrival arrival = wire.next(session.options().patience());
        Segment segment = arrival.segment();
        if (segment == null
                || (segment.opcode() == Segment.READ_REQUEST && segment.payload().length != ReadRequest.LENGTH)) {
            throw unexpected(arrival, "a ready-to-receive message");
        }
        if (segment.opcode() == Segment.READ_REQUEST) {
            ReadRequest read = ReadRequest.decode(segment.payload());
            wire.send(Segment.tagged(Segment.READ_RESPONSE, read.sinkStag(), read.sinkOffset(), Bytes.NONE));
        }
    }

    /** Returns the MSN of the next Send of the suite. */
    public long nextMsn() {
        return msn;
    }

    /** Returns the MSN of the next Send, which is used up. */
    public long takeMsn() {
        return msn++;
    }

    /** Returns the MSN of the next Read Request, which is used up. */
    public long takeReadMsn() {
        return readMsn++;
    }

    /** Returns the MSN of the next Read Request. */
    public long nextReadMsn() {
        return readMsn;
    }

    /** Returns what comes next. A Write of zero bytes, which is legal anywhere and changes nothing, is passed over. */
    public Arrival next() throws IOException {
        long end = System.nanoTime() + session.options().patience().toNanos();
        while (true) {
            Arrival arrival = wire.next(Duration.ofNanos(Math.max(1, end - System.nanoTime())));
            Segment segment = arrival.segment();
            boolean begins = !midMessage;
            midMessage = segment != null && !segment.last();
            boolean nothing = begins
                    && segment != null
                    && arrival.is(Segment.WRITE)
                    && segment.last()
                    && segment.payload().length == 0;
            if (!nothing) {
                return arrival;
            }
        }
    }

    /** Returns what comes first, also a Write of zero bytes: it may be the ready-to-receive message. */
    public Arrival first() throws IOException {
        return wire.next(session.options().patience());
    }

    /** Returns the next segment, which has to be of this opcode. */
    public Segment expect(int opcode) throws IOException, CaseFailed {
        Arrival arrival = next();
        Segment segment = arrival.segment();
        if (segment == null || segment.opcode() != opcode) {
            throw unexpected(arrival, "a segment of " + Segment.name(opcode));
        }
        return segment;
    }

    /** Returns the deviation that something else came. */
    public CaseFailed unexpected(Arrival arrival, String allowed) {
        return new CaseFailed(arrival.describe(), allowed, arrival.entry(), 0);
    }

    /** Sends a Write that changes nothing, so that an FPDU of the suite was validated. */
    public void sendNothing() throws IOException {
        wire.send(Segment.tagged(Segment.WRITE, 0, 0, Bytes.NONE));
    }

    /** Goes to where the peer waits for a Send and has validated an FPDU. */
    public PeerStream awaitIdle() throws IOException, CaseFailed {
        if (!session.peerIsServer()) {
            pings.awaitAdvertisement();
        }
        if (session.capabilities().takesEmptyWrites()) {
            sendNothing();
        } else {
            completePing();
        }
        return this;
    }

    /** Completes a ping. */
    public void completePing() throws IOException, CaseFailed {
        pings.completePing();
    }

    /**
     * Returns the Terminate that reports one of some errors: layer/type/code, such as 1/2/05. An error of MPA may end
     * the connection without a Terminate, as RFC 5040 section 6.2.1 says no more than SHOULD.
     */
    public Arrival expectTerminate(String... errors) throws IOException, CaseFailed {
        Arrival arrival = next();
        boolean silent = arrival.ended() && Stream.of(errors).allMatch(error -> error.startsWith("2/"));
        return silent ? arrival : requireError(arrival, errors);
    }

    /** Returns the Terminate that reports one of some errors; an end without one is not enough. */
    public Arrival expectReport(String... errors) throws IOException, CaseFailed {
        return requireError(next(), errors);
    }

    /** Returns what came, which has to be a Terminate that reports one of some errors. */
    public Arrival requireError(Arrival arrival, String... errors) throws CaseFailed {
        String allowed = "a Terminate with " + String.join(" or ", errors);
        Segment segment = arrival.segment();
        if (segment == null || segment.opcode() != Segment.TERMINATE) {
            throw unexpected(arrival, allowed);
        }
        if (segment.payload().length < Integer.BYTES) {
            throw new CaseFailed("a Terminate of " + segment.payload().length + " bytes", allowed, arrival.entry(), 0);
        }
        TerminateMessage message = TerminateMessage.decode(segment.payload());
        List<String> wanted = List.of(errors);
        if (!wanted.contains(message.error())) {
            boolean typeIsRight = wanted.stream()
                    .anyMatch(error -> error.startsWith(message.error().substring(0, 3)));
            int field = Segment.UNTAGGED_HEADER + (typeIsRight ? 1 : 0);
            throw new CaseFailed(
                    "a Terminate with " + message.error() + hint(message, wanted),
                    allowed,
                    arrival.entry(),
                    arrival.offsets()[field]);
        }
        return arrival;
    }

    /** Layer and type have changed places in the Terminates of some peers, which hides what they mean. */
    @SuppressWarnings("ArgumentSelectionDefectChecker") // it is meant
    private static String hint(TerminateMessage message, List<String> wanted) {
        TerminateMessage swapped = TerminateMessage.bare(message.type(), message.layer(), message.code());
        return ", with layer and type swapped " + swapped.error() + ", which is "
                + (wanted.contains(swapped.error()) ? "allowed" : "not allowed either");
    }

    /** Checks that the peer ends the stream: with whatever Terminate or none, but with nothing else. */
    public void expectEndOfAnyKind() throws IOException, CaseFailed {
        Arrival arrival = next();
        if (arrival.is(Segment.TERMINATE)) {
            return;
        }
        if (!arrival.ended()) {
            throw unexpected(arrival, "the end of the stream");
        }
    }

    /** Checks that the connection ends, and that no Terminate and nothing else comes before. */
    public void expectBareEnd() throws IOException, CaseFailed {
        Arrival arrival = wire.next(session.options().patience());
        if (!arrival.ended()) {
            throw unexpected(arrival, "the end of the connection");
        }
    }

    /** Sends a segment as an FPDU in which something is wrong. */
    public void send(Segment segment, FpduChange damage, String remark) throws IOException {
        wire.send(segment, damage, remark);
    }

    /** Sends a segment that the peer has to refuse: if its Terminate quotes one, then this one. */
    public void sendAtFault(Segment segment) throws IOException {
        wire.blame(segment, true);
        wire.send(segment);
    }

    /** Sends segments in one write. */
    public void sendAtOnce(List<Segment> segments, String text) throws IOException {
        if (segments.size() == 1) {
            wire.send(segments.get(0));
            return;
        }
        byte[][] fpdus = segments.stream()
                .map(segment -> wire.encode(segment, FpduChange.NONE))
                .toArray(byte[][]::new);
        wire.send(Bytes.join(fpdus), text);
    }

    /** Skips the case if the peer takes fewer Reads and atomics at a time. */
    public void requirePlacesForReads(int count) throws CaseSkipped {
        int places = (peerIsServer() ? reply : request).irdWord() & Setup.DEPTH_MASK;
        if (places < count) {
            throw new CaseSkipped("the peer takes " + places + " Reads and atomics at a time");
        }
    }

    /** Sends a segment. */
    public void send(Segment segment) throws IOException {
        wire.send(segment);
    }
}
