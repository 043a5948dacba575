package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.CaseFailed;
import io.iwarp.conformance.judge.Need;
import io.iwarp.conformance.judge.Session;
import io.iwarp.conformance.judge.Setup;
import io.iwarp.conformance.wire.Bytes;
import io.iwarp.conformance.wire.StartupFrame;
import io.iwarp.conformance.wire.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** An MPA Request that comes in pieces, or not to its end. */
final class MpaRequestPiecesCases {
    private static final Duration MAX_STARTUP = Duration.ofSeconds(30);
    /** Fewer than a Request has. */
    private static final int SLOW_BYTES = 15;

    private static final int PRIVATE_DATA = 4;

    private MpaRequestPiecesCases() {}

    /** Returns the cases. */
    static List<Case> all() {
        List<Case> cases = new ArrayList<>();
        for (int cut = 1; cut < StartupFrame.HEADER + PRIVATE_DATA; cut++) {
            int at = cut;
            cases.add(Case.must(
                    "mpa.request.cut." + cut,
                    "a Request that TCP cuts after byte " + cut + " is taken",
                    "MPA-48 MPA-51",
                    session -> {
                        Wire wire = session.open();
                        StartupFrame request = request(session);
                        wire.sendCut(request.encode(), at, session.options().gap(), request.describe());
                        session.initiated(wire, request).completePing();
                    }));
            cases.add(Case.must(
                    "mpa.request.fin." + cut,
                    "a Request that ends after byte " + cut + " with a FIN is not answered",
                    "MPA-66 MPA-83",
                    session -> {
                        Wire wire = session.open();
                        wire.send(
                                Arrays.copyOf(request(session).encode(), at),
                                "the first " + at + " bytes of a Request");
                        wire.fin();
                        session.expectEnd(wire);
                    }));
        }
        cases.add(Case.must(
                "mpa.request.singly", "a Request that comes byte by byte is taken", "MPA-48 MPA-51", session -> {
                    Wire wire = session.open();
                    StartupFrame request = request(session);
                    wire.sendSingly(request.encode(), Duration.ofMillis(1), request.describe());
                    session.initiated(wire, request).completePing();
                }));
        cases.add(Case.must(
                "mpa.request.fin.0",
                "a connection without a Request ends with the peer's FIN",
                "MPA-65 MPA-83",
                session -> {
                    Wire wire = session.open();
                    wire.fin();
                    session.expectEnd(wire);
                }));
        cases.add(Case.must(
                "mpa.request.fin.private",
                "a Request that announces 512 bytes of private data and ends after 10 is not answered",
                "MPA-76 MPA-83",
                session -> {
                    Wire wire = session.open();
                    wire.send(
                            Setup.plainRequest(session.options(), new byte[10])
                                    .withLength(512)
                                    .encode(),
                            "a Request with 10 of 512 bytes of private data");
                    wire.fin();
                    session.expectEnd(wire);
                }));
        cases.add(Case.should(
                        "mpa.request.silence",
                        "a peer that hears nothing gives up within 30 s",
                        "MPA-75 SEC-27",
                        session -> session.expectEnd(session.open(), MAX_STARTUP))
                .needs(Need.SLOW));
        cases.add(Case.should(
                        "mpa.request.stall",
                        "a peer that hears half a Request gives up within 30 s",
                        "MPA-75 SEC-27",
                        session -> {
                            Wire wire = session.open();
                            wire.send(Arrays.copyOf(request(session).encode(), 10), "the first 10 bytes of a Request");
                            session.expectEnd(wire, MAX_STARTUP);
                        })
                .needs(Need.SLOW));
        cases.add(Case.should(
                        "mpa.request.slow",
                        "a peer that hears a byte of a Request every 2 s gives up within 30 s",
                        "MPA-75 SEC-27",
                        session -> {
                            Wire wire = session.open();
                            byte[] request = request(session).encode();
                            for (int i = 0; i < SLOW_BYTES; i++) {
                                wire.send(new byte[] {request[i]}, "byte " + i + " of a Request");
                                if (wire.nextFrame(MAX_STARTUP.dividedBy(SLOW_BYTES))
                                        .ended()) {
                                    return;
                                }
                            }
                            throw new CaseFailed("the connection stays", "its end within 30 s");
                        })
                .needs(Need.SLOW));
        return cases;
    }

    private static StartupFrame request(Session session) {
        return session.options().enhanced()
                ? Setup.request(session.options())
                : Setup.plainRequest(session.options(), Bytes.pattern(PRIVATE_DATA));
    }
}
