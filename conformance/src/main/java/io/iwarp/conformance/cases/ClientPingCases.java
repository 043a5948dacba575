package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Advertisement;
import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.CaseFailed;
import io.iwarp.conformance.judge.CaseSkipped;
import io.iwarp.conformance.judge.PeerStream;
import io.iwarp.conformance.wire.Segment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Whole pings with a client: of many sizes, and with the answer written in segments. */
final class ClientPingCases {
    private static final int[] SIZES = {
        23, 24, 25, 26, 27, 28, 31, 32, 33, 63, 64, 65, 100, 474, 475, 476, 496, 497, 498, 512, 1000, 1024, 1436, 1437,
        1460, 4096, 16_384, 50_000, 65_535, 65_536, 65_537, 100_000, 131_073, 262_144, 1_000_000, 1_048_576
    };
    private static final int LONGEST_SEGMENT = 64_754;

    private ClientPingCases() {}

    /** {@return the cases} */
    static List<Case> all() {
        List<Case> cases = new ArrayList<>();
        for (int size : SIZES) {
            cases.add(Case.must(
                            "ping.size." + size,
                            "a text of " + size + " bytes is read and written back",
                            "RDMAP-17 RDMAP-22 RDMAP-32 RDMAP-62 RDMAP-66 DDP-24 DDP-26",
                            session -> {
                                if (size > session.options().greatestSize()) {
                                    throw new CaseSkipped("the client is asked for at most "
                                            + session.options().greatestSize() + " bytes: --size");
                                }
                                PeerStream stream = session.establish().awaitIdle();
                                Advertisement source = stream.pings().source();
                                if (source.size() != size) {
                                    throw new CaseSkipped("the client has " + source.size()
                                            + " bytes: {size} in COMMAND would choose " + size);
                                }
                                byte[] text = stream.pings().read(source);
                                stream.pings().goAhead();
                                write(stream, stream.pings().awaitAdvertisement(), text, LONGEST_SEGMENT);
                            })
                    .size(size));
        }
        for (int size : new int[] {1, 2, 3, 4, 7, 8, 16, 31, 32, 33, 63}) {
            cases.add(Case.must(
                    "ping.write." + size,
                    "a Write in segments of " + size + " bytes is one message",
                    "DDP-12 DDP-27 RDMAP-62",
                    session -> {
                        PeerStream stream = session.establish().awaitIdle();
                        byte[] text = stream.pings().read(stream.pings().source());
                        stream.pings().goAhead();
                        write(stream, stream.pings().awaitAdvertisement(), text, size);
                    }));
        }
        cases.add(Case.must(
                "ping.many",
                "pings in a row work, and the MSN of Sends and of Reads counts on",
                "DDP-21 RDMAP-36 RDMAP-66",
                session -> {
                    PeerStream stream = session.establish().awaitIdle();
                    stream.completePing();
                    stream.completePing();
                }));
        cases.add(Case.must(
                "ping.withheld",
                "while a client waits for \"go ahead\" it sends nothing",
                "RDMAP-66 RDMAP-71",
                session -> {
                    PeerStream stream = session.establish().awaitIdle();
                    session.expectSilence(stream.wire());
                    stream.completePing();
                }));
        return cases;
    }

    private static void write(PeerStream stream, Advertisement sink, byte[] text, int size)
            throws IOException, CaseFailed {
        for (int from = 0; from < text.length; from += size) {
            int to = Math.min(text.length, from + size);
            stream.send(
                    Segment.tagged(Segment.WRITE, sink.stag(), sink.offset() + from, Arrays.copyOfRange(text, from, to))
                            .last(to == text.length));
        }
        stream.pings().goAhead();
        stream.pings().expectNextPing();
    }
}
