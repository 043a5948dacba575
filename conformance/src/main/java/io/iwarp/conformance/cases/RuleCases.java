package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.CaseFailed;
import io.iwarp.conformance.judge.Need;
import io.iwarp.conformance.judge.PeerStream;
import io.iwarp.conformance.judge.Pings;
import io.iwarp.conformance.judge.Role;
import io.iwarp.conformance.judge.Session;
import io.iwarp.conformance.wire.Bytes;
import io.iwarp.conformance.wire.ReadRequest;
import io.iwarp.conformance.wire.Rule;
import io.iwarp.conformance.wire.Segment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** What all that the peer sends has to obey: exchanges that show much of it, and a case for each rule. */
final class RuleCases {
    private static final int[] SIZES = {1, 2, 3, 5, 64};
    private static final int LONG = 5000;
    private static final Set<Rule> OF_MARKERS =
            Set.of(Rule.FIRST_MARKER_IS_ZERO, Rule.MARKER_POINTS_BACK, Rule.MARKER_RESERVED_IS_ZERO);

    private RuleCases() {}

    /** Returns the cases; those of the rules tell of what came in all others. */
    static List<Case> all(Role role) {
        List<Case> cases = new ArrayList<>();
        cases.add(Case.must(
                        "rule.pings",
                        "messages of many sizes come, and the connection ends in order",
                        "RDMAP-17 DDP-26 DDP-47",
                        RuleCases::pings)
                .size(role == Role.CLIENT ? LONG : Case.DEFAULT_SIZE));
        error(cases, "untagged", Segment.untagged(Segment.SEND, 77, 1, Bytes.NONE));
        error(cases, "tagged", Segment.tagged(Segment.WRITE, 0, 0, new byte[1]));
        error(cases, "read", Segment.readRequest(1, new ReadRequest(1, 1, 1, 0, 0)));
        for (Rule rule : Rule.values()) {
            Case test = Case.of(rule);
            cases.add(
                    OF_MARKERS.contains(rule)
                            ? test.needs(Need.MARKERS_FROM_PEER)
                            : rule == Rule.CRC_IS_RIGHT ? test.needs(Need.CRC) : test);
        }
        return cases;
    }

    private static void pings(Session session) throws IOException, CaseFailed {
        PeerStream stream = session.establish().awaitIdle();
        Pings pings = stream.pings();
        if (session.peerIsServer()) {
            for (int size : SIZES) {
                pings.ping(Pings.text(size));
            }
            pings.ping(Pings.text(
                    Math.max(Case.DEFAULT_SIZE, Math.min(LONG, session.options().maxSize()))));
            stream.wire().fin();
            stream.expectBareEnd();
            return;
        }
        for (int part : SIZES) {
            if (part <= pings.source().size()) {
                stream.send(Segment.readRequest(
                        stream.takeReadMsn(),
                        new ReadRequest(
                                PeerStream.SINK_STAG,
                                PeerStream.BASE,
                                part,
                                pings.source().stag(),
                                pings.source().offset())));
                pings.expectResponse(PeerStream.SINK_STAG, PeerStream.BASE, part);
            }
        }
        pings.serve();
        pings.serve();
        stream.wire().fin();
        stream.expectBareEnd();
    }

    private static void error(List<Case> cases, String name, Segment wrong) {
        cases.add(Case.onIdle(
                "rule.error." + name,
                "an error of a segment (" + name + ") is answered by a Terminate, and nothing follows it",
                "RDMAP-53 RDMAP-45",
                stream -> {
                    stream.send(wrong.opcode() == Segment.READ_REQUEST ? wrong.msn(stream.nextReadMsn()) : wrong);
                    stream.expect(Segment.TERMINATE);
                    stream.expectBareEnd();
                }));
    }
}
