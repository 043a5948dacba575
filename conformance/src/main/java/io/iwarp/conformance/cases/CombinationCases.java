package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.CaseFailed;
import io.iwarp.conformance.judge.CaseSkipped;
import io.iwarp.conformance.judge.Need;
import io.iwarp.conformance.judge.PeerMemory;
import io.iwarp.conformance.judge.PeerStream;
import io.iwarp.conformance.judge.Role;
import io.iwarp.conformance.judge.Session;
import io.iwarp.conformance.wire.FpduChange;
import io.iwarp.conformance.wire.ReadRequest;
import io.iwarp.conformance.wire.Segment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Errors that do not come first and alone: after pings, after a Read, after a large message, beside another connection.
 */
final class CombinationCases {
    private static final int MANY = 60;
    private static final int LARGE = 60_000;
    private static final byte[] ONE = {'#'};

    private CombinationCases() {}

    @SuppressWarnings("ArrayRecordComponent") // not compared
    private record Violation(String name, String requirements, String message, String... errors) {}

    private interface Before {
        void run(Session session, PeerStream stream) throws IOException, CaseFailed;
    }

    private static final List<Violation> VIOLATIONS = List.of(
            new Violation("queue", "DDP-54", "send queue=4", "1/2/01"),
            new Violation("msn-ahead", "DDP-58", "send msn+1000", "1/2/03", "1/2/02"),
            new Violation("msn-again", "DDP-58 DDP-36", "send msn+-1", "1/2/03", "1/2/02"),
            new Violation("mo", "DDP-56", "send mo=1048576", "1/2/04", "1/2/05"),
            new Violation("too-long", "DDP-57", "send length=60000", "1/2/05"),
            new Violation("version", "DDP-15", "send dv=2", "1/2/06"),
            new Violation("rdmap-version", "RDMAP-79", "send rv=2", "0/2/05"),
            new Violation("opcode", "RDMAP-78", "unknown", "0/2/06"),
            new Violation("write", "DDP-59", "write stag=1", "1/1/00"),
            new Violation("write-version", "DDP-15", "write length=0 dv=2", "1/1/04"),
            new Violation("write-rdmap-version", "RDMAP-79", "write length=0 rv=2", "0/2/05"),
            new Violation("read-version", "DDP-15", "read dv=3", "1/2/06"),
            new Violation("response", "RDMAP-78", "response length=0", "0/2/06"),
            new Violation("read", "RDMAP-81", "read size=1 source=1", "0/1/00"),
            new Violation("read-msn-again", "DDP-58", "read msn+-1", "1/2/03", "1/2/02"),
            new Violation("read-msn-ahead", "DDP-58", "read msn+1000", "1/2/03", "1/2/02"));

    /** Returns the cases. */
    static List<Case> all(Role role) {
        List<Case> cases = new ArrayList<>();
        for (Violation violation : VIOLATIONS) {
            for (int count : new int[] {1, MANY}) {
                String title = "after " + count + (count == 1 ? " ping" : " pings");
                add(cases, violation, "after." + count, title, (session, stream) -> pings(stream, count));
            }
            add(cases, violation, "after.read", "after a Read of zero bytes", (session, stream) -> read(stream));
            Stream.of(Message.WRITE, Message.SOLICITED, Message.READ_RESPONSE, Message.ATOMIC_REQUEST)
                    .filter(message -> role == Role.SERVER || message != Message.READ_RESPONSE)
                    .forEach(message -> {
                        Before before = (session, stream) -> message.exchange(stream, segments -> segments);
                        add(cases, violation, "after." + message.id(), "after a message " + message.text(), before);
                        int last = cases.size() - 1;
                        cases.set(last, cases.get(last).needs(message.needs()));
                    });
            add(cases, violation, "beside", "while another connection is in use", (session, stream) -> {
                pings(session.establish().awaitIdle(), 2);
                pings(stream, 1);
            });
            List<Case> large = new ArrayList<>();
            add(
                    large,
                    violation,
                    "after.large",
                    "after a ping of 60000 bytes",
                    (session, stream) -> large(session, stream));
            cases.add(role == Role.CLIENT ? large.get(0).size(LARGE) : large.get(0));
        }
        crc(cases);
        connections(cases);
        return cases;
    }

    private static void add(List<Case> cases, Violation violation, String name, String when, Before before) {
        String title = when + " an error (" + violation.name() + ") is refused with "
                + String.join(" or ", violation.errors());
        cases.add(Case.must("combined." + violation.name() + "." + name, title, violation.requirements(), session -> {
            PeerStream stream = session.establish().awaitIdle();
            read(stream);
            before.run(session, stream);
            stream.sendAtFault(MessageSpec.on(stream, violation.message()).get(0));
            stream.expectTerminate(violation.errors());
        }));
    }

    private static void pings(PeerStream stream, int count) throws IOException, CaseFailed {
        for (int i = 0; i < count; i++) {
            stream.completePing();
        }
    }

    private static void read(PeerStream stream) throws IOException, CaseFailed {
        stream.send(Segment.readRequest(stream.takeReadMsn(), new ReadRequest(2, 3, 0, 0, 0)));
        stream.pings().expectResponse(2, 3, 0);
    }

    private static void large(Session session, PeerStream stream) throws IOException, CaseFailed {
        if (session.peerIsServer()) {
            stream.pings().pingInSegments(LARGE, LARGE);
        } else {
            stream.completePing();
        }
    }

    private static void crc(List<Case> cases) {
        for (int count : new int[] {1, 2, MANY}) {
            cases.add(Case.onIdle(
                            "combined.crc.after." + count,
                            "after " + count + " pings a wrong CRC is refused with 2/0/02",
                            "MPA-36 MPA-40",
                            stream -> {
                                pings(stream, count);
                                stream.send(stream.pings().takeAwaited(), FpduChange.flipFromEnd(0), ", wrong CRC");
                                stream.expectTerminate("2/0/02");
                            })
                    .needs(Need.CRC));
        }
    }

    private static void connections(List<Case> cases) {
        cases.add(Case.must(
                "connections.in-turn",
                "two connections ping in turn: each counts its own messages",
                "DDP-21 SEC-14 RDMAP-59",
                session -> {
                    PeerStream first = session.establish().awaitIdle();
                    first.completePing();
                    PeerStream second = session.establish().awaitIdle();
                    for (int i = 0; i < 3; i++) {
                        second.completePing();
                        read(first);
                        first.completePing();
                        read(second);
                    }
                }));
        cases.add(Case.must(
                "connections.error",
                "an error on one connection harms no other one",
                "SEC-14 RDMAP-59 DDP-7",
                session -> {
                    PeerStream first = session.establish().awaitIdle();
                    PeerStream second = session.establish().awaitIdle();
                    second.send(second.pings().takeAwaited().queue(9));
                    second.expectTerminate("1/2/01");
                    first.completePing();
                }));
        cases.add(Case.must(
                "connections.reset",
                "the reset of one connection in the middle of a ping harms no other one",
                "SEC-14 MPA-83",
                session -> {
                    PeerStream first = session.establish().awaitIdle();
                    PeerStream second = session.establish().awaitIdle();
                    PeerMemory.writable(second);
                    second.wire().reset();
                    first.completePing();
                }));
        cases.add(Case.must(
                "connections.memory.write",
                "a Write to memory that was named on another connection is refused",
                "SEC-1 SEC-2 DDP-71 DDP-72 DDP-70",
                session -> {
                    PeerMemory memory = PeerMemory.writable(session);
                    memory.mustStay();
                    PeerStream second = other(PeerMemory.writable(session), memory);
                    second.send(Segment.tagged(
                            Segment.WRITE,
                            memory.memory().stag(),
                            memory.memory().offset(),
                            ONE));
                    second.expectTerminate("1/1/00", "1/1/02");
                    memory.completePing();
                }));
        cases.add(Case.must(
                "connections.memory.invalidate",
                "a Send with Invalidate of memory that was named on another connection is refused",
                "RDMAP-39 RDMAP-80 SEC-2 SEC-7",
                session -> {
                    PeerMemory memory = PeerMemory.writable(session);
                    memory.mustStay();
                    PeerStream second = other(PeerMemory.writable(session), memory);
                    second.send(Segment.untagged(Segment.SEND_INVALIDATE, 0, second.takeMsn(), new byte[16])
                            .stag(memory.memory().stag()));
                    second.expectTerminate("0/1/09", "0/2/09", "0/1/03");
                    memory.completePing();
                }));
        cases.add(Case.must(
                "connections.memory.read",
                "a Read of memory that was named on another connection is refused",
                "SEC-1 SEC-2 RDMAP-82",
                session -> {
                    PeerMemory memory = PeerMemory.readable(session);
                    PeerStream second = other(PeerMemory.readable(session), memory);
                    second.send(Segment.readRequest(
                            second.takeReadMsn(),
                            new ReadRequest(
                                    2,
                                    3,
                                    1,
                                    memory.memory().stag(),
                                    memory.memory().offset())));
                    second.expectTerminate("0/1/00", "0/1/03", "0/1/02");
                    memory.completePing();
                }));
    }

    /** Returns the stream of other memory, on which the STag of the first one has to mean nothing. */
    static PeerStream other(PeerMemory other, PeerMemory first) throws CaseSkipped {
        if (other.memory().stag() == first.memory().stag()) {
            throw new CaseSkipped("each connection numbers its memory alone: two STags are the same");
        }
        return other.stream();
    }
}
