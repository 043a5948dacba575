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
import java.util.Locale;
import java.util.Set;

/** What all that the peer sends has to obey: each case holds one rule against pings of some sizes and what ends them. */
final class RuleCases {
    private static final int[] SIZES = {1, 2, 3, 5, 64};
    private static final int LONG = 5000;
    private static final Set<Rule> OF_MARKERS =
            Set.of(Rule.FIRST_MARKER_IS_ZERO, Rule.MARKER_POINTS_BACK, Rule.MARKER_RESERVED_IS_ZERO);
    private static final Set<Rule> OF_TERMINATES = Set.of(
            Rule.TERMINATE_RESERVED_IS_ZERO, Rule.TERMINATE_HAS_WHAT_ITS_BITS_SAY, Rule.NOTHING_FOLLOWS_TERMINATE);

    private RuleCases() {}

    /** {@return the cases} */
    static List<Case> all(Role role) {
        List<Case> cases = new ArrayList<>();
        for (Rule rule : Rule.values()) {
            String name = rule.name().toLowerCase(Locale.ROOT).replace('_', '-');
            String requirements = String.join(" ", rule.requirements());
            Case test = OF_TERMINATES.contains(rule)
                    ? Case.must("rule." + name, "after an error of the suite " + rule.text(), requirements, session -> {
                        afterErrors(session, rule);
                    })
                    : Case.must("rule." + name, "during pings " + rule.text(), requirements, session -> {
                                duringPings(session, rule);
                            })
                            .size(role == Role.CLIENT ? LONG : Case.DEFAULT_SIZE);
            if (OF_MARKERS.contains(rule)) {
                test = test.needs(Need.MARKERS_FROM_PEER);
            } else if (rule == Rule.CRC_IS_RIGHT) {
                test = test.needs(Need.CRC);
            }
            cases.add(test);
        }
        return cases;
    }

    private static void duringPings(Session session, Rule rule) throws IOException, CaseFailed {
        PeerStream stream = session.establish().awaitIdle();
        try {
            pings(session, stream);
        } catch (CaseFailed e) {
            // The cases of pings tell of it.
            session.dialogue().remark("the pings end early: " + e.getMessage());
        }
        stream.require(rule);
    }

    private static void pings(Session session, PeerStream stream) throws IOException, CaseFailed {
        Pings pings = stream.pings();
        if (session.peerIsServer()) {
            for (int size : SIZES) {
                pings.ping(Pings.text(size));
            }
            pings.ping(Pings.text(
                    Math.max(Case.DEFAULT_SIZE, Math.min(LONG, session.options().greatestSize()))));
            stream.wire().fin();
            stream.expectBareEnd();
            return;
        }
        long size = pings.source().size();
        for (int part : SIZES) {
            if (part <= size) {
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
    }

    private static void afterErrors(Session session, Rule rule) throws IOException, CaseFailed {
        Segment[] errors = {
            Segment.untagged(Segment.SEND, 77, 1, Bytes.NONE),
            Segment.tagged(Segment.WRITE, 0, 0, new byte[1]),
            Segment.readRequest(1, new ReadRequest(1, 1, 1, 0, 0)),
        };
        // A client is started for each of them.
        int count = session.peerIsServer() ? errors.length : 1;
        for (int i = 0; i < count; i++) {
            PeerStream stream = session.establish().awaitIdle();
            stream.send(errors[i].opcode() == Segment.READ_REQUEST ? errors[i].msn(stream.nextReadMsn()) : errors[i]);
            while (stream.next().segment() != null) {
                stream.require(rule);
            }
            stream.require(rule);
        }
    }
}
