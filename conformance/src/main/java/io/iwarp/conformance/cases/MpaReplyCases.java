package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.CaseFailed;
import io.iwarp.conformance.judge.Need;
import io.iwarp.conformance.judge.PeerStream;
import io.iwarp.conformance.judge.Session;
import io.iwarp.conformance.judge.Setup;
import io.iwarp.conformance.wire.Arrival;
import io.iwarp.conformance.wire.Bytes;
import io.iwarp.conformance.wire.StartupFrame;
import io.iwarp.conformance.wire.Wire;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The fields of an MPA Reply, right and wrong, what the peer makes of them, and what it asked for. */
final class MpaReplyCases {
    private static final int[] LENGTHS = {0, 1, 2, 3, 4, 5, 7, 63, 127, 128, 247, 251, 252, 253, 255, 256, 257, 507, 508
    };
    private static final int[] PLAIN_LENGTHS = {509, 511, 512};
    private static final int[] TOO_LONG = {513, 514, 768, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_535};
    private static final int[] OTHER_REVISIONS = {0, 3, 4, 127, 128, 255};
    private static final int[] RESERVED = {0x08, 0x04, 0x02, 0x01, 0x0F};
    private static final int[] REJECTIONS = {0, 1, 100, 508};

    private MpaReplyCases() {}

    /** Returns the cases. */
    static List<Case> all() {
        List<Case> cases = new ArrayList<>();
        request(cases);
        keys(cases);
        revisions(cases);
        flags(cases);
        privateData(cases);
        rejections(cases);
        return cases;
    }

    private interface RequestCheck {
        void check(StartupFrame request, int entry) throws CaseFailed;
    }

    private static void asks(List<Case> cases, String id, String title, String requirements, RequestCheck check) {
        cases.add(Case.must(id, title, requirements, session -> {
            Wire wire = session.open();
            Arrival arrival = wire.nextFrame(session.options().patience());
            check.check(Setup.requireRequest(arrival), arrival.entry());
        }));
    }

    private static void require(boolean condition, int entry, int offset, String seen, String allowed)
            throws CaseFailed {
        if (!condition) {
            throw new CaseFailed(seen, allowed, entry, offset);
        }
    }

    private static void request(List<Case> cases) {
        asks(cases, "mpa.request.key", "the client begins with a Request", "MPA-54 MPA-64", (request, entry) -> {});
        asks(
                cases,
                "mpa.request.rejected",
                "R is 0 in a Request",
                "MPA-58",
                (request, entry) -> require(!request.has(StartupFrame.REJECTED), entry, 16, "R=1", "R=0"));
        asks(
                cases,
                "mpa.request.reserved",
                "the reserved bits of a Request are zero",
                "MPA-59 SETUP-3",
                (request, entry) -> {
                    int bits = request.flags() & (request.revision() >= 2 ? 0x0F : 0x1F);
                    require(bits == 0, entry, 16, "reserved bits " + bits, "zero");
                });
        asks(
                cases,
                "mpa.request.revision",
                "the revision of a Request is 1 or 2",
                "MPA-60 SETUP-1",
                (request, entry) -> require(
                        request.revision() == 1 || request.revision() == 2,
                        entry,
                        17,
                        "revision " + request.revision(),
                        "1 or 2"));
        asks(
                cases,
                "mpa.request.length",
                "PD_Length of a Request is at most 512",
                "MPA-62 MPA-63",
                (request, entry) -> require(
                        request.length() <= StartupFrame.MAX_PRIVATE_DATA,
                        entry,
                        18,
                        "" + request.length(),
                        "0 to 512"));
        asks(
                cases,
                "setup.request.length",
                "an enhanced Request has at least the four bytes",
                "SETUP-1 SETUP-4",
                (request, entry) -> require(
                        request.revision() < 2
                                || !request.has(StartupFrame.ENHANCED)
                                || request.length() >= Integer.BYTES,
                        entry,
                        18,
                        "" + request.length(),
                        "4 or more"));
        asks(cases, "setup.request.kinds", "with A=0 a Request has B=C=D=0", "SETUP-16", (request, entry) -> {
            boolean kinds = request.enhanced()
                    && (request.irdWord() & Setup.UPPER) == 0
                    && ((request.irdWord() & Setup.LOWER) != 0
                            || (request.ordWord() & (Setup.UPPER | Setup.LOWER)) != 0);
            require(!kinds, entry, StartupFrame.HEADER, "A=0 with B, C or D", "A=0 B=0 C=0 D=0");
        });
        asks(cases, "setup.request.some-kind", "with A=1 a Request has B, C or D", "SETUP-15", (request, entry) -> {
            boolean none = request.enhanced()
                    && (request.irdWord() & Setup.UPPER) != 0
                    && (request.irdWord() & Setup.LOWER) == 0
                    && (request.ordWord() & (Setup.UPPER | Setup.LOWER)) == 0;
            require(!none, entry, StartupFrame.HEADER, "A=1 B=0 C=0 D=0", "A=1 with B, C or D");
        });
        cases.add(Case.must(
                "mpa.request.waits", "nothing follows a Request before the Reply", "MPA-70 SETUP-6", session -> {
                    Wire wire = session.open();
                    StartupFrame request = session.awaitRequest(wire);
                    session.expectSilence(wire);
                    StartupFrame reply = Setup.reply(session.options(), request);
                    wire.send(reply);
                    completePing(session.responded(wire, request, reply));
                }));
    }

    private static void keys(List<Case> cases) {
        for (int i = 0; i < StartupFrame.KEY; i++) {
            int wrong = i;
            refused(
                    cases,
                    "mpa.reply.key." + i,
                    "a Reply whose key differs in byte " + i + " ends the connection",
                    "MPA-55 MPA-71 MPA-73 MPA-86",
                    reply -> {
                        byte[] key = reply.key().clone();
                        // 0x20 exchanges upper and lower case, and space and NUL.
                        key[wrong] ^= (byte) (wrong % 2 == 0 ? 1 : 0x20);
                        return reply.withKey(key).encode();
                    });
        }
        refused(
                cases,
                "mpa.reply.key.request",
                "a Request instead of a Reply ends the connection: two initiators",
                "MPA-55 MPA-74",
                reply -> StartupFrame.request(reply.flags(), reply.revision(), reply.privateData())
                        .encode());
        refused(
                cases,
                "mpa.reply.http",
                "an answer of HTTP ends the connection",
                "MPA-55 MPA-71",
                reply -> "HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    }

    private static void revisions(List<Case> cases) {
        for (int revision : OTHER_REVISIONS) {
            refused(
                    cases,
                    "mpa.reply.revision." + revision,
                    "a Reply of revision " + revision + " ends the connection",
                    "MPA-60 MPA-71",
                    reply -> reply.withRevision(revision).encode());
        }
    }

    private static void flags(List<Case> cases) {
        // In a Reply of revision 1 the bit S is reserved, too.
        cases.add(Case.must(
                        "mpa.reply.reserved.10",
                        "a Reply of revision 1 with the bit S is taken as one without it",
                        "MPA-59 SETUP-1",
                        session -> completePing(session.respond(
                                reply -> reply.withRevision(1).withFlags(reply.flags() | StartupFrame.ENHANCED))))
                .needs(Need.PLAIN));
        for (int bits : RESERVED) {
            accepted(
                    cases,
                    String.format(Locale.ROOT, "mpa.reply.reserved.%02x", bits),
                    String.format(Locale.ROOT, "a Reply with the reserved bits %02x is taken", bits),
                    "MPA-59 SETUP-3",
                    reply -> reply.withFlags(reply.flags() | bits));
        }
        for (int flags = 0; flags < 4; flags++) {
            boolean markers = (flags & 2) != 0;
            boolean crc = (flags & 1) != 0;
            int bits = (markers ? StartupFrame.MARKERS : 0) | (crc ? StartupFrame.CRC : 0);
            accepted(
                    cases,
                    "mpa.reply.flags" + (markers ? ".m" : "") + (crc ? ".c" : "") + (flags == 0 ? ".none" : ""),
                    "a Reply with M=" + (markers ? 1 : 0) + " C=" + (crc ? 1 : 0)
                            + ": markers and CRCs are as both frames agree",
                    "MPA-16 MPA-26 MPA-36 MPA-56 MPA-57",
                    reply -> reply.withFlags((reply.flags() & StartupFrame.ENHANCED) | bits));
        }
    }

    private static void privateData(List<Case> cases) {
        for (int length : LENGTHS) {
            accepted(
                    cases,
                    "mpa.reply.private." + length,
                    "a Reply with " + length + " bytes of private data is taken",
                    "MPA-62 MPA-63 SETUP-4",
                    reply -> StartupFrame.reply(
                            reply.flags(), reply.revision(), Bytes.join(reply.privateData(), Bytes.pattern(length))));
        }
        for (int length : PLAIN_LENGTHS) {
            accepted(
                    cases,
                    "mpa.reply.private." + length,
                    "a Reply of revision 1 with " + length + " bytes of private data is taken",
                    "MPA-62 MPA-63",
                    reply -> StartupFrame.reply(reply.flags(), reply.revision(), Bytes.pattern(length)));
            cases.set(cases.size() - 1, cases.get(cases.size() - 1).needs(Need.PLAIN));
        }
        for (int length : TOO_LONG) {
            refused(
                    cases,
                    "mpa.reply.private." + length,
                    "a Reply that announces " + length + " bytes of private data ends the connection",
                    "MPA-62 MPA-71 MPA-76",
                    reply -> reply.withLength(length).encode());
        }
        for (int length = 0; length < Integer.BYTES; length++) {
            int fewer = length;
            cases.add(refusal(
                            "setup.reply.short." + length,
                            "an enhanced Reply with " + length + " instead of four bytes ends the connection",
                            "SETUP-4",
                            reply -> StartupFrame.reply(reply.flags(), reply.revision(), new byte[fewer])
                                    .encode())
                    .needs(Need.ENHANCED));
        }
    }

    private static void rejections(List<Case> cases) {
        for (int length : REJECTIONS) {
            cases.add(Case.must(
                    "mpa.reply.rejected." + length,
                    "after a Reply with R=1 and " + length + " bytes of private data the client sends no FPDU",
                    "MPA-58 MPA-67 MPA-68",
                    session -> {
                        Wire wire = session.open();
                        StartupFrame request = session.awaitRequest(wire);
                        StartupFrame reply = Setup.reply(session.options(), request);
                        wire.send(StartupFrame.reply(
                                reply.flags() | StartupFrame.REJECTED,
                                reply.revision(),
                                Bytes.join(reply.privateData(), Bytes.pattern(length))));
                        byte[] rest = wire.rest(session.options().quiet());
                        if (rest.length > 0) {
                            throw new CaseFailed(
                                    rest.length + " bytes",
                                    "nothing",
                                    session.dialogue().add('<', "bytes", rest),
                                    0);
                        }
                    }));
        }
    }

    /** What is sent instead of the right reply. */
    interface Wrong {
        byte[] make(StartupFrame reply);
    }

    static void refused(List<Case> cases, String id, String title, String requirements, Wrong wrong) {
        cases.add(refusal(id, title, requirements, wrong));
    }

    private static Case refusal(String id, String title, String requirements, Wrong wrong) {
        return Case.must(id, title, requirements, session -> {
            Wire wire = session.open();
            StartupFrame request = session.awaitRequest(wire);
            StartupFrame reply = Setup.reply(session.options(), request);
            Wire.pause(session.options().gap());
            wire.send(wrong.make(reply), "a wrong Reply");
            session.expectEnd(wire);
        });
    }

    static void accepted(List<Case> cases, String id, String title, String requirements, Session.ReplyChange change) {
        cases.add(Case.must(id, title, requirements, session -> completePing(session.respond(change))));
    }

    static void completePing(PeerStream stream) throws IOException, CaseFailed {
        stream.awaitIdle().completePing();
    }
}
