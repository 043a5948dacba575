package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.CaseFailed;
import io.iwarp.conformance.judge.CaseSkipped;
import io.iwarp.conformance.judge.Need;
import io.iwarp.conformance.judge.PeerMemory;
import io.iwarp.conformance.judge.PeerStream;
import io.iwarp.conformance.judge.Pings;
import io.iwarp.conformance.judge.Session;
import io.iwarp.conformance.wire.Arrival;
import io.iwarp.conformance.wire.AtomicRequest;
import io.iwarp.conformance.wire.Bytes;
import io.iwarp.conformance.wire.ReadRequest;
import io.iwarp.conformance.wire.Segment;
import io.iwarp.conformance.wire.TerminateMessage;
import java.io.IOException;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * The messages that a peer takes, as a table: each is sent as it is right, in segments that a case changes, and it is
 * checked that the message had its effect.
 */
enum Message {
    /** A Write that fills the memory which the peer names. */
    WRITE("write", Need.WRITABLE) {
        @Override
        void exchange(Session session, PeerStream stream, UnaryOperator<List<Segment>> change)
                throws IOException, CaseFailed {
            PeerMemory memory = PeerMemory.writable(stream);
            memory.write(change);
            memory.completePing();
        }
    },
    /** A Write of zero bytes. */
    EMPTY_WRITE("write.empty") {
        @Override
        void exchange(Session session, PeerStream stream, UnaryOperator<List<Segment>> change)
                throws IOException, CaseFailed {
            send(stream, change, Segment.tagged(Segment.WRITE, 0, 0, Bytes.NONE));
            stream.completePing();
        }
    },
    /** The Send for which the peer waits. */
    SEND("send") {
        @Override
        void exchange(Session session, PeerStream stream, UnaryOperator<List<Segment>> change)
                throws IOException, CaseFailed {
            send(stream, change, stream.pings().takeAwaited());
            stream.pings().completePingAfterSend();
        }
    },
    /** The same as a Send with Solicited Event. */
    SOLICITED("send.solicited") {
        @Override
        void exchange(Session session, PeerStream stream, UnaryOperator<List<Segment>> change)
                throws IOException, CaseFailed {
            Segment awaited = stream.pings().takeAwaited();
            send(stream, change, Segment.untagged(Segment.SEND_SOLICITED, 0, awaited.msn(), awaited.payload()));
            stream.pings().completePingAfterSend();
        }
    },
    /** A Read Request for zero bytes. */
    READ_REQUEST("read-request") {
        @Override
        void exchange(Session session, PeerStream stream, UnaryOperator<List<Segment>> change)
                throws IOException, CaseFailed {
            send(stream, change, Segment.readRequest(stream.takeReadMsn(), new ReadRequest(5, 6, 0, 7, 8)));
            stream.pings().expectResponse(5, 6, 0);
            stream.completePing();
        }
    },
    /** The answer to the Read of a server. */
    READ_RESPONSE("response") {
        @Override
        void exchange(Session session, PeerStream stream, UnaryOperator<List<Segment>> change)
                throws IOException, CaseFailed {
            byte[] text = Pings.text(Case.DEFAULT_SIZE);
            ReadRequest read = stream.pings().advertise(text.length);
            send(stream, change, Segment.tagged(Segment.READ_RESPONSE, read.sinkStag(), read.sinkOffset(), text));
            stream.pings().expectGoAhead();
            stream.pings().takeBack(text);
        }
    },
    /** A FetchAdd of 0. */
    ATOMIC_REQUEST("atomic-request", Need.ATOMICS, Need.ATOMIC_MEMORY) {
        @Override
        void exchange(Session session, PeerStream stream, UnaryOperator<List<Segment>> change)
                throws IOException, CaseFailed {
            PeerMemory memory = PeerMemory.unwritable(stream);
            AtomicRequest nothing = new AtomicRequest(
                    AtomicRequest.FETCH_ADD,
                    9,
                    memory.memory().stag(),
                    memory.memory().offset(),
                    0,
                    0,
                    0,
                    -1);
            send(stream, change, Segment.untagged(Segment.ATOMIC_REQUEST, 1, stream.takeReadMsn(), nothing.encode()));
            stream.expect(Segment.ATOMIC_RESPONSE);
            memory.completePing();
        }
    },
    /** Immediate Data, of which a program of rping makes nothing. */
    IMMEDIATE("immediate", Need.IMMEDIATE) {
        @Override
        void exchange(Session session, PeerStream stream, UnaryOperator<List<Segment>> change)
                throws IOException, CaseFailed {
            send(stream, change, Segment.untagged(Segment.IMMEDIATE, 0, stream.takeMsn(), Bytes.pattern(Long.BYTES)));
            Arrival arrival = stream.next();
            if (arrival.is(Segment.TERMINATE)) {
                throw stream.unexpected(arrival, "no Terminate: a program may end the connection");
            }
        }
    },
    /** A Terminate, which is not answered. */
    TERMINATE("terminate") {
        @Override
        void exchange(Session session, PeerStream stream, UnaryOperator<List<Segment>> change)
                throws IOException, CaseFailed {
            send(
                    stream,
                    change,
                    Segment.terminate(TerminateMessage.bare(0, 0, 0).encode()));
            stream.expectBareEnd();
        }
    };

    private final String id;

    @SuppressWarnings("ImmutableEnumChecker") // it is made by List.of
    private final List<Need> needs;

    Message(String id, Need... needs) {
        this.id = id;
        this.needs = List.of(needs);
    }

    /** Returns the message as it stands in ids of cases. */
    String id() {
        return id;
    }

    /** Returns what the peer needs to take it. */
    Need[] needs() {
        return needs.toArray(Need[]::new);
    }

    /** Returns its RDMAP opcode and header in words. */
    String text() {
        return id.replace('.', ' ').replace('-', ' ');
    }

    /** Sends the message on an idle stream, in the segments that the change makes of one, and checks its effect. */
    abstract void exchange(Session session, PeerStream stream, UnaryOperator<List<Segment>> change)
            throws IOException, CaseFailed, CaseSkipped;

    private static void send(PeerStream stream, UnaryOperator<List<Segment>> change, Segment segment)
            throws IOException {
        for (Segment part : change.apply(List.of(segment))) {
            stream.send(part);
        }
    }
}
