package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.CaseFailed;
import io.iwarp.conformance.judge.Need;
import io.iwarp.conformance.judge.Session;
import io.iwarp.conformance.judge.Setup;
import io.iwarp.conformance.wire.StartupFrame;
import io.iwarp.conformance.wire.Wire;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** An MPA Reply that comes in pieces, late, not to its end, or not at all. */
final class MpaReplyPiecesCases {
    private static final Duration MAX_STARTUP = Duration.ofSeconds(30);

    private MpaReplyPiecesCases() {}

    private interface Sender {
        void send(Wire wire, byte[] reply) throws IOException;
    }

    /** Returns the cases. */
    static List<Case> all() {
        List<Case> cases = new ArrayList<>();
        for (int cut = 1; cut < StartupFrame.HEADER; cut++) {
            int at = cut;
            taken(
                    cases,
                    "mpa.reply.cut." + cut,
                    "a Reply that TCP cuts after byte " + cut + " is taken",
                    "MPA-48 MPA-51",
                    (wire, reply) -> wire.sendCut(reply, at, Duration.ofMillis(3), "the Reply"));
            cases.add(Case.must(
                    "mpa.reply.fin." + cut,
                    "a Reply that ends after byte " + cut + " with a FIN ends the connection",
                    "MPA-71 MPA-83",
                    session -> {
                        Wire wire = session.open();
                        byte[] reply = reply(session, wire);
                        wire.send(Arrays.copyOf(reply, at), "the first " + at + " bytes of a Reply");
                        wire.fin();
                        session.expectEnd(wire);
                    }));
        }
        taken(
                cases,
                "mpa.reply.singly",
                "a Reply that comes byte by byte is taken",
                "MPA-48 MPA-51",
                (wire, reply) -> wire.sendSingly(reply, Duration.ofMillis(1), "the Reply"));
        cases.add(Case.must(
                "mpa.reply.fin.0", "a FIN instead of a Reply ends the connection", "MPA-71 MPA-83", session -> {
                    Wire wire = session.open();
                    reply(session, wire);
                    wire.fin();
                    session.expectEnd(wire);
                }));
        cases.add(Case.must("mpa.reply.reset", "a RST instead of a Reply ends the client", "MPA-71 MPA-83", session -> {
            Wire wire = session.open();
            reply(session, wire);
            wire.reset();
            session.expectProgramEnds();
        }));
        cases.add(Case.should(
                        "mpa.reply.silence", "a client that gets no Reply gives up within 30 s", "MPA-75", session -> {
                            Wire wire = session.open();
                            reply(session, wire);
                            session.expectEnd(wire, MAX_STARTUP);
                        })
                .needs(Need.SLOW));
        return cases;
    }

    private static byte[] reply(Session session, Wire wire) throws IOException, CaseFailed {
        StartupFrame request = session.awaitRequest(wire);
        return Setup.reply(session.options(), request).encode();
    }

    private static void taken(List<Case> cases, String id, String title, String requirements, Sender sender) {
        cases.add(Case.must(id, title, requirements, session -> {
            Wire wire = session.open();
            StartupFrame request = session.awaitRequest(wire);
            StartupFrame reply = Setup.reply(session.options(), request);
            sender.send(wire, reply.encode());
            MpaReplyCases.completePing(session.responded(wire, request, reply));
        }));
    }
}
