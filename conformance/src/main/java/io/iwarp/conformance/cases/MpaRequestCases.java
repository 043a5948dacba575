package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.CaseFailed;
import io.iwarp.conformance.judge.PeerStream;
import io.iwarp.conformance.judge.Session;
import io.iwarp.conformance.judge.Setup;
import io.iwarp.conformance.judge.SuiteOptions;
import io.iwarp.conformance.wire.Arrival;
import io.iwarp.conformance.wire.Bytes;
import io.iwarp.conformance.wire.FpduChange;
import io.iwarp.conformance.wire.Segment;
import io.iwarp.conformance.wire.StartupFrame;
import io.iwarp.conformance.wire.Wire;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The fields of an MPA Request, right and wrong, and what the peer makes of them. */
final class MpaRequestCases {
    private static final int[] LENGTHS = {
        0, 1, 2, 3, 4, 5, 7, 8, 63, 127, 128, 251, 252, 255, 256, 257, 258, 508, 511, 512
    };
    private static final int[] ENHANCED_LENGTHS = {0, 1, 2, 3, 4, 127, 247, 248, 251, 252, 253, 507, 508};
    private static final int[] TOO_LONG = {513, 514, 768, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_535};
    private static final int[] OTHER_REVISIONS = {0, 3, 4, 127, 128, 255};
    private static final int[] RESERVED = {0x10, 0x08, 0x04, 0x02, 0x01, 0x1F};
    private static final int[] ENHANCED_RESERVED = {0x08, 0x04, 0x02, 0x01, 0x0F};

    private MpaRequestCases() {}

    /** Returns the cases. */
    static List<Case> all() {
        List<Case> cases = new ArrayList<>();
        keys(cases);
        revisions(cases);
        flags(cases);
        markersAndCrc(cases);
        privateData(cases);
        trailing(cases);
        reply(cases);
        return cases;
    }

    private static void keys(List<Case> cases) {
        for (int i = 0; i < StartupFrame.KEY; i++) {
            int wrong = i;
            cases.add(Case.must(
                    "mpa.request.key." + i,
                    "a Request whose key differs in byte " + i + " is not answered: the connection ends",
                    "MPA-54 MPA-66 MPA-73 MPA-86",
                    session -> {
                        byte[] key = Setup.request(session.options()).key().clone();
                        // 0x20 exchanges upper and lower case, and space and NUL.
                        key[wrong] ^= (byte) (wrong % 2 == 0 ? 1 : 0x20);
                        refused(
                                session,
                                Setup.request(session.options()).withKey(key).encode(),
                                "a Request with another key");
                    }));
        }
        cases.add(Case.must(
                "mpa.request.key.reply",
                "a frame with the key of a Reply is not answered: two initiators or a confused peer",
                "MPA-54 MPA-74",
                session -> refused(
                        session, StartupFrame.reply(0, 1, Bytes.NONE).encode(), "a Reply instead of a Request")));
        cases.add(Case.must(
                "mpa.request.http",
                "a request of HTTP ends the connection without an MPA Reply",
                "MPA-54 MPA-66",
                session -> refused(
                        session,
                        "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII),
                        "a request of HTTP")));
        cases.add(Case.must(
                "mpa.request.zeros",
                "20 zero bytes end the connection without an MPA Reply",
                "MPA-54 MPA-66",
                session -> refused(session, new byte[StartupFrame.HEADER], "20 zero bytes")));
    }

    private static void revisions(List<Case> cases) {
        for (int revision : OTHER_REVISIONS) {
            cases.add(Case.must(
                    "mpa.request.revision." + revision,
                    "a Request of revision " + revision + " is refused: the connection ends, or a Reply rejects it",
                    "MPA-60 MPA-66",
                    session -> {
                        Wire wire = session.open();
                        wire.send(Setup.plainRequest(session.options(), Bytes.NONE)
                                .withRevision(revision));
                        requireRefusal(session, wire);
                    }));
        }
        cases.add(Case.must(
                "mpa.request.revision.1",
                "a Request of revision 1 is answered with revision 1, and a ping works",
                "MPA-60 SETUP-2 SETUP-23",
                session -> {
                    PeerStream stream = session.initiate(Setup.plainRequest(session.options(), Bytes.NONE));
                    requireRevision(stream, 1);
                    stream.completePing();
                }));
        cases.add(Case.must(
                "mpa.request.revision.2",
                "an enhanced Request of revision 2 gets an enhanced Reply of revision 2, and a ping works",
                "MPA-60 SETUP-1 SETUP-23",
                session -> {
                    PeerStream stream = session.initiate(Setup.enhancedRequest(session.options(), 1, 1));
                    requireRevision(stream, 2);
                    require(
                            stream,
                            stream.reply().enhanced(),
                            "a Reply without S",
                            "a Reply with S=1",
                            StartupFrame.KEY);
                    stream.completePing();
                }));
        cases.add(Case.must(
                "mpa.request.revision.2.plain",
                "a Request of revision 2 with S=0 gets a Reply with S=0 and without the four bytes",
                "SETUP-1 SETUP-23",
                session -> {
                    PeerStream stream = session.initiate(
                            Setup.plainRequest(session.options(), Bytes.NONE).withRevision(2));
                    require(
                            stream,
                            !stream.reply().has(StartupFrame.ENHANCED),
                            "a Reply with S=1",
                            "a Reply with S=0",
                            StartupFrame.KEY);
                    stream.completePing();
                }));
    }

    private static void flags(List<Case> cases) {
        for (int revision = 1; revision <= 2; revision++) {
            int used = revision;
            for (int bits : revision == 1 ? RESERVED : ENHANCED_RESERVED) {
                cases.add(Case.must(
                        String.format(Locale.ROOT, "mpa.request.reserved.%d.%02x", revision, bits),
                        "a Request of revision " + revision + " with the reserved bits " + bits + " is accepted",
                        "MPA-59 SETUP-3",
                        session -> ping(session, flagged(request(session.options(), used), bits))));
            }
            cases.add(Case.must(
                    "mpa.request.rejected." + revision,
                    "the bit R of a Request of revision " + revision + " is not looked at",
                    "MPA-58",
                    session -> ping(session, flagged(request(session.options(), used), StartupFrame.REJECTED))));
        }
        cases.add(Case.must(
                "mpa.reply.reserved.1",
                "the reserved bits of a Reply are zero even if those of the Request are not",
                "MPA-59",
                session -> {
                    PeerStream stream =
                            session.initiate(flagged(Setup.plainRequest(session.options(), Bytes.NONE), 0x1F));
                    int reserved = stream.reply().flags() & 0x1F;
                    require(stream, reserved == 0, "the reserved bits " + reserved, "zero", StartupFrame.KEY);
                }));
    }

    private static void markersAndCrc(List<Case> cases) {
        for (int revision = 1; revision <= 2; revision++) {
            for (int flags = 0; flags < 4; flags++) {
                boolean markers = (flags & 2) != 0;
                boolean crc = (flags & 1) != 0;
                int used = revision;
                cases.add(Case.must(
                        "mpa.request.flags." + revision + (markers ? ".m" : "") + (crc ? ".c" : ""),
                        "a Request of revision " + revision + " with M=" + (markers ? 1 : 0) + " C=" + (crc ? 1 : 0)
                                + ": markers and CRCs are as both frames agree",
                        "MPA-16 MPA-26 MPA-36 MPA-56 MPA-57",
                        session -> {
                            int bits = (markers ? StartupFrame.MARKERS : 0) | (crc ? StartupFrame.CRC : 0);
                            StartupFrame request = request(session.options(), used);
                            int rest = request.flags() & StartupFrame.ENHANCED;
                            PeerStream stream = session.initiate(request.withFlags(bits | rest));
                            stream.awaitIdle().completePing();
                            stream.completePing();
                        }));
            }
        }
    }

    private static void privateData(List<Case> cases) {
        for (int length : LENGTHS) {
            cases.add(Case.must(
                    "mpa.request.private." + length,
                    "a Request of revision 1 with " + length + " bytes of private data is taken",
                    "MPA-62 MPA-63",
                    session -> ping(session, Setup.plainRequest(session.options(), Bytes.pattern(length)))));
        }
        for (int length : ENHANCED_LENGTHS) {
            cases.add(Case.must(
                    "mpa.request.private.2." + length,
                    "an enhanced Request with " + length + " bytes of private data after the four is taken",
                    "MPA-62 MPA-63 SETUP-4",
                    session -> {
                        StartupFrame plain = Setup.enhancedRequest(session.options(), 1, 1);
                        byte[] all = Bytes.join(plain.privateData(), Bytes.pattern(length));
                        PeerStream stream = session.initiate(StartupFrame.request(plain.flags(), 2, all));
                        require(
                                stream,
                                stream.reply().enhanced(),
                                "a Reply without S and the depths",
                                "a Reply with S=1 and the four bytes",
                                StartupFrame.KEY);
                        stream.completePing();
                    }));
        }
        for (int length : TOO_LONG) {
            cases.add(Case.must(
                    "mpa.request.private." + length,
                    "a Request that announces " + length + " bytes of private data is refused at once",
                    "MPA-62 MPA-66 MPA-76",
                    session -> refused(
                            session,
                            Setup.plainRequest(session.options(), Bytes.NONE)
                                    .withLength(length)
                                    .encode(),
                            "a Request with PD_Length " + length)));
        }
        for (int length : new int[] {513, 516, 1024, 65_535}) {
            cases.add(Case.must(
                    "mpa.request.private.2.long." + length,
                    "an enhanced Request whose PD_Length is " + length + " is refused at once",
                    "MPA-62 MPA-76 SETUP-4",
                    session -> refused(
                            session,
                            Setup.enhancedRequest(session.options(), 1, 1)
                                    .withLength(length)
                                    .encode(),
                            "an enhanced Request with PD_Length " + length)));
        }
        for (int length = 0; length < Integer.BYTES; length++) {
            int fewer = length;
            cases.add(Case.must(
                    "mpa.request.enhanced.short." + length,
                    "an enhanced Request with " + length + " instead of four bytes is refused",
                    "SETUP-4",
                    session -> {
                        Wire wire = session.open();
                        wire.send(StartupFrame.request(StartupFrame.CRC | StartupFrame.ENHANCED, 2, new byte[fewer]));
                        requireRefusal(session, wire);
                    }));
        }
    }

    /** RFC 5044 section 7.1.1 can be read both ways: such a Request is malformed, or is followed by an FPDU. */
    private static void trailing(List<Case> cases) {
        for (int revision = 1; revision <= 2; revision++) {
            int used = revision;
            cases.add(Case.must(
                    "mpa.request.trailing.fpdu." + revision,
                    "an FPDU after a Request of revision " + revision + ", before the Reply, is malformed or taken",
                    "MPA-62 MPA-66 MPA-70",
                    session -> {
                        Wire wire = session.open();
                        StartupFrame request = request(session.options(), used);
                        byte[] fpdu = wire.encode(Segment.tagged(Segment.WRITE, 0, 0, Bytes.NONE), FpduChange.NONE);
                        wire.send(Bytes.join(request.encode(), fpdu), "a Request and an FPDU");
                        Arrival arrival = wire.nextFrame(session.options().patience());
                        if (!arrival.ended()) {
                            session.unready(wire, request, Setup.requireReply(arrival))
                                    .completePing();
                        }
                    }));
        }
    }

    private static void reply(List<Case> cases) {
        cases.add(Case.must(
                "mpa.reply.only-after-request", "nothing comes before a Request was sent", "MPA-65 MPA-72", session -> {
                    Wire wire = session.open();
                    session.expectSilence(wire);
                    StartupFrame request = Setup.request(session.options());
                    wire.send(request);
                    session.initiated(wire, request).completePing();
                }));
        cases.add(Case.must(
                "mpa.reply.nothing-behind",
                "nothing follows the Reply before the peer has validated an FPDU",
                "MPA-72 MPA-28",
                session -> {
                    PeerStream stream = session.establish();
                    session.expectSilence(stream.wire());
                    stream.completePing();
                }));
        cases.add(Case.must(
                "mpa.reply.length",
                "PD_Length of a Reply is what follows, and at most 512",
                "MPA-62 MPA-63",
                session -> {
                    PeerStream stream = session.establish();
                    int length = stream.reply().length();
                    require(stream, length <= StartupFrame.MAX_PRIVATE_DATA, "" + length, "0 to 512", 18);
                    session.expectSilence(stream.wire());
                }));
        cases.add(Case.must(
                "mpa.reply.not-rejected",
                "R is 0 in the Reply of a server that goes on",
                "MPA-58 MPA-69",
                session -> session.establish().completePing()));
        cases.add(Case.must(
                "mpa.reply.ready",
                "an FPDU right after the Reply, without a pause, is taken",
                "MPA-69 DDP-41",
                session -> {
                    Wire wire = session.open();
                    StartupFrame request = Setup.request(session.options());
                    wire.send(request);
                    StartupFrame reply = session.awaitReply(wire);
                    PeerStream stream = session.begun(wire, request, reply);
                    stream.completePing();
                }));
    }

    private static StartupFrame request(SuiteOptions options, int revision) {
        return revision == 1 ? Setup.plainRequest(options, Bytes.NONE) : Setup.enhancedRequest(options, 1, 1);
    }

    private static StartupFrame flagged(StartupFrame request, int flags) {
        return request.withFlags(request.flags() | flags);
    }

    private static void ping(Session session, StartupFrame request) throws IOException, CaseFailed {
        session.initiate(request).completePing();
    }

    /** Sends something that is no request, and expects the end. */
    static void refused(Session session, byte[] bytes, String text) throws IOException, CaseFailed {
        Wire wire = session.open();
        wire.send(bytes, text);
        session.expectEnd(wire);
    }

    /** Expects the end of the connection; a Reply with R=1 may come before. */
    static void requireRefusal(Session session, Wire wire) throws IOException, CaseFailed {
        Arrival arrival = wire.nextFrame(session.options().patience());
        StartupFrame frame = arrival.frame();
        boolean rejected = frame != null && frame.isReply() && frame.has(StartupFrame.REJECTED);
        if (rejected || arrival.ended()) {
            return;
        }
        throw new CaseFailed(
                arrival.describe(),
                "the end of the connection, or a Reply with R=1",
                arrival.entry(),
                StartupFrame.KEY);
    }

    private static void requireRevision(PeerStream stream, int revision) throws CaseFailed {
        require(
                stream,
                stream.reply().revision() == revision,
                "revision " + stream.reply().revision(),
                "revision " + revision,
                StartupFrame.KEY + 1);
    }

    static void require(PeerStream stream, boolean condition, String seen, String allowed, int offset)
            throws CaseFailed {
        if (!condition) {
            throw new CaseFailed(seen, allowed, stream.replyEntry(), offset);
        }
    }
}
