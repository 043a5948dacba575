package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Advertisement;
import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.CaseFailed;
import io.iwarp.conformance.judge.CaseSkipped;
import io.iwarp.conformance.judge.Need;
import io.iwarp.conformance.judge.PeerMemory;
import io.iwarp.conformance.judge.PeerStream;
import io.iwarp.conformance.judge.Pings;
import io.iwarp.conformance.judge.Role;
import io.iwarp.conformance.wire.AtomicRequest;
import io.iwarp.conformance.wire.Bytes;
import io.iwarp.conformance.wire.FpduChange;
import io.iwarp.conformance.wire.ReadRequest;
import io.iwarp.conformance.wire.Segment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The error of which a Terminate tells most. Where the RFCs allow several errors, or an end of the stream without a
 * Terminate, other cases take them all, at MUST. These cases ask for the best one, at SHOULD: the error whose number
 * stands for the check that failed (RFC 5041 section 7.2, RFC 5040 section 4.8), and a report in any case (RFC 5040
 * section 6.2.1).
 */
final class TerminateErrorCases {
    private static final byte[] ONE = {'#'};
    private static final long SINK = PeerStream.SINK_STAG;
    private static final int FAR = 1000;
    private static final int PARTS = 16;
    private static final int TOO_LONG = 2048;

    private TerminateErrorCases() {}

    /** Returns the segments of a wrong message on a stream on which the peer waits for a Send. */
    private interface Wrong {
        List<Segment> on(PeerStream stream) throws IOException, CaseFailed, CaseSkipped;
    }

    private interface One {
        Segment on(PeerStream stream) throws IOException, CaseFailed, CaseSkipped;
    }

    private interface OnMemory {
        Segment on(PeerStream stream, Advertisement memory);
    }

    private record Row(
            String id, String what, String requirements, Wrong wrong, List<String> errors, List<Need> needs) {
        Row needing(Need... more) {
            return new Row(id, what, requirements, wrong, errors, List.of(more));
        }

        Case test() {
            String title = what + " is best refused with " + String.join(" or ", errors);
            return Case.should("rdmap.terminate.error." + id, title, requirements, session -> {
                        PeerStream stream = session.establish().awaitIdle();
                        List<Segment> segments = wrong.on(stream);
                        if (segments.size() == 1) {
                            stream.sendAtFault(segments.get(0));
                        } else {
                            stream.sendAtOnce(segments, what);
                        }
                        stream.expectReport(errors.toArray(String[]::new));
                    })
                    .needs(needs.toArray(Need[]::new));
        }
    }

    private static Row row(String id, String what, String requirements, One wrong, String... errors) {
        return new Row(id, what, requirements, stream -> List.of(wrong.on(stream)), List.of(errors), List.of());
    }

    private static Row parts(String id, String what, String requirements, Wrong wrong, String... errors) {
        return new Row(id, what, requirements, wrong, List.of(errors), List.of());
    }

    private static Row readable(String id, String what, String requirements, OnMemory wrong, String... errors) {
        return row(
                        id,
                        what,
                        requirements,
                        stream -> wrong.on(stream, PeerMemory.unwritable(stream).memory()),
                        errors)
                .needing(Need.READABLE);
    }

    private static Row writable(String id, String what, String requirements, OnMemory wrong, String... errors) {
        return row(
                        id,
                        what,
                        requirements,
                        stream -> wrong.on(stream, PeerMemory.writable(stream).memory()),
                        errors)
                .needing(Need.WRITABLE);
    }

    private static final List<Row> MESSAGES = List.of(
            row(
                    "msn.0",
                    "a Send with MSN 0",
                    "DDP-58 DDP-68",
                    stream -> next(stream).msn(0),
                    "1/2/03"),
            row(
                    "msn.ahead",
                    "a Send far ahead",
                    "DDP-58 DDP-68",
                    stream -> next(stream).msn(FAR),
                    "1/2/03"),
            row(
                    "msn.again",
                    "a Send with an MSN of before",
                    "DDP-58 DDP-68",
                    stream -> {
                        stream.completePing();
                        return next(stream).msn(1);
                    },
                    "1/2/03"),
            row("msn.read.0", "a Read Request with MSN 0", "DDP-58 DDP-68", stream -> read(0, 0, 0, 0), "1/2/03"),
            row("msn.read.ahead", "a Read Request far ahead", "DDP-58", stream -> read(FAR, 0, 0, 0), "1/2/03"),
            row(
                            "msn.atomic.ahead",
                            "an Atomic Request far ahead",
                            "DDP-58 EXT-14",
                            stream -> atomic(FAR, 0, 0, 0),
                            "1/2/03")
                    .needing(Need.ATOMICS),
            row(
                            "msn.response",
                            "an Atomic Response that nobody waits for",
                            "EXT-20 DDP-55",
                            stream -> Segment.untagged(
                                    Segment.ATOMIC_RESPONSE, 3, 1, new byte[AtomicRequest.RESPONSE_LENGTH]),
                            "1/2/02")
                    .needing(Need.ATOMICS),
            row(
                    "mo.far",
                    "a Send far beyond the buffer",
                    "DDP-56",
                    stream -> next(stream).messageOffset(1 << 20),
                    "1/2/04"),
            row(
                    "mo.greatest",
                    "a Send with the greatest MO",
                    "DDP-56",
                    stream -> next(stream).messageOffset(0xFFFF_FFFFL),
                    "1/2/04"),
            row(
                    "mo.read",
                    "a Read Request beyond its buffer",
                    "DDP-56",
                    stream -> read(stream.nextReadMsn(), 0, 0, 0).messageOffset(FAR),
                    "1/2/04"),
            parts(
                    "too-long",
                    "a Send that is too long in its last segments",
                    "DDP-57 RDMAP-35",
                    stream -> MessageCases.inPieces(next(stream).payload(new byte[TOO_LONG]), PARTS),
                    "1/2/05"),
            parts(
                    "hole.read",
                    "a Read Request with a hole",
                    "DDP-32 RDMAP-18",
                    stream -> without(1, MessageCases.inThree(read(stream.nextReadMsn(), 0, 0, 0))),
                    "1/2/04"),
            row(
                    "queue",
                    "a Send on queue 3",
                    "RDMAP-78",
                    stream -> next(stream).queue(3).msn(1),
                    "0/2/06",
                    "1/2/01"),
            row(
                    "response.unasked",
                    "a Read Response that nobody waits for",
                    "RDMAP-78",
                    stream -> Segment.tagged(Segment.READ_RESPONSE, 0, 0, ONE),
                    "0/2/06"),
            row(
                    "opcode-version",
                    "an unknown opcode with RV 2: the opcode",
                    "RDMAP-78 RDMAP-79",
                    stream -> Segment.untagged(15, 0, stream.takeMsn(), Bytes.NONE)
                            .rdmapVersion(2),
                    "0/2/06"),
            row(
                    "queue-version",
                    "a Send on queue 9 with RV 2: the queue",
                    "RDMAP-77",
                    stream -> next(stream).queue(9).rdmapVersion(2),
                    "1/2/01"),
            row(
                    "version-version",
                    "a Write with DV 2 and RV 2: DV",
                    "RDMAP-77",
                    stream -> Segment.tagged(Segment.WRITE, 0, 0, ONE)
                            .ddpVersion(2)
                            .rdmapVersion(2),
                    "1/1/04"),
            row(
                    "stag-wrap",
                    "a Write to an unknown STag that wraps: the STag",
                    "DDP-59",
                    stream -> Segment.tagged(Segment.WRITE, 1, -1, new byte[2]),
                    "1/1/00"),
            row(
                    "read.stag-wrap",
                    "a Read of an unknown STag that wraps: the STag",
                    "RDMAP-81 RDMAP-85",
                    stream -> read(stream.nextReadMsn(), 2, 1, -1),
                    "0/1/00"),
            row(
                    "invalidate",
                    "a Send with Invalidate of an unknown STag",
                    "RDMAP-39 RDMAP-80",
                    stream -> DdpSegmentCases.invalidate(stream, Segment.SEND_INVALIDATE, 1),
                    "0/2/09"),
            row(
                    "read.short",
                    "a Read Request of 27 bytes",
                    "RDMAP-18 RDMAP-53",
                    stream -> shorter(read(stream.nextReadMsn(), 0, 0, 0), -1),
                    "0/2/FF"),
            row(
                            "atomic.short",
                            "an Atomic Request of 51 bytes",
                            "EXT-11 EXT-32",
                            stream -> shorter(atomic(stream.nextReadMsn(), 0, 0, 0), -1),
                            "0/2/FF")
                    .needing(Need.ATOMICS),
            row(
                            "atomic.long",
                            "an Atomic Request of 53 bytes",
                            "EXT-11 EXT-32",
                            stream -> shorter(atomic(stream.nextReadMsn(), 0, 0, 0), 1),
                            "1/2/05")
                    .needing(Need.ATOMICS),
            row(
                            "immediate.short",
                            "Immediate Data of 7 bytes",
                            "EXT-29 EXT-32",
                            stream -> Segment.untagged(Segment.IMMEDIATE, 0, stream.takeMsn(), new byte[7]),
                            "0/2/FF")
                    .needing(Need.IMMEDIATE),
            row(
                            "immediate.long",
                            "Immediate Data of 9 bytes",
                            "EXT-29 EXT-32",
                            stream -> Segment.untagged(Segment.IMMEDIATE, 0, stream.takeMsn(), new byte[9]),
                            "0/2/FF",
                            "1/2/05")
                    .needing(Need.IMMEDIATE),
            writable(
                    "write.wrap",
                    "a Write that wraps",
                    "DDP-63 DDP-68",
                    (stream, memory) -> Segment.tagged(Segment.WRITE, memory.stag(), -1, new byte[2]),
                    "1/1/03"),
            readable(
                    "read.wrap",
                    "a Read that wraps",
                    "RDMAP-85",
                    (stream, memory) -> read(stream.nextReadMsn(), 2, memory.stag(), -1),
                    "0/1/04"),
            row(
                            "write.right",
                            "a Write without the right for it",
                            "DDP-60 SEC-5",
                            stream -> {
                                Advertisement memory =
                                        PeerMemory.unwritable(stream).memory();
                                return Segment.tagged(Segment.WRITE, memory.stag(), memory.offset(), ONE);
                            },
                            "1/1/00")
                    .needing(Need.UNWRITABLE),
            readable(
                            "atomic.outside",
                            "an atomic far outside",
                            "EXT-33 SEC-4",
                            (stream, memory) ->
                                    atomic(stream.nextReadMsn(), memory.stag(), memory.offset() + (1L << 40), 0),
                            "0/1/01")
                    .needing(Need.ATOMICS, Need.ATOMIC_MEMORY),
            readable(
                            "atomic.before",
                            "an atomic before the memory",
                            "EXT-33 SEC-4",
                            (stream, memory) ->
                                    atomic(stream.nextReadMsn(), memory.stag(), memory.offset() - Long.BYTES, 0),
                            "0/1/01")
                    .needing(Need.ATOMICS, Need.ATOMIC_MEMORY, Need.BOUNDED),
            readable(
                            "atomic.swap-before",
                            "a CmpSwap before the memory",
                            "EXT-33 SEC-4",
                            (stream, memory) ->
                                    atomic(stream.nextReadMsn(), memory.stag(), memory.offset() - Long.BYTES, 2),
                            "0/1/01")
                    .needing(Need.ATOMICS, Need.ATOMIC_MEMORY, Need.BOUNDED));

    /** What only a server waits for: the answer to its Read. */
    private static final List<Row> RESPONSES = List.of(
            row(
                    "response.stag",
                    "a Read Response to another STag",
                    "RDMAP-31 DDP-59",
                    stream -> {
                        ReadRequest read = stream.pings().advertise(Case.DEFAULT_SIZE);
                        return Segment.tagged(Segment.READ_RESPONSE, read.sinkStag() ^ 1, read.sinkOffset(), ONE);
                    },
                    "1/1/00"),
            row(
                    "response.before",
                    "a Read Response before its place",
                    "RDMAP-31 DDP-61",
                    stream -> {
                        ReadRequest read = stream.pings().advertise(Case.DEFAULT_SIZE);
                        return Segment.tagged(Segment.READ_RESPONSE, read.sinkStag(), read.sinkOffset() - 1, ONE);
                    },
                    "1/1/01"),
            row(
                    "response.long",
                    "a Read Response of a byte too much",
                    "RDMAP-31 DDP-62",
                    stream -> {
                        ReadRequest read = stream.pings().advertise(Case.DEFAULT_SIZE);
                        return response(read, Case.DEFAULT_SIZE + 1);
                    },
                    "1/1/01"),
            row(
                    "response.short",
                    "a Read Response of a byte too few",
                    "RDMAP-31",
                    stream -> {
                        ReadRequest read = stream.pings().advertise(Case.DEFAULT_SIZE);
                        return response(read, Case.DEFAULT_SIZE - 1);
                    },
                    "0/2/FF"),
            row(
                    "response.twice",
                    "a second Read Response",
                    "RDMAP-78 DDP-36",
                    stream -> {
                        byte[] text = Pings.text(Case.DEFAULT_SIZE);
                        ReadRequest read = stream.pings().advertise(text.length);
                        stream.pings().respond(read, text);
                        stream.pings().expectGoAhead();
                        return response(read, text.length);
                    },
                    "0/2/06"));

    private static Segment next(PeerStream stream) {
        return stream.pings().takeAwaited();
    }

    private static Segment read(long msn, long size, long stag, long offset) {
        return Segment.readRequest(msn, new ReadRequest(SINK, 0, size, stag, offset));
    }

    private static Segment atomic(long msn, long stag, long offset, int code) {
        byte[] request = new AtomicRequest(code, 7, stag, offset, 0, 0, 0, -1).encode();
        return Segment.untagged(Segment.ATOMIC_REQUEST, 1, msn, request);
    }

    private static Segment shorter(Segment whole, int more) {
        return whole.payload(Arrays.copyOf(whole.payload(), whole.payload().length + more));
    }

    private static Segment response(ReadRequest read, int length) {
        return Segment.tagged(Segment.READ_RESPONSE, read.sinkStag(), read.sinkOffset(), new byte[length]);
    }

    private static List<Segment> without(int index, List<Segment> segments) {
        List<Segment> rest = new ArrayList<>(segments);
        rest.remove(index);
        return rest;
    }

    /** Returns the cases. */
    static List<Case> all(Role role) {
        List<Case> cases = new ArrayList<>();
        MESSAGES.forEach(row -> cases.add(row.test()));
        if (role == Role.SERVER) {
            RESPONSES.forEach(row -> cases.add(row.test()));
            foreign(cases);
        }
        fpdus(cases);
        for (String field : List.of("ddp-version", "rdmap-version", "msn", "mo", "not-last")) {
            cases.add(Case.should(
                    "rdmap.terminate.error.unanswered." + field,
                    "a Terminate with a wrong header (" + field + ") is not answered by one",
                    "RDMAP-53 RDMAP-44",
                    session -> {
                        PeerStream stream = session.establish().awaitIdle();
                        Segment terminate = Segment.terminate(new byte[Integer.BYTES]);
                        stream.send(
                                switch (field) {
                                    case "ddp-version" -> terminate.ddpVersion(2);
                                    case "rdmap-version" -> terminate.rdmapVersion(2);
                                    case "msn" -> terminate.msn(2);
                                    case "mo" -> terminate.messageOffset(FAR);
                                    default -> terminate.queue(2).last(false).messageOffset(Integer.BYTES);
                                });
                        if (field.equals("not-last")) {
                            stream.send(Segment.terminate(Bytes.NONE).messageOffset(FAR));
                        }
                        stream.expectBareEnd();
                    }));
        }
        return cases;
    }

    /** Errors of MPA and of what is too short for DDP. */
    private static void fpdus(List<Case> cases) {
        fpdu(cases, "crc", "2/0/02", "MPA-84 RDMAP-57", Need.CRC, (stream, fpdu) -> {
            fpdu[fpdu.length - 1] ^= 1;
            stream.wire().send(fpdu, "a Send with a wrong CRC");
        });
        fpdu(cases, "fin", "2/0/01", "MPA-83 RDMAP-57", null, (stream, fpdu) -> {
            stream.wire().send(Arrays.copyOf(fpdu, fpdu.length / 2), "half a Send");
            stream.wire().fin();
        });
        cases.add(Case.should(
                        "rdmap.terminate.error.marker",
                        "a marker that points nowhere is best refused with 2/0/03",
                        "MPA-85 MPA-30 RDMAP-57",
                        session -> {
                            PeerStream stream = MpaMarkerCases.advance(session, Segment.UNTAGGED_HEADER + 2);
                            stream.send(next(stream), FpduChange.markers(0, Integer.BYTES), ", wrong marker");
                            stream.expectReport("2/0/03");
                        })
                .needs(Need.MARKERS_TO_PEER));
        for (int length : new int[] {0, 1, 13, 17}) {
            cases.add(Case.should(
                    "rdmap.terminate.error.ulpdu." + length,
                    "a ULPDU of " + length + " bytes is best refused with 0/2/FF or 1/0/00",
                    "DDP-23 RDMAP-53 RDMAP-51",
                    session -> {
                        PeerStream stream = session.establish().awaitIdle();
                        byte[] ulpdu = Arrays.copyOf(next(stream).encode(), length);
                        stream.wire().send(stream.wire().encode(ulpdu, FpduChange.NONE), "a ULPDU that is too short");
                        stream.expectReport("0/2/FF", "1/0/00");
                    }));
        }
    }

    private interface Damage {
        void send(PeerStream stream, byte[] fpdu) throws IOException;
    }

    private static void fpdu(
            List<Case> cases, String id, String error, String requirements, @Nullable Need need, Damage damage) {
        Case test = Case.should(
                "rdmap.terminate.error." + id,
                "an error of MPA (" + id + ") is best reported with " + error,
                requirements,
                session -> {
                    PeerStream stream = session.establish().awaitIdle();
                    damage.send(stream, stream.wire().encode(next(stream), FpduChange.NONE));
                    stream.expectReport(error);
                });
        cases.add(need == null ? test : test.needs(need));
    }

    /** Memory of another connection; each connection of a client may have a process of its own. */
    private static void foreign(List<Case> cases) {
        foreign(
                cases,
                "write",
                "DDP-72 SEC-2",
                (stream, memory) -> Segment.tagged(Segment.WRITE, memory.stag(), memory.offset(), ONE),
                "1/1/02");
        foreign(
                cases,
                "read",
                "RDMAP-82 SEC-2",
                (stream, memory) -> read(stream.takeReadMsn(), 1, memory.stag(), memory.offset()),
                "0/1/03");
        foreign(
                cases,
                "invalidate",
                "RDMAP-80 SEC-2",
                (stream, memory) -> Segment.untagged(
                                Segment.SEND_INVALIDATE, 0, stream.takeMsn(), new byte[Advertisement.LENGTH])
                        .stag(memory.stag()),
                "0/1/09",
                "0/1/03");
    }

    private static void foreign(List<Case> cases, String id, String requirements, OnMemory use, String... errors) {
        cases.add(Case.should(
                "rdmap.terminate.error.foreign." + id,
                "a use (" + id + ") of memory of another connection is best refused with "
                        + String.join(" or ", errors),
                requirements,
                session -> {
                    PeerMemory memory = PeerMemory.writable(session);
                    PeerStream second = CombinationCases.other(PeerMemory.writable(session), memory);
                    second.sendAtFault(use.on(second, memory.memory()));
                    second.expectReport(errors);
                }));
    }
}
