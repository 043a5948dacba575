package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.CaseFailed;
import io.iwarp.conformance.judge.Command;
import io.iwarp.conformance.judge.PeerMemory;
import io.iwarp.conformance.judge.PeerStream;
import io.iwarp.conformance.judge.Role;
import io.iwarp.conformance.judge.Session;
import io.iwarp.conformance.wire.Arrival;
import io.iwarp.conformance.wire.Segment;
import io.iwarp.conformance.wire.TerminateMessage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The end of a connection by FIN, RST or Terminate, in each state of a ping. */
final class TeardownCases {
    private static final int PINGS = 20;

    private TeardownCases() {}

    private interface State {
        PeerStream reach(Session session) throws IOException, CaseFailed;
    }

    /** Returns the cases. */
    static List<Case> all(Role role) {
        List<Case> cases = new ArrayList<>();
        if (role == Role.CLIENT) {
            ownEnd(cases);
        }
        ends(cases, "set-up", "right after the set-up", Session::establish);
        ends(
                cases,
                "validated",
                "after the first FPDU",
                session -> session.establish().awaitIdle());
        ends(cases, "reading", "with memory of the peer in use", session -> PeerMemory.readable(session).stream());
        ends(cases, "writing", "before the answer of a ping", session -> PeerMemory.writable(session).stream());
        ends(cases, "between", "after a whole ping", session -> {
            PeerStream stream = session.establish().awaitIdle();
            stream.completePing();
            return stream;
        });
        ends(cases, "inside", "inside a Send of several segments", session -> {
            PeerStream stream = session.establish().awaitIdle();
            stream.send(Segment.send(stream.takeMsn(), new byte[8]).last(false));
            return stream;
        });
        return cases;
    }

    private static void ownEnd(List<Case> cases) {
        cases.add(Case.should(
                "teardown.own-end",
                "a client that has made all its pings ends the connection with a FIN, and is over after the one of the"
                        + " server",
                "DDP-43 DDP-47 MPA-81",
                session -> {
                    PeerStream stream = session.establish().awaitIdle();
                    for (int i = 1; i < Command.COUNT; i++) {
                        stream.completePing();
                    }
                    PeerMemory last = PeerMemory.writable(stream);
                    last.write(0, last.text());
                    stream.pings().goAhead();
                    Arrival arrival = stream.next();
                    if (arrival.kind() != Arrival.Kind.FIN) {
                        throw stream.unexpected(arrival, "the end of the connection (FIN)");
                    }
                    stream.wire().fin();
                    session.expectProgramEnds();
                }));
    }

    private static void ends(List<Case> cases, String name, String when, State state) {
        cases.add(Case.must(
                "teardown.fin." + name,
                "a FIN " + when + " ends the connection without a Terminate",
                "DDP-47 MPA-82 MPA-83",
                session -> {
                    PeerStream stream = state.reach(session);
                    stream.wire().fin();
                    bareEnd(session, stream);
                }));
        cases.add(Case.should(
                "teardown.fin.prompt." + name,
                "a FIN " + when + " ends the connection while the peer has time for " + PINGS + " pings on another one",
                "DDP-47 MPA-83",
                session -> {
                    PeerStream stream = state.reach(session);
                    stream.wire().fin();
                    PeerStream other = null;
                    // Pings, and not time alone: a busy peer is slow in both.
                    for (int i = 0; i < PINGS; i++) {
                        Arrival arrival = stream.wire().next(session.options().quiet());
                        if (arrival.kind() == Arrival.Kind.FIN) {
                            return;
                        }
                        if (arrival.ended()) {
                            throw stream.unexpected(arrival, "the end of the connection (FIN)");
                        }
                        other = other == null ? session.establish().awaitIdle() : other;
                        other.completePing();
                    }
                    throw new CaseFailed("the connection stays", "its end");
                }));
        cases.add(Case.must(
                "teardown.reset." + name,
                "a RST " + when + " ends a client, and a server serves on",
                "MPA-83 DDP-49 DDP-50",
                session -> {
                    PeerStream stream = state.reach(session);
                    stream.wire().reset();
                    session.expectProgramEnds();
                }));
        cases.add(Case.must(
                "teardown.terminate." + name,
                "a Terminate " + when + " ends the connection, and is not answered",
                "RDMAP-44 RDMAP-46",
                session -> {
                    PeerStream stream = state.reach(session);
                    stream.send(Segment.terminate(TerminateMessage.bare(0, 0, 0).encode()));
                    bareEnd(session, stream);
                }));
    }

    /** What the peer had sent before may still come, but no Terminate. */
    private static void bareEnd(Session session, PeerStream stream) throws IOException, CaseFailed {
        Arrival arrival = stream.next();
        // A client's advertisement, in one segment or in several.
        while (!session.peerIsServer() && arrival.isSend()) {
            arrival = stream.next();
        }
        if (!arrival.ended()) {
            throw stream.unexpected(arrival, "the end of the connection");
        }
    }
}
