package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.CaseFailed;
import io.iwarp.conformance.judge.CaseSkipped;
import io.iwarp.conformance.judge.Need;
import io.iwarp.conformance.judge.PeerStream;
import io.iwarp.conformance.judge.Session;
import io.iwarp.conformance.judge.Setup;
import io.iwarp.conformance.wire.Arrival;
import io.iwarp.conformance.wire.Bytes;
import io.iwarp.conformance.wire.ReadRequest;
import io.iwarp.conformance.wire.Segment;
import io.iwarp.conformance.wire.StartupFrame;
import io.iwarp.conformance.wire.TerminateMessage;
import io.iwarp.conformance.wire.Wire;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** IRD, ORD and the flags A to D of an enhanced Reply (RFC 6581 section 9). */
final class SetupReplyCases {
    private static final int[] DEPTHS = {0, 1, 2, 127, 128, 256, 1000, 0x2000, 0x3FFE, 0x3FFF};

    /** A client may take the greatest ORD, but has no need to show it. */
    private static final int MAX_READS = 64;

    private SetupReplyCases() {}

    /** Returns the cases. */
    static List<Case> all() {
        List<Case> cases = new ArrayList<>();
        for (int depth : DEPTHS) {
            cases.add(Case.must(
                            "setup.reply.ird." + depth,
                            "a Reply with IRD " + depth + " is taken: the client reads nothing",
                            "SETUP-7 SETUP-11 SETUP-13",
                            session -> MpaReplyCases.completePing(session.respond(
                                    reply -> words(reply, word(reply.irdWord(), depth), reply.ordWord()))))
                    .needs(Need.ENHANCED));
            cases.add(Case.must(
                            "setup.reply.ord." + depth,
                            "a Reply with ORD " + depth
                                    + " is taken, and if it is more than the client asked for it answers that many"
                                    + " Reads or refuses with 2/0/06",
                            "SETUP-11 SETUP-12 SETUP-14",
                            session -> ordOfReply(session, depth))
                    .needs(Need.ENHANCED));
        }
        cases.add(Case.must(
                        "setup.reply.ord.more",
                        "an ORD of one more than the IRD of the client is refused with 2/0/06, or the client answers"
                                + " that many Reads",
                        "SETUP-11 SETUP-12",
                        session -> ordOfReply(session, -1))
                .needs(Need.ENHANCED));
        for (int kinds = 1; kinds < 8; kinds++) {
            int words = (kinds & 4) != 0 ? Setup.LOWER : 0;
            int others = ((kinds & 2) != 0 ? Setup.UPPER : 0) | ((kinds & 1) != 0 ? Setup.LOWER : 0);
            cases.add(Case.must(
                            "setup.reply.client-server." + kinds,
                            "with A=0 the bits B, C and D of a Reply (" + kinds + ") mean nothing",
                            "SETUP-16",
                            session -> {
                                if (session.options().peerToPeer()) {
                                    throw new CaseSkipped("the set-up is one of peer to peer");
                                }
                                MpaReplyCases.completePing(session.respond(
                                        reply -> words(reply, reply.irdWord() | words, reply.ordWord() | others)));
                            })
                    .needs(Need.ENHANCED));
        }
        cases.add(Case.must(
                        "setup.reply.plain",
                        "a Reply of revision 2 without the four bytes, to an enhanced Request, ends the connection or"
                                + " is taken: nothing is agreed",
                        "SETUP-23",
                        session -> {
                            Wire wire = session.open();
                            StartupFrame request = session.awaitRequest(wire);
                            int flags = Setup.reply(session.options(), request).flags() & ~StartupFrame.ENHANCED;
                            StartupFrame reply = StartupFrame.reply(flags, 1, Bytes.NONE);
                            wire.send(reply);
                            Arrival arrival =
                                    session.unready(wire, request, reply).next();
                            if (!arrival.ended() && !arrival.isSend()) {
                                throw new CaseFailed(arrival.describe(), "the end, or the first Send");
                            }
                        })
                .needs(Need.ENHANCED));
        kinds(cases);
        return cases;
    }

    /** Replies with an ORD, or with one more than the IRD of the client if it is negative. */
    private static void ordOfReply(Session session, int asked) throws IOException, CaseFailed, CaseSkipped {
        Wire wire = session.open();
        StartupFrame request = session.awaitRequest(wire);
        StartupFrame plain = Setup.reply(session.options(), request);
        int ird = request.irdWord() & Setup.DEPTH_MASK;
        int depth = asked >= 0 ? asked : ird + 1;
        if (depth > Setup.NOT_NEGOTIATED || (asked < 0 && depth == Setup.NOT_NEGOTIATED)) {
            throw new CaseSkipped("the client takes any number of Reads");
        }
        StartupFrame reply = words(plain, plain.irdWord(), word(plain.ordWord(), depth));
        wire.send(reply);
        boolean tooMany = depth > ird && depth != Setup.NOT_NEGOTIATED;
        if (!tooMany) {
            MpaReplyCases.completePing(session.responded(wire, request, reply));
            return;
        }
        PeerStream stream = session.unready(wire, request, reply);
        Arrival arrival = stream.next();
        Segment segment = arrival.segment();
        if (segment == null) {
            throw stream.unexpected(arrival, "a Terminate with 2/0/06, or the first message of the client");
        }
        if (segment.opcode() == Segment.TERMINATE
                && !TerminateMessage.decode(segment.payload()).error().equals("2/0/06")) {
            throw stream.unexpected(arrival, "a Terminate with 2/0/06");
        }
        if (segment.opcode() != Segment.TERMINATE) {
            requireAnswers(stream, Math.min(depth, MAX_READS));
        }
    }

    private static void requireAnswers(PeerStream stream, int reads) throws IOException, CaseFailed {
        List<Segment> requests = new ArrayList<>();
        for (int i = 0; i < reads; i++) {
            requests.add(Segment.readRequest(stream.takeReadMsn(), new ReadRequest(1, i, 0, 0, 0)));
        }
        stream.sendAtOnce(requests, reads + " Reads");
        for (int answers = 0; answers < reads; ) {
            Arrival arrival = stream.next();
            if (arrival.segment() == null || arrival.is(Segment.TERMINATE)) {
                throw stream.unexpected(arrival, "the answers to " + reads + " Reads: the client has taken the Reply");
            }
            answers += arrival.is(Segment.READ_RESPONSE) ? 1 : 0;
        }
    }

    private static void kinds(List<Case> cases) {
        kind(cases, "write", Setup.UPPER, true, Segment.WRITE);
        kind(cases, "read", Setup.LOWER, true, Segment.READ_REQUEST);
        kind(cases, "send", Setup.LOWER, false, Segment.SEND);
        cases.add(Case.must(
                        "setup.reply.all-kinds",
                        "with B, C and D in the Reply the client sends one that it offered",
                        "SETUP-20",
                        session -> {
                            Wire wire = session.open();
                            StartupFrame request = session.awaitRequest(wire);
                            StartupFrame plain = Setup.reply(session.options(), request);
                            StartupFrame reply = words(
                                    plain, plain.irdWord() | Setup.LOWER, plain.ordWord() | Setup.UPPER | Setup.LOWER);
                            wire.send(reply);
                            MpaReplyCases.completePing(session.responded(wire, request, reply));
                        })
                .needs(Need.PEER_TO_PEER));
        cases.add(Case.must(
                        "setup.reply.no-kind",
                        "a Reply with A=1 and no kind that the client offered is refused with 2/0/07",
                        "SETUP-21",
                        session -> {
                            Wire wire = session.open();
                            StartupFrame request = session.awaitRequest(wire);
                            StartupFrame plain = Setup.reply(session.options(), request);
                            // A kind that the client did not offer, if there is one.
                            int kind = ~request.irdWord() & Setup.LOWER;
                            StartupFrame reply = words(
                                    plain, (plain.irdWord() & ~Setup.LOWER) | kind, plain.ordWord() & Setup.DEPTH_MASK);
                            wire.send(reply);
                            session.unready(wire, request, reply).expectReport("2/0/07");
                        })
                .needs(Need.PEER_TO_PEER));
    }

    private static void kind(List<Case> cases, String name, int bit, boolean inOrd, int opcode) {
        cases.add(Case.must(
                        "setup.ready." + name,
                        "if the Reply agrees to a " + name + ", the client's first message is one of zero bytes",
                        "SETUP-20 SETUP-6",
                        session -> {
                            Wire wire = session.open();
                            StartupFrame request = session.awaitRequest(wire);
                            int offered = inOrd ? request.ordWord() : request.irdWord();
                            if ((offered & bit) == 0) {
                                throw new CaseSkipped("the client does not offer a " + name);
                            }
                            StartupFrame plain = Setup.reply(session.options(), request);
                            int ird = plain.irdWord() & ~Setup.LOWER;
                            int ord = plain.ordWord() & Setup.DEPTH_MASK;
                            StartupFrame reply = words(plain, inOrd ? ird : ird | bit, inOrd ? ord | bit : ord);
                            wire.send(reply);
                            PeerStream stream = session.unready(wire, request, reply);
                            requireEmpty(stream, opcode);
                        })
                .needs(Need.PEER_TO_PEER));
    }

    private static void requireEmpty(PeerStream stream, int opcode) throws IOException, CaseFailed {
        Arrival arrival = stream.first();
        Segment segment = arrival.segment();
        if (segment == null || segment.opcode() != opcode) {
            throw stream.unexpected(arrival, "a " + Segment.name(opcode) + " of zero bytes");
        }
        boolean empty = opcode == Segment.READ_REQUEST
                ? ReadRequest.decode(segment.payload()).size() == 0
                : segment.payload().length == 0;
        if (!empty) {
            throw stream.unexpected(arrival, "a " + Segment.name(opcode) + " of zero bytes");
        }
        if (opcode == Segment.READ_REQUEST) {
            ReadRequest read = ReadRequest.decode(segment.payload());
            stream.send(Segment.tagged(Segment.READ_RESPONSE, read.sinkStag(), read.sinkOffset(), Bytes.NONE));
        }
        MpaReplyCases.completePing(stream);
    }

    private static int word(int word, int depth) {
        return (word & ~Setup.DEPTH_MASK) | depth;
    }

    private static StartupFrame words(StartupFrame reply, int irdWord, int ordWord) {
        return StartupFrame.reply(reply.flags(), reply.revision(), StartupFrame.depths(irdWord, ordWord));
    }
}
