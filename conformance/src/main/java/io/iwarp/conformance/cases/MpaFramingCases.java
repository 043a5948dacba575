package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.CaseFailed;
import io.iwarp.conformance.judge.Need;
import io.iwarp.conformance.judge.PeerStream;
import io.iwarp.conformance.judge.Session;
import io.iwarp.conformance.wire.Bytes;
import io.iwarp.conformance.wire.FpduChange;
import io.iwarp.conformance.wire.ReadRequest;
import io.iwarp.conformance.wire.Segment;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** FPDUs (RFC 5044 section 4): their CRC, padding, length, and the cuts that TCP makes. */
final class MpaFramingCases {
    private static final int LENGTH_FIELD = 2;
    private static final int CRC_BYTES = 4;
    private static final int HEADER_END = LENGTH_FIELD + Segment.UNTAGGED_HEADER;
    /** The Send for which the peer waits: length, header, 16 bytes of payload, CRC. */
    private static final int SEND = HEADER_END + 16 + CRC_BYTES;

    private static final int[] ENDS = {1, 2, 3, 4, 19, 20, 21, 35, 36, 39};
    private static final int MANY = 100;
    private static final Segment NOTHING = Segment.tagged(Segment.WRITE, 0, 0, Bytes.NONE);

    private MpaFramingCases() {}

    /** Returns the cases. */
    static List<Case> all() {
        List<Case> cases = new ArrayList<>();
        crc(cases);
        crcOfKinds(cases);
        crcAtTheEdges(cases);
        padding(cases);
        lengths(cases);
        cuts(cases);
        return cases;
    }

    private static void crc(List<Case> cases) {
        for (int offset = LENGTH_FIELD; offset < SEND; offset++) {
            int at = offset;
            String part = offset < HEADER_END ? "header" : offset < SEND - CRC_BYTES ? "payload" : "CRC";
            cases.add(Case.onIdle(
                            "mpa.crc.flip." + offset,
                            "a Send with a bit flipped in byte " + offset + " (" + part + ") is an error of the CRC",
                            "MPA-36 MPA-39 MPA-40 MPA-84 MPA-89 RDMAP-57",
                            stream -> {
                                Segment send = stream.pings().takeAwaited();
                                byte[] fpdu = stream.wire().encode(send, FpduChange.NONE);
                                // Markers come in front of the fields or among them.
                                int markers = fpdu.length - SEND;
                                fpdu[at + markers] ^= 1;
                                stream.wire().send(fpdu, send.describe() + ", bit flipped in byte " + (at + markers));
                                stream.expectTerminate("2/0/02");
                            })
                    .needs(Need.CRC));
        }
    }

    private interface Wrong {
        Segment make(PeerStream stream) throws IOException, CaseFailed;
    }

    private interface Spoil {
        void spoil(byte[] fpdu);
    }

    /** Segments that would be refused with another error if the CRC was not looked at first. */
    private static void crcOfKinds(List<Case> cases) {
        ReadRequest read = new ReadRequest(2, 3, 1, 1, 0);
        wrongCrc(cases, "read", stream -> Segment.readRequest(stream.takeReadMsn(), read), fpdu -> fpdu[10] ^= 1);
        for (int length : new int[] {1, 16, 1000, 1100, 5000, 60_000}) {
            Wrong write = stream -> Segment.tagged(Segment.WRITE, 1, 0, Bytes.pattern(length));
            wrongCrc(cases, "write." + length, write, fpdu -> fpdu[fpdu.length / 2] ^= 1);
        }
        for (int length : new int[] {4, 5, 6, 7, 1000, 60_000}) {
            Wrong last = stream -> Segment.tagged(Segment.WRITE, 1, 0, Bytes.pattern(length));
            wrongCrc(cases, "end." + length, last, fpdu -> fpdu[fpdu.length - CRC_BYTES - 1] ^= 1);
        }
        Wrong write = stream -> Segment.tagged(Segment.WRITE, 1, 0, Bytes.pattern(5));
        wrongCrc(cases, "zero", write, fpdu -> Arrays.fill(fpdu, fpdu.length - CRC_BYTES, fpdu.length, (byte) 0));
        wrongCrc(cases, "ones", write, fpdu -> Arrays.fill(fpdu, fpdu.length - CRC_BYTES, fpdu.length, (byte) -1));
        wrongCrc(cases, "reversed", write, fpdu -> {
            byte[] crc = Arrays.copyOfRange(fpdu, fpdu.length - CRC_BYTES, fpdu.length);
            for (int i = 0; i < CRC_BYTES; i++) {
                fpdu[fpdu.length - 1 - i] = crc[i];
            }
        });
    }

    private static void wrongCrc(List<Case> cases, String name, Wrong segment, Spoil spoil) {
        cases.add(Case.onIdle(
                        "mpa.crc.kind." + name,
                        "an FPDU (" + name + ") with a wrong CRC is an error of the CRC, whatever it holds",
                        "MPA-36 MPA-39 MPA-40 MPA-84",
                        stream -> {
                            Segment wrong = segment.make(stream);
                            byte[] fpdu = stream.wire().encode(wrong, FpduChange.NONE);
                            spoil.spoil(fpdu);
                            stream.wire().send(fpdu, wrong.describe() + ", spoilt");
                            stream.expectTerminate("2/0/02");
                        })
                .needs(Need.CRC));
    }

    private static void crcAtTheEdges(List<Case> cases) {
        cases.add(Case.must(
                        "mpa.crc.first",
                        "a first FPDU with a wrong CRC ends the connection, and is not acted on",
                        "MPA-36 MPA-40 MPA-72 MPA-84",
                        session -> {
                            PeerStream stream = session.establish();
                            if (!session.peerIsServer()) {
                                stream.pings().awaitAdvertisement();
                            }
                            stream.send(stream.pings().takeAwaited(), FpduChange.flipFromEnd(0), ", wrong CRC");
                            // A server must not send an FPDU, not even a Terminate, before it has validated one. In the
                            // peer-to-peer model it has: the ready-to-receive message.
                            if (session.peerIsServer() && !session.options().peerToPeer()) {
                                stream.expectBareEnd();
                            } else {
                                stream.expectEndOfAnyKind();
                            }
                        })
                .needs(Need.CRC));
        cases.add(Case.onIdle(
                        "mpa.crc.nothing-after",
                        "after an FPDU with a wrong CRC a good one is not acted on",
                        "MPA-88 MPA-40",
                        stream -> {
                            Segment send = stream.pings().takeAwaited();
                            byte[] bad = stream.wire().encode(send, FpduChange.flipFromEnd(0));
                            byte[] good = stream.wire().encode(send, FpduChange.NONE);
                            stream.wire().send(Bytes.join(bad, good), "a Send with a wrong CRC and a good one");
                            stream.expectTerminate("2/0/02");
                            stream.expectBareEnd();
                        })
                .needs(Need.CRC));
        cases.add(Case.onIdle("mpa.crc.off", "without CRCs the field may hold anything", "MPA-13 MPA-37", stream -> {
                    for (int i = 0; i < CRC_BYTES; i++) {
                        stream.send(NOTHING, FpduChange.flipFromEnd(i), ", bit set in the CRC");
                    }
                    stream.completePing();
                })
                .needs(Need.NO_CRC));
    }

    private static void padding(List<Case> cases) {
        for (int padding = 1; padding < CRC_BYTES; padding++) {
            int cut = CRC_BYTES - padding;
            for (int value : new int[] {0x01, 0xFF}) {
                cases.add(Case.onIdle(
                        "mpa.padding." + padding + "." + value,
                        padding + " bytes of PAD that hold " + value + ", under a right CRC, are not looked at",
                        "MPA-12",
                        stream -> {
                            Segment first = stream.pings().takeAwaited();
                            byte[] message = first.payload();
                            long msn = first.msn();
                            stream.send(
                                    first.payload(Arrays.copyOf(message, cut)).last(false),
                                    FpduChange.padding(value),
                                    ", PAD " + value);
                            stream.send(Segment.send(msn, Arrays.copyOfRange(message, cut, message.length))
                                    .messageOffset(cut));
                            stream.pings().completePingAfterSend();
                        }));
            }
        }
    }

    private static void lengths(List<Case> cases) {
        tooShort(cases, "untagged", 0, stream -> stream.pings().takeAwaited());
        tooShort(cases, "tagged", 2, stream -> NOTHING);
    }

    private static void tooShort(List<Case> cases, String kind, int from, Wrong whole) {
        int header = kind.equals("tagged") ? Segment.TAGGED_HEADER : Segment.UNTAGGED_HEADER;
        for (int length = from; length < header; length++) {
            int shorter = length;
            cases.add(Case.onIdle(
                    "mpa.length." + kind + "." + length,
                    "a ULPDU of " + length + " bytes that is too short for the header (" + kind + ") ends the stream",
                    "DDP-23 MPA-7",
                    stream -> {
                        byte[] ulpdu = Arrays.copyOf(whole.make(stream).encode(), shorter);
                        stream.wire()
                                .send(stream.wire().encode(ulpdu, FpduChange.NONE), "a ULPDU of " + shorter + " bytes");
                        stream.expectEndOfAnyKind();
                    }));
        }
    }

    private static void cuts(List<Case> cases) {
        for (int cut = 1; cut < SEND; cut++) {
            int at = cut;
            cases.add(Case.must(
                    "mpa.cut." + cut,
                    "a Send that TCP cuts after byte " + cut + " of its FPDU is taken",
                    "MPA-48 MPA-49",
                    session -> {
                        PeerStream stream = session.establish().awaitIdle();
                        Segment send = stream.pings().takeAwaited();
                        byte[] fpdu = stream.wire().encode(send, FpduChange.NONE);
                        stream.wire().sendCut(fpdu, at, session.options().gap(), send.describe());
                        stream.pings().completePingAfterSend();
                    }));
        }
        for (int end : ENDS) {
            cases.add(Case.onIdle(
                    "mpa.fin-inside." + end,
                    "a FIN after byte " + end + " of an FPDU ends the stream, and the FPDU is not acted on",
                    "MPA-83 MPA-49",
                    stream -> {
                        finInside(stream, end);
                        stream.expectEndOfAnyKind();
                    }));
            cases.add(Case.should(
                    "mpa.fin-inside.terminate." + end,
                    "a FIN after byte " + end + " of an FPDU is reported by a Terminate with 2/0/01",
                    "MPA-83 RDMAP-57",
                    session -> {
                        PeerStream stream = session.establish().awaitIdle();
                        finInside(stream, end);
                        stream.expect(Segment.TERMINATE);
                    }));
        }
        cases.add(Case.onIdle("mpa.cut.singly", "a Send that comes byte by byte is taken", "MPA-48 MPA-49", stream -> {
            Segment send = stream.pings().takeAwaited();
            byte[] fpdu = stream.wire().encode(send, FpduChange.NONE);
            stream.wire().sendSingly(fpdu, Duration.ofMillis(1), send.describe());
            stream.pings().completePingAfterSend();
        }));
        for (int count : new int[] {2, 3, 10, MANY}) {
            cases.add(Case.must(
                    "mpa.together." + count,
                    count + " FPDUs in one write are all taken, in order",
                    "MPA-47 MPA-48",
                    session -> together(session, count)));
        }
    }

    private static void finInside(PeerStream stream, int end) throws IOException {
        byte[] fpdu = stream.wire().encode(stream.pings().takeAwaited(), FpduChange.NONE);
        stream.wire().send(Arrays.copyOf(fpdu, end), "the first " + end + " bytes of a Send");
        stream.wire().fin();
    }

    private static void together(Session session, int count) throws IOException, CaseFailed {
        PeerStream stream = session.establish().awaitIdle();
        byte[][] fpdus = new byte[count][];
        for (int i = 0; i < count - 1; i++) {
            fpdus[i] = stream.wire().encode(NOTHING, FpduChange.NONE);
        }
        fpdus[count - 1] = stream.wire().encode(stream.pings().takeAwaited(), FpduChange.NONE);
        stream.wire().send(Bytes.join(fpdus), (count - 1) + " Writes of zero bytes and a Send");
        stream.pings().completePingAfterSend();
    }
}
