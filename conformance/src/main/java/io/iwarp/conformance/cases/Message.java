package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Advertisement;
import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.CaseFailed;
import io.iwarp.conformance.judge.Need;
import io.iwarp.conformance.judge.PeerMemory;
import io.iwarp.conformance.judge.PeerStream;
import io.iwarp.conformance.judge.Pings;
import io.iwarp.conformance.wire.Arrival;
import io.iwarp.conformance.wire.AtomicRequest;
import io.iwarp.conformance.wire.Bytes;
import io.iwarp.conformance.wire.ReadRequest;
import io.iwarp.conformance.wire.Segment;
import io.iwarp.conformance.wire.TerminateMessage;
import java.io.IOException;
import java.util.List;
import java.util.function.UnaryOperator;

/** The messages that a peer takes, as a table: how each is made on an idle stream, and how its effect shows. */
enum Message {
    /** A Write that fills the memory which the peer names. */
    WRITE("write", true, true, Message::write, Need.WRITABLE),
    /** A Write of zero bytes. */
    EMPTY_WRITE(
            "write.empty",
            true,
            false,
            stream -> new Ready(Segment.tagged(Segment.WRITE, 0, 0, Bytes.NONE), stream::completePing)),
    /** The Send for which the peer waits. */
    SEND("send", false, true, stream -> awaited(stream, Segment.SEND)),
    /** The same as a Send with Solicited Event. */
    SOLICITED("send.solicited", false, true, stream -> awaited(stream, Segment.SEND_SOLICITED)),
    /** A Send with Invalidate of memory that the peer has named. Peers differ in what they let be invalidated. */
    INVALIDATE("send.invalidate", false, true, stream -> invalidating(stream, Segment.SEND_INVALIDATE)),
    /** The same with Solicited Event. */
    SOLICITED_INVALIDATE(
            "send.solicited-invalidate",
            false,
            true,
            stream -> invalidating(stream, Segment.SEND_SOLICITED_INVALIDATE)),
    /** A Read Request for zero bytes. */
    READ_REQUEST("read-request", false, true, Message::readRequest),
    /** The answer to the Read of a server. */
    READ_RESPONSE("response", true, true, Message::readResponse),
    /** A FetchAdd of 0. */
    ATOMIC_REQUEST("atomic-request", false, true, Message::atomicRequest, Need.ATOMICS, Need.ATOMIC_MEMORY),
    /** Immediate Data, which a program of rping does not use. */
    IMMEDIATE("immediate", false, false, stream -> immediate(stream, Segment.IMMEDIATE), Need.IMMEDIATE),
    /** The same with Solicited Event. */
    SOLICITED_IMMEDIATE(
            "immediate.solicited",
            false,
            false,
            stream -> immediate(stream, Segment.IMMEDIATE_SOLICITED),
            Need.IMMEDIATE),
    /** A Terminate, which is not answered. */
    TERMINATE(
            "terminate",
            false,
            false,
            stream -> new Ready(Segment.terminate(TerminateMessage.bare(0, 0, 0).encode()), stream::expectBareEnd));

    private static final Effect UNKNOWN = () -> {};

    private final String id;
    private final boolean tagged;
    private final boolean divisible;

    @SuppressWarnings("ImmutableEnumChecker") // it has no state
    private final Make make;

    @SuppressWarnings("ImmutableEnumChecker") // it is made by List.of
    private final List<Need> needs;

    Message(String id, boolean tagged, boolean divisible, Make make, Need... needs) {
        this.id = id;
        this.tagged = tagged;
        this.divisible = divisible;
        this.make = make;
        this.needs = List.of(needs);
    }

    /** Checks what a message has done. */
    private interface Effect {
        void check() throws IOException, CaseFailed;
    }

    /** A message that is right, and what it does. */
    private record Ready(Segment segment, Effect effect) {}

    private interface Make {
        Ready on(PeerStream stream) throws IOException, CaseFailed;
    }

    /** Returns the message as it stands in ids of cases. */
    String id() {
        return id;
    }

    /** Returns the message in words. */
    String text() {
        return id.replace('.', ' ').replace('-', ' ');
    }

    /** Returns the bit T of its segments. */
    boolean tagged() {
        return tagged;
    }

    /** Returns whether it may have several segments. */
    boolean divisible() {
        return divisible;
    }

    /** Returns whether all peers have to take it, so that its effect can be checked. */
    boolean known() {
        return this != INVALIDATE && this != SOLICITED_INVALIDATE;
    }

    /** Returns what the peer needs to take it. */
    Need[] needs() {
        return needs.toArray(Need[]::new);
    }

    /** Sends the message on an idle stream, in the segments that the change makes of one, and checks its effect. */
    void exchange(PeerStream stream, UnaryOperator<List<Segment>> change) throws IOException, CaseFailed {
        Ready ready = make.on(stream);
        send(stream, change.apply(List.of(ready.segment())));
        ready.effect().check();
    }

    /** Sends the message on an idle stream, in segments of which one is wrong: in one write, before the peer closes. */
    void sendWrong(PeerStream stream, UnaryOperator<List<Segment>> change) throws IOException, CaseFailed {
        stream.sendAtOnce(change.apply(List.of(make.on(stream).segment())), "a message " + text());
    }

    private static void send(PeerStream stream, List<Segment> segments) throws IOException {
        for (Segment segment : segments) {
            stream.send(segment);
        }
    }

    private static Ready write(PeerStream stream) throws IOException, CaseFailed {
        PeerMemory memory = PeerMemory.writable(stream);
        return new Ready(memory.writeOfText(), memory::completePing);
    }

    private static Ready awaited(PeerStream stream, int opcode) {
        Segment awaited = stream.pings().takeAwaited();
        return new Ready(
                Segment.untagged(opcode, 0, awaited.msn(), awaited.payload()), stream.pings()::completePingAfterSend);
    }

    private static Ready invalidating(PeerStream stream, int opcode) throws IOException, CaseFailed {
        PeerMemory memory = PeerMemory.writable(stream);
        if (stream.peerIsServer()) {
            memory.completePing();
        }
        return new Ready(awaited(stream, opcode).segment().stag(memory.memory().stag()), UNKNOWN);
    }

    private static Ready readRequest(PeerStream stream) {
        return new Ready(Segment.readRequest(stream.takeReadMsn(), new ReadRequest(5, 6, 0, 7, 8)), () -> {
            stream.pings().expectResponse(5, 6, 0);
            stream.completePing();
        });
    }

    private static Ready readResponse(PeerStream stream) throws IOException, CaseFailed {
        byte[] text = Pings.text(Case.DEFAULT_SIZE);
        ReadRequest read = stream.pings().advertise(text.length);
        return new Ready(Segment.tagged(Segment.READ_RESPONSE, read.sinkStag(), read.sinkOffset(), text), () -> {
            stream.pings().expectGoAhead();
            stream.pings().takeBack(text);
        });
    }

    private static Ready atomicRequest(PeerStream stream) throws IOException, CaseFailed {
        PeerMemory place = PeerMemory.unwritable(stream);
        Advertisement memory = place.memory();
        byte[] nothing =
                new AtomicRequest(AtomicRequest.FETCH_ADD, 9, memory.stag(), memory.offset(), 0, 0, 0, -1).encode();
        return new Ready(Segment.untagged(Segment.ATOMIC_REQUEST, 1, stream.takeReadMsn(), nothing), () -> {
            stream.expect(Segment.ATOMIC_RESPONSE);
            place.completePing();
        });
    }

    private static Ready immediate(PeerStream stream, int opcode) {
        Segment data = Segment.untagged(opcode, 0, stream.takeMsn(), Bytes.pattern(Long.BYTES));
        return new Ready(data, () -> {
            Arrival arrival = stream.next();
            if (arrival.is(Segment.TERMINATE)) {
                throw stream.unexpected(arrival, "no Terminate: a program may end the connection");
            }
        });
    }
}
