package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.CaseSkipped;
import io.iwarp.conformance.judge.PeerStream;
import io.iwarp.conformance.judge.Pings;
import io.iwarp.conformance.wire.ReadRequest;
import io.iwarp.conformance.wire.Segment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Whole pings with a server: of many sizes, and with its Reads answered in segments. */
final class ServerPingCases {
    private static final int[] SIZES = {
        1, 2, 3, 4, 5, 6, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 473, 474, 475, 476, 477, 494, 495, 496, 497,
        498, 511, 512, 513, 1023, 1024, 1025, 1435, 1436, 1437, 1448, 1460, 2048, 4095, 4096, 16_384, 32_768, 50_000,
        65_000, 65_535, 65_536, 65_537, 100_000, 131_073, 262_144, 1_000_000, 1_048_576
    };
    private static final int[] SEGMENTS = {1, 2, 3, 4, 5, 7, 8, 9, 16, 31, 32, 33, 63};
    private static final int LONGEST_SEGMENT = 64_754;

    private ServerPingCases() {}

    /** {@return the cases} */
    static List<Case> all() {
        List<Case> cases = new ArrayList<>();
        for (int size : SIZES) {
            cases.add(Case.must(
                    "ping.size." + size,
                    "a text of " + size + " bytes is read and written back",
                    "RDMAP-17 RDMAP-18 RDMAP-30 RDMAP-62 RDMAP-66 DDP-26 DDP-27",
                    session -> {
                        if (size > session.options().greatestSize()) {
                            throw new CaseSkipped("the server takes at most "
                                    + session.options().greatestSize() + " bytes: --size tells of more");
                        }
                        PeerStream stream = session.establish().awaitIdle();
                        byte[] text = Pings.text(size);
                        ReadRequest read = stream.pings().advertise(size);
                        respond(stream, read, text, LONGEST_SEGMENT);
                        stream.pings().expectGoAhead();
                        stream.pings().takeBack(text);
                    }));
        }
        for (int size : SEGMENTS) {
            cases.add(Case.must(
                    "ping.response." + size,
                    "a Read Response in segments of " + size + " bytes is one message",
                    "RDMAP-30 RDMAP-70 DDP-12 DDP-27 DDP-37",
                    session -> {
                        PeerStream stream = session.establish().awaitIdle();
                        byte[] text = Pings.text(Case.DEFAULT_SIZE);
                        ReadRequest read = stream.pings().advertise(text.length);
                        respond(stream, read, text, size);
                        stream.pings().expectGoAhead();
                        stream.pings().takeBack(text);
                    }));
        }
        cases.add(Case.must(
                "ping.response.empty-last",
                "a Read Response whose last segment is empty is one message",
                "DDP-12 DDP-37 RDMAP-70",
                session -> {
                    PeerStream stream = session.establish().awaitIdle();
                    byte[] text = Pings.text(Case.DEFAULT_SIZE);
                    ReadRequest read = stream.pings().advertise(text.length);
                    stream.send(Segment.tagged(Segment.READ_RESPONSE, read.sinkStag(), read.sinkOffset(), text)
                            .last(false));
                    stream.send(Segment.tagged(
                            Segment.READ_RESPONSE, read.sinkStag(), read.sinkOffset() + text.length, new byte[0]));
                    stream.pings().expectGoAhead();
                    stream.pings().takeBack(text);
                }));
        cases.add(Case.must(
                "ping.many",
                "twenty pings in a row work, and the MSN of Sends and of Reads counts on",
                "DDP-21 RDMAP-36 RDMAP-66",
                session -> {
                    PeerStream stream = session.establish().awaitIdle();
                    for (int i = 0; i < 20; i++) {
                        stream.completePing();
                    }
                }));
        cases.add(Case.must(
                "ping.withheld",
                "while a Read is not answered the server sends no more of them, and no answer",
                "RDMAP-73 RDMAP-63",
                session -> {
                    PeerStream stream = session.establish().awaitIdle();
                    byte[] text = Pings.text(Case.DEFAULT_SIZE);
                    ReadRequest read = stream.pings().advertise(text.length);
                    session.expectSilence(stream.wire());
                    stream.pings().respond(read, text);
                    stream.pings().expectGoAhead();
                    stream.pings().takeBack(text);
                }));
        return cases;
    }

    private static void respond(PeerStream stream, ReadRequest read, byte[] text, int size) throws IOException {
        for (int from = 0; from < text.length; from += size) {
            int to = Math.min(text.length, from + size);
            stream.send(Segment.tagged(
                            Segment.READ_RESPONSE,
                            read.sinkStag(),
                            read.sinkOffset() + from,
                            Arrays.copyOfRange(text, from, to))
                    .last(to == text.length));
        }
    }
}
