package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.CaseFailed;
import io.iwarp.conformance.judge.Need;
import io.iwarp.conformance.judge.PeerStream;
import io.iwarp.conformance.judge.Session;
import io.iwarp.conformance.wire.Arrival;
import io.iwarp.conformance.wire.Bytes;
import io.iwarp.conformance.wire.FpduChange;
import io.iwarp.conformance.wire.ReadRequest;
import io.iwarp.conformance.wire.Segment;
import io.iwarp.conformance.wire.TerminateMessage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Terminates that the peer receives, and what is in those that it sends (RFC 5040 sections 4.8, 5.4 and 7). */
final class RdmapTerminateCases {
    private static final int[][] ERRORS = {
        {0, 0, 0x00}, {0, 1, 0x00}, {0, 1, 0x01}, {0, 1, 0x02}, {0, 1, 0x03}, {0, 1, 0x04}, {0, 1, 0x09}, {0, 1, 0xFF},
        {0, 2, 0x05}, {0, 2, 0x06}, {0, 2, 0x07}, {0, 2, 0x08}, {0, 2, 0x09}, {0, 2, 0xFF}, {1, 0, 0x00}, {1, 1, 0x00},
        {1, 1, 0x01}, {1, 1, 0x02}, {1, 1, 0x03}, {1, 1, 0x04}, {1, 2, 0x01}, {1, 2, 0x02}, {1, 2, 0x03}, {1, 2, 0x04},
        {1, 2, 0x05}, {1, 2, 0x06}, {2, 0, 0x01}, {2, 0, 0x02}, {2, 0, 0x03}, {2, 0, 0x04}, {2, 0, 0x05}, {2, 0, 0x06},
        {2, 0, 0x07}, {3, 5, 0x77}, {15, 15, 0xFF},
    };
    private static final int SEGMENT_LENGTH = 2;
    private static final int ALL_BITS = 7;

    private RdmapTerminateCases() {}

    /** Returns the cases. */
    static List<Case> all() {
        List<Case> cases = new ArrayList<>();
        for (int[] error : ERRORS) {
            TerminateMessage message = TerminateMessage.bare(error[0], error[1], error[2]);
            received(
                    cases,
                    String.format(Locale.ROOT, "code.%x.%x.%02x", error[0], error[1], error[2]),
                    "with " + message.error(),
                    message.encode());
        }
        for (int bits = 0; bits <= ALL_BITS; bits++) {
            received(
                    cases,
                    "bits." + bits,
                    "whose bits M, D and R are "
                            + Integer.toBinaryString(bits | 8).substring(1),
                    new TerminateMessage(1, 2, 1, bits, 0, headers(bits)).encode());
        }
        received(
                cases,
                "reserved",
                "with all reserved bits set",
                new TerminateMessage(1, 2, 1, 0, 0x1FFF, Bytes.NONE).encode());
        for (int length = 0; length < Integer.BYTES; length++) {
            received(cases, "short." + length, "of " + length + " bytes", new byte[length]);
        }
        received(
                cases,
                "missing",
                "that announces headers and has none",
                new TerminateMessage(1, 2, 1, ALL_BITS, 0, Bytes.NONE).encode());
        received(
                cases,
                "trailing",
                "with 48 bytes more than it announces",
                new TerminateMessage(1, 2, 1, 0, 0, new byte[48]).encode());
        for (int length : new int[] {53, 1000, 60_000}) {
            received(cases, "long." + length, "of " + length + " bytes", new byte[length]);
        }
        contents(cases);
        end(cases);
        return cases;
    }

    private static byte[] headers(int bits) {
        byte[] length = (bits & (TerminateMessage.M | TerminateMessage.D)) != 0 ? Bytes.u16(18) : Bytes.NONE;
        byte[] ddp =
                (bits & TerminateMessage.D) != 0 ? Segment.send(1, Bytes.NONE).encode() : Bytes.NONE;
        byte[] rdma = (bits & TerminateMessage.R) != 0 ? new byte[ReadRequest.LENGTH] : Bytes.NONE;
        return Bytes.join(length, ddp, rdma);
    }

    private static void received(List<Case> cases, String name, String what, byte[] payload) {
        cases.add(Case.onIdle(
                "rdmap.terminate.received." + name,
                "a Terminate " + what + " ends the stream, and is not answered",
                "RDMAP-43 RDMAP-44 RDMAP-49 RDMAP-51",
                stream -> {
                    stream.send(Segment.terminate(payload));
                    stream.expectBareEnd();
                }));
    }

    private static void contents(List<Case> cases) {
        Segment empty = Segment.tagged(Segment.WRITE, 0, 0, Bytes.NONE);
        quoted(
                cases,
                "untagged",
                "an error of an untagged segment",
                stream -> stream.pings().takeAwaited().queue(77),
                false);
        quoted(
                cases,
                "tagged",
                "an error of a tagged segment",
                stream -> Segment.tagged(Segment.WRITE, 0, 0x1234, new byte[] {1, 2, 3}),
                false);
        quoted(
                cases,
                "read",
                "an error of a Read",
                stream ->
                        Segment.readRequest(stream.takeReadMsn(), new ReadRequest(0x1122_3344L, 0x5566, 9, 0, 0x7788)),
                true);
        quoted(
                cases,
                "opcode",
                "an unknown opcode",
                stream -> Segment.untagged(15, 0, stream.takeMsn(), Bytes.NONE),
                false);
        cases.add(Case.should(
                        "rdmap.terminate.mpa",
                        "the Terminate for a wrong CRC carries no header: M, D and R are 0",
                        "RDMAP-50",
                        session -> {
                            PeerStream stream = session.establish().awaitIdle();
                            stream.send(empty, FpduChange.flipFromEnd(0), ", bit flipped in the CRC");
                            Arrival arrival = stream.next();
                            TerminateMessage message = require(stream, arrival);
                            if (message.bits() != 0 || message.rest().length != 0) {
                                throw deviation(arrival, "M=0 D=0 R=0 and 4 bytes", message.describe(), 2);
                            }
                        })
                .needs(Need.CRC));
    }

    private interface Wrong {
        Segment make(PeerStream stream);
    }

    private static void quoted(List<Case> cases, String name, String what, Wrong wrong, boolean rdmaHeader) {
        int bits = TerminateMessage.M | TerminateMessage.D | (rdmaHeader ? TerminateMessage.R : 0);
        cases.add(Case.should(
                "rdmap.terminate.bits." + name,
                "the Terminate for " + what + " has M=1 D=1 R=" + (rdmaHeader ? 1 : 0),
                "RDMAP-50 DDP-65",
                session -> {
                    PeerStream stream = session.establish().awaitIdle();
                    stream.send(wrong.make(stream));
                    Arrival arrival = stream.next();
                    TerminateMessage message = require(stream, arrival);
                    if (message.bits() != bits) {
                        throw deviation(arrival, "M=1 D=1 R=" + (rdmaHeader ? 1 : 0), message.describe(), 2);
                    }
                }));
        cases.add(Case.onIdle(
                "rdmap.terminate.quote." + name,
                "the headers in the Terminate for " + what + " are those that were sent",
                "RDMAP-51 RDMAP-48 DDP-65",
                stream -> {
                    Segment bad = wrong.make(stream);
                    stream.send(bad);
                    Arrival arrival = stream.next();
                    requireQuote(arrival, require(stream, arrival), bad);
                }));
    }

    /** Checks that a Terminate of a peer quotes this segment, if it quotes any. */
    private static void requireQuote(Arrival arrival, TerminateMessage message, Segment bad) throws CaseFailed {
        byte[] ulpdu = bad.encode();
        int header = bad.tagged() ? Segment.TAGGED_HEADER : Segment.UNTAGGED_HEADER;
        byte[] rest = message.rest();
        int at = 0;
        if ((message.bits() & TerminateMessage.M) != 0) {
            if (rest.length < SEGMENT_LENGTH || Bytes.u16(rest, 0) != ulpdu.length) {
                throw deviation(arrival, "a DDP Segment Length of " + ulpdu.length, message.describe(), Integer.BYTES);
            }
        }
        if ((message.bits() & TerminateMessage.D) != 0) {
            at = SEGMENT_LENGTH;
            requireSame(arrival, rest, at, Arrays.copyOf(ulpdu, header), "the DDP header that was sent");
            at += header;
        }
        if ((message.bits() & TerminateMessage.R) != 0) {
            requireSame(arrival, rest, at, bad.payload(), "the header of the Read Request that was sent");
        }
    }

    private static void requireSame(Arrival arrival, byte[] rest, int from, byte[] right, String allowed)
            throws CaseFailed {
        for (int i = 0; i < right.length; i++) {
            if (from + i >= rest.length || rest[from + i] != right[i]) {
                throw deviation(arrival, allowed, "something else", Integer.BYTES + from + i);
            }
        }
    }

    private static TerminateMessage require(PeerStream stream, Arrival arrival) throws CaseFailed {
        Segment segment = arrival.segment();
        if (segment == null || !arrival.is(Segment.TERMINATE) || segment.payload().length < Integer.BYTES) {
            throw stream.unexpected(arrival, "a Terminate");
        }
        return TerminateMessage.decode(segment.payload());
    }

    private static CaseFailed deviation(Arrival arrival, String allowed, String seen, int offset) {
        int at = Math.min(Segment.UNTAGGED_HEADER + offset, arrival.offsets().length - 1);
        return new CaseFailed(seen, allowed, arrival.entry(), arrival.offsets()[at]);
    }

    private static void end(List<Case> cases) {
        cases.add(Case.onIdle(
                "rdmap.first-error",
                "of two wrong messages in one write the first one is reported, and nothing but it",
                "RDMAP-55 DDP-66",
                stream -> {
                    byte[] first = stream.wire()
                            .encode(stream.pings().takeAwaited().queue(4).encode(), FpduChange.NONE);
                    byte[] second = stream.wire()
                            .encode(
                                    Segment.tagged(Segment.WRITE, 0, 0, Bytes.NONE)
                                            .ddpVersion(2)
                                            .encode(),
                                    FpduChange.NONE);
                    stream.wire().send(Bytes.join(first, second), "a Send on queue 4, and a Write with DV 2");
                    stream.expectTerminate("1/2/01");
                    stream.expectBareEnd();
                }));
        cases.add(Case.must(
                "rdmap.terminate.then-end",
                "the connection ends after a Terminate that the peer sends",
                "RDMAP-45 RDMAP-76",
                session -> {
                    provoke(session).expectBareEnd();
                }));
        cases.add(Case.should(
                "rdmap.terminate.then-fin",
                "after a Terminate the peer closes with FIN, so that it arrives",
                "RDMAP-58",
                session -> {
                    PeerStream stream = provoke(session);
                    Arrival arrival = stream.next();
                    if (arrival.kind() != Arrival.Kind.FIN) {
                        throw stream.unexpected(arrival, "the end of the connection (FIN)");
                    }
                }));
        cases.add(Case.must(
                "rdmap.terminate.then-deaf",
                "what is sent after an error changes nothing and gets no second Terminate",
                "DDP-66 RDMAP-76 RDMAP-45",
                session -> {
                    PeerStream stream = provoke(session);
                    try {
                        stream.send(stream.pings().takeAwaited());
                        stream.send(
                                Segment.terminate(TerminateMessage.bare(0, 0, 0).encode()));
                    } catch (IOException e) {
                        session.dialogue().remark("the peer takes nothing more: " + e.getMessage());
                    }
                    stream.expectBareEnd();
                }));
    }

    private static PeerStream provoke(Session session) throws IOException, CaseFailed {
        PeerStream stream = session.establish().awaitIdle();
        stream.send(stream.pings().takeAwaited().queue(77));
        require(stream, stream.next());
        return stream;
    }
}
