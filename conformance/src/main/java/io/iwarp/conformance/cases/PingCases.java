package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.CaseFailed;
import io.iwarp.conformance.judge.CaseSkipped;
import io.iwarp.conformance.judge.Need;
import io.iwarp.conformance.judge.PeerStream;
import io.iwarp.conformance.judge.Pings;
import io.iwarp.conformance.judge.Role;
import io.iwarp.conformance.judge.Session;
import io.iwarp.conformance.wire.ReadRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Whole pings: of many sizes, many in a row, and with the Reads of a server answered in segments. */
final class PingCases {
    private static final int[] SIZES = {
        1, 2, 3, 4, 5, 6, 7, 8, 15, 16, 17, 23, 24, 25, 26, 27, 28, 31, 32, 33, 63, 64, 65, 100, 473, 474, 475, 476,
        477, 494, 495, 496, 497, 498, 511, 512, 513, 1000, 1023, 1024, 1025, 1435, 1436, 1437, 1448, 1460, 2048, 4095,
        4096, 16_384, 32_768, 50_000, 64_753, 64_754, 64_755, 65_000, 65_535, 65_536, 65_537, 100_000, 131_073, 262_144,
        1_000_000, 1_048_576
    };
    private static final int[] SEGMENTS = {1, 2, 3, 4, 5, 7, 8, 9, 16, 31, 32, 33, 63};
    /** rping's client takes no less. */
    private static final int MIN_OF_CLIENT = 23;

    private static final int[] MANY = {20, 300, 33_000};

    private PingCases() {}

    /** Returns the cases. */
    static List<Case> all(Role role) {
        List<Case> cases = new ArrayList<>();
        int least = role == Role.SERVER ? 1 : MIN_OF_CLIENT;
        IntStream.of(SIZES).filter(size -> size >= least).forEach(size -> {
            Case test = Case.must(
                    "ping.size." + size,
                    "a text of " + size + " bytes is read and written back",
                    "RDMAP-17 RDMAP-18 RDMAP-22 RDMAP-30 RDMAP-32 RDMAP-62 RDMAP-66 DDP-24 DDP-26 DDP-27",
                    session -> ping(session, size));
            cases.add(role == Role.SERVER ? test : test.size(size));
        });
        for (int count : MANY) {
            Case many = Case.onIdle(
                    "ping.many." + count,
                    count + " pings in a row work, and the MSN of Sends and of Reads counts on",
                    "DDP-21 RDMAP-36 RDMAP-66",
                    stream -> {
                        for (int i = 0; i < count; i++) {
                            stream.completePing();
                        }
                    });
            // The last count leads to more Sends than the MSN has values in 16 bits.
            cases.add(count == MANY[MANY.length - 1] ? many.needs(Need.SLOW) : many);
        }
        if (role == Role.SERVER) {
            responses(cases);
        } else {
            cases.add(Case.must(
                    "ping.withheld",
                    "while a client waits for \"go ahead\" it sends nothing",
                    "RDMAP-66 RDMAP-71",
                    session -> {
                        PeerStream stream = session.establish().awaitIdle();
                        session.expectSilence(stream.wire());
                        stream.completePing();
                    }));
        }
        return cases;
    }

    private static void ping(Session session, int size) throws IOException, CaseFailed, CaseSkipped {
        session.requireSize(size);
        PeerStream stream = session.establish().awaitIdle();
        if (session.peerIsServer()) {
            stream.pings().ping(Pings.text(size));
        } else if (stream.pings().source().size() != size) {
            throw new CaseSkipped("the client has " + stream.pings().source().size()
                    + " bytes: {size} in COMMAND would choose another size");
        } else {
            stream.completePing();
        }
    }

    private static void responses(List<Case> cases) {
        for (int size : SEGMENTS) {
            cases.add(Case.must(
                    "ping.response." + size,
                    "a Read Response in segments of " + size + " bytes is one message",
                    "RDMAP-30 RDMAP-70 DDP-12 DDP-27 DDP-37",
                    session -> session.establish().awaitIdle().pings().pingInSegments(Case.DEFAULT_SIZE, size)));
        }
        answered(
                cases,
                "withheld",
                "while a Read is not answered the server sends no more of them, and no answer",
                "RDMAP-73 RDMAP-63",
                (session, stream, read, text) -> {
                    session.expectSilence(stream.wire());
                    stream.pings().respond(read, text);
                });
    }

    private interface Answer {
        void send(Session session, PeerStream stream, ReadRequest read, byte[] text) throws IOException, CaseFailed;
    }

    private static void answered(List<Case> cases, String name, String title, String requirements, Answer answer) {
        cases.add(Case.must("ping." + name, title, requirements, session -> {
            PeerStream stream = session.establish().awaitIdle();
            byte[] text = Pings.text(Case.DEFAULT_SIZE);
            answer.send(session, stream, stream.pings().advertise(text.length), text);
            stream.pings().expectGoAhead();
            stream.pings().takeBack(text);
        }));
    }
}
