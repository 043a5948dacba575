package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.CaseFailed;
import io.iwarp.conformance.judge.CaseSkipped;
import io.iwarp.conformance.judge.PeerStream;
import io.iwarp.conformance.judge.Setup;
import io.iwarp.conformance.wire.Arrival;
import io.iwarp.conformance.wire.Bytes;
import io.iwarp.conformance.wire.ReadRequest;
import io.iwarp.conformance.wire.Segment;
import io.iwarp.conformance.wire.StartupFrame;
import io.iwarp.conformance.wire.Wire;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** IRD, ORD and the flags A to D of an enhanced Request (RFC 6581 section 9). */
final class SetupRequestCases {
    private static final int[] DEPTHS = {0, 1, 2, 127, 128, 129, 256, 1000, 0x2000, 0x3FFE};
    private static final int IRD_FIELD = StartupFrame.HEADER;
    private static final int ORD_FIELD = StartupFrame.HEADER + 2;

    private SetupRequestCases() {}

    /** Returns the cases. */
    static List<Case> all() {
        List<Case> cases = new ArrayList<>();
        depths(cases);
        open(cases, false);
        open(cases, true);
        peerToPeer(cases);
        return cases;
    }

    private static void depths(List<Case> cases) {
        for (int depth : DEPTHS) {
            cases.add(Case.must(
                    "setup.request.ird." + depth,
                    "an IRD of " + depth + " in the Request is the most that the ORD of the Reply may be",
                    "SETUP-8 SETUP-5",
                    session -> {
                        PeerStream stream = session.initiate(request(depth, 1));
                        int ord = stream.reply().ordWord() & Setup.DEPTH_MASK;
                        MpaRequestCases.require(stream, ord <= depth, "ORD " + ord, "0 to " + depth, ORD_FIELD);
                        if (depth == 0) {
                            stream.send(stream.pings().takeAwaited());
                            Arrival arrival = stream.next();
                            if (arrival.is(Segment.READ_REQUEST)) {
                                throw stream.unexpected(arrival, "no Read: the IRD of the Request is 0");
                            }
                        } else {
                            stream.completePing();
                        }
                    }));
            cases.add(Case.must(
                    "setup.request.ord." + depth,
                    "an ORD of " + depth + " in the Request gets a Reply with an IRD, and a ping works",
                    "SETUP-7 SETUP-9 SETUP-27",
                    session -> {
                        PeerStream stream = session.initiate(request(Setup.DEPTH, depth));
                        int ird = stream.reply().irdWord() & Setup.DEPTH_MASK;
                        MpaRequestCases.require(
                                stream,
                                ird != Setup.NOT_NEGOTIATED,
                                "IRD 3FFF",
                                "a number: the Request has one",
                                IRD_FIELD);
                        stream.completePing();
                    }));
        }
        cases.add(Case.must(
                "setup.request.ird.16383",
                "an IRD of 3FFF in the Request asks for no agreement: the Reply has ORD 3FFF",
                "SETUP-14",
                session -> {
                    PeerStream stream = session.initiate(request(Setup.NOT_NEGOTIATED, 1));
                    int ord = stream.reply().ordWord() & Setup.DEPTH_MASK;
                    MpaRequestCases.require(stream, ord == Setup.NOT_NEGOTIATED, "ORD " + ord, "ORD 3FFF", ORD_FIELD);
                    stream.completePing();
                }));
        cases.add(Case.must(
                "setup.request.ord.16383",
                "an ORD of 3FFF in the Request asks for no agreement: the Reply has IRD 3FFF",
                "SETUP-13",
                session -> {
                    PeerStream stream = session.initiate(request(Setup.DEPTH, Setup.NOT_NEGOTIATED));
                    int ird = stream.reply().irdWord() & Setup.DEPTH_MASK;
                    MpaRequestCases.require(stream, ird == Setup.NOT_NEGOTIATED, "IRD " + ird, "IRD 3FFF", IRD_FIELD);
                    stream.completePing();
                }));
    }

    /** Depths on which nothing is to be agreed, in both directions, and in the peer-to-peer model. */
    private static void open(List<Case> cases, boolean peerToPeer) {
        cases.add(Case.must(
                "setup.request.open" + (peerToPeer ? ".peer-to-peer" : ""),
                "an IRD and an ORD of 3FFF ask for no agreement: the Reply has 3FFF twice",
                "SETUP-13 SETUP-14",
                session -> {
                    int first = peerToPeer ? Setup.UPPER : 0;
                    PeerStream stream =
                            session.initiate(request(first | Setup.NOT_NEGOTIATED, first | Setup.NOT_NEGOTIATED));
                    int ird = stream.reply().irdWord() & Setup.DEPTH_MASK;
                    int ord = stream.reply().ordWord() & Setup.DEPTH_MASK;
                    MpaRequestCases.require(stream, ird == Setup.NOT_NEGOTIATED, "IRD " + ird, "IRD 3FFF", IRD_FIELD);
                    MpaRequestCases.require(stream, ord == Setup.NOT_NEGOTIATED, "ORD " + ord, "ORD 3FFF", ORD_FIELD);
                    if (!peerToPeer) {
                        stream.completePing();
                    }
                }));
    }

    /** Returns the bits B, C and D of a Reply, as those of a word: 4, 2, 1. */
    private static int kinds(StartupFrame reply) {
        return ((reply.irdWord() & Setup.LOWER) != 0 ? 4 : 0)
                | ((reply.ordWord() & Setup.UPPER) != 0 ? 2 : 0)
                | ((reply.ordWord() & Setup.LOWER) != 0 ? 1 : 0);
    }

    private static StartupFrame request(int kinds) {
        return request(
                Setup.UPPER | ((kinds & 4) != 0 ? Setup.LOWER : 0) | 1,
                ((kinds & 2) != 0 ? Setup.UPPER : 0) | ((kinds & 1) != 0 ? Setup.LOWER : 0) | 1);
    }

    private static void peerToPeer(List<Case> cases) {
        for (int alone : new int[] {1, 2, 4, 3, 5, 6}) {
            cases.add(Case.should(
                    "setup.request.peer-to-peer.kinds." + alone,
                    "a Reply has all kinds of ready-to-receive messages that are asked for and that the peer takes ("
                            + alone + ")",
                    "SETUP-18",
                    session -> {
                        int all = kinds(session.initiate(request(7)).reply());
                        PeerStream stream = session.initiate(request(alone));
                        int missing = alone & all & ~kinds(stream.reply());
                        MpaRequestCases.require(
                                stream, missing == 0, "no kind " + missing, "what is set if all are", IRD_FIELD);
                    }));
        }
        for (int kinds = 1; kinds < 8; kinds++) {
            int send = (kinds & 4) != 0 ? Setup.LOWER : 0;
            int others = ((kinds & 2) != 0 ? Setup.UPPER : 0) | ((kinds & 1) != 0 ? Setup.LOWER : 0);
            String name = ((kinds & 4) != 0 ? "b" : "") + ((kinds & 2) != 0 ? "c" : "") + ((kinds & 1) != 0 ? "d" : "");
            cases.add(Case.must(
                    "setup.request.peer-to-peer." + name,
                    "a Request with A=1 that offers " + name.toUpperCase(Locale.ROOT)
                            + " gets a Reply with A=1 and at least one of B, C, D",
                    "SETUP-17 SETUP-18 SETUP-19",
                    session -> {
                        PeerStream stream = session.initiate(request(Setup.UPPER | send | 1, others | 1));
                        boolean agreed = (stream.reply().irdWord() & Setup.UPPER) != 0;
                        MpaRequestCases.require(stream, agreed, "A=0", "A=1", IRD_FIELD);
                        int offered = (stream.reply().irdWord() & Setup.LOWER)
                                | (stream.reply().ordWord() & (Setup.UPPER | Setup.LOWER));
                        MpaRequestCases.require(
                                stream, offered != 0, "none of B, C, D", "at least one of B, C, D", IRD_FIELD);
                    }));
            if (kinds != 0) {
                cases.add(Case.must(
                        "setup.request.client-server." + name,
                        "with A=0 the bits " + name.toUpperCase(Locale.ROOT)
                                + " of a Request mean nothing: the Reply has A=0, and a ping works",
                        "SETUP-16",
                        session -> {
                            PeerStream stream = session.initiate(request(send | 1, others | 1));
                            boolean agreed = (stream.reply().irdWord() & Setup.UPPER) != 0;
                            MpaRequestCases.require(stream, !agreed, "A=1", "A=0", IRD_FIELD);
                            stream.completePing();
                        }));
            }
        }
        ready(
                cases,
                "write",
                Setup.UPPER,
                true,
                stream -> stream.send(Segment.tagged(Segment.WRITE, 1, 0, Bytes.NONE)));
        cases.add(Case.must(
                "setup.ready.read.without-ord",
                "a Read is taken as ready-to-receive message even if the Request has ORD 0",
                "SETUP-9 SETUP-20",
                session -> {
                    StartupFrame request = request(Setup.UPPER | 1, Setup.LOWER);
                    Wire wire = session.open();
                    wire.send(request);
                    StartupFrame reply = session.awaitReply(wire);
                    if (!reply.enhanced() || (reply.ordWord() & Setup.LOWER) == 0) {
                        throw new CaseSkipped("the peer does not agree to a read");
                    }
                    Wire.pause(session.options().firstFpduDelay());
                    PeerStream stream = session.unready(wire, request, reply);
                    stream.send(Segment.readRequest(stream.takeReadMsn(), new ReadRequest(1, 0, 0, 1, 0)));
                    stream.expect(Segment.READ_RESPONSE);
                    stream.completePing();
                }));
        ready(cases, "read", Setup.LOWER, true, stream -> {
            stream.send(Segment.readRequest(stream.takeReadMsn(), new ReadRequest(1, 0, 0, 1, 0)));
            stream.expect(Segment.READ_RESPONSE);
        });
        ready(cases, "send", Setup.LOWER, false, stream -> stream.send(Segment.send(stream.takeMsn(), Bytes.NONE)));
    }

    private interface Ready {
        void send(PeerStream stream) throws IOException, CaseFailed;
    }

    /** The initiator's first message, if the peer agrees to this kind. */
    private static void ready(List<Case> cases, String name, int bit, boolean inOrd, Ready ready) {
        cases.add(Case.must(
                "setup.ready." + name,
                "the ready-to-receive message is a " + name
                        + " of zero bytes: no data, no completion, and a ping works",
                "SETUP-20 SETUP-28",
                session -> {
                    StartupFrame request =
                            inOrd ? request(Setup.UPPER | 1, bit | 1) : request(Setup.UPPER | bit | 1, 1);
                    Wire wire = session.open();
                    wire.send(request);
                    StartupFrame reply = session.awaitReply(wire);
                    int words = reply.enhanced() ? (inOrd ? reply.ordWord() : reply.irdWord()) : 0;
                    if ((words & bit) == 0) {
                        throw new CaseSkipped("the peer does not agree to a " + name);
                    }
                    Wire.pause(session.options().firstFpduDelay());
                    PeerStream stream = session.unready(wire, request, reply);
                    ready.send(stream);
                    stream.completePing();
                    stream.completePing();
                }));
    }

    private static StartupFrame request(int irdWord, int ordWord) {
        return StartupFrame.request(StartupFrame.CRC | StartupFrame.ENHANCED, 2, StartupFrame.depths(irdWord, ordWord));
    }
}
