package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Advertisement;
import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.Need;
import io.iwarp.conformance.judge.PeerMemory;
import io.iwarp.conformance.wire.Arrival;
import io.iwarp.conformance.wire.AtomicRequest;
import io.iwarp.conformance.wire.Bytes;
import io.iwarp.conformance.wire.Segment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** RFC 7306: atomics and Immediate Data, where the peer has them, and how it refuses them where it does not. */
final class ExtHeaderCases {
    private static final int CODES = 16;
    private static final int IMMEDIATE_SOLICITED = 9;
    private static final int RESPONSES = 3;

    private ExtHeaderCases() {}

    /** Returns the cases. */
    static List<Case> all() {
        List<Case> cases = new ArrayList<>();
        absent(cases);
        immediate(cases);
        atomics(cases);
        return cases;
    }

    private static byte[] atomic(int code, long stag, long offset) {
        return new AtomicRequest(code, 0x0102_0304L, stag, offset, 0, 0, 0, -1).encode();
    }

    private static void absent(List<Case> cases) {
        for (int opcode : new int[] {Segment.IMMEDIATE, IMMEDIATE_SOLICITED}) {
            cases.add(Refused.onIdleStream(
                            "ext.immediate.absent." + opcode,
                            Segment.name(opcode) + ", which the peer does not know,",
                            "EXT-34 RDMAP-78",
                            stream -> immediate(opcode, stream.takeMsn(), Long.BYTES),
                            "0/2/06")
                    .needs(Need.NO_IMMEDIATE));
        }
        cases.add(Refused.onIdleStream(
                        "ext.atomic.absent.request",
                        "an Atomic Request, which the peer does not know,",
                        "EXT-34 RDMAP-78",
                        stream -> atomic(stream.takeReadMsn(), atomic(AtomicRequest.FETCH_ADD, 0, 0)),
                        "0/2/06")
                .needs(Need.NO_ATOMICS));
        cases.add(Refused.onIdleStream(
                        "ext.atomic.response.absent",
                        "an Atomic Response, which the peer does not know,",
                        "EXT-34 RDMAP-78 DDP-54",
                        stream -> response(1),
                        "0/2/06",
                        "1/2/01")
                .needs(Need.NO_ATOMICS));
    }

    private static Segment immediate(int opcode, long msn, int length) {
        return Segment.untagged(opcode, 0, msn, Bytes.pattern(length));
    }

    private static Segment atomic(long msn, byte[] request) {
        return Segment.untagged(Segment.ATOMIC_REQUEST, 1, msn, request);
    }

    private static Segment response(long msn) {
        return Segment.untagged(Segment.ATOMIC_RESPONSE, RESPONSES, msn, new byte[AtomicRequest.RESPONSE_LENGTH]);
    }

    private static void immediate(List<Case> cases) {
        for (int opcode : new int[] {Segment.IMMEDIATE, IMMEDIATE_SOLICITED}) {
            for (int length : new int[] {0, 1, 7, 9, 16}) {
                cases.add(Case.onIdle(
                                "ext.immediate." + opcode + "." + length,
                                Segment.name(opcode) + " of " + length
                                        + " instead of 8 bytes is refused with a Terminate",
                                "EXT-29 EXT-32",
                                stream -> {
                                    stream.send(immediate(opcode, stream.takeMsn(), length));
                                    stream.expect(Segment.TERMINATE);
                                })
                        .needs(Need.IMMEDIATE));
            }
            for (int[] parts : new int[][] {{0, 4, 8}, {0, 0, 8}, {0, 8, 8}, {4, 8}, {8, 16}}) {
                String places = IntStream.of(parts).mapToObj(String::valueOf).collect(Collectors.joining("-"));
                cases.add(Case.onIdle(
                                "ext.immediate." + opcode + ".parts." + places,
                                Segment.name(opcode) + " in segments that begin and end at " + places
                                        + " is refused with a Terminate",
                                "EXT-29 EXT-32",
                                stream -> {
                                    long msn = stream.takeMsn();
                                    List<Segment> segments = new ArrayList<>();
                                    for (int i = 1; i < parts.length; i++) {
                                        segments.add(immediate(opcode, msn, parts[i] - parts[i - 1])
                                                .messageOffset(parts[i - 1])
                                                .last(i == parts.length - 1));
                                    }
                                    stream.sendAtOnce(segments, "Immediate Data in segments");
                                    stream.expect(Segment.TERMINATE);
                                })
                        .needs(Need.IMMEDIATE));
            }
            cases.add(Case.onIdle(
                            "ext.immediate.valid." + opcode,
                            Segment.name(opcode) + " of 8 bytes is no error: the peer sends no Terminate about it",
                            "EXT-28 EXT-29 EXT-31",
                            stream -> {
                                stream.send(immediate(opcode, stream.takeMsn(), Long.BYTES));
                                Arrival arrival = stream.next();
                                if (arrival.is(Segment.TERMINATE)) {
                                    throw stream.unexpected(arrival, "no Terminate: a program may end the connection");
                                }
                            })
                    .needs(Need.IMMEDIATE));
            cases.add(Refused.onIdleStream(
                            "ext.immediate.msn." + opcode,
                            Segment.name(opcode) + " with an MSN far ahead, which it shares with Sends,",
                            "EXT-28 EXT-2",
                            stream -> immediate(opcode, 100_000, Long.BYTES),
                            "1/2/03",
                            "1/2/02")
                    .needs(Need.IMMEDIATE));
        }
    }

    private static void atomics(List<Case> cases) {
        for (int code = 1; code < CODES; code++) {
            if (code != AtomicRequest.COMPARE_SWAP) {
                onMemory(cases, "code." + code, "an Atomic Request with AOpCode " + code, "EXT-16", code, "0/2/06");
            }
        }
        for (int code : new int[] {AtomicRequest.FETCH_ADD, AtomicRequest.COMPARE_SWAP}) {
            String name = code == AtomicRequest.FETCH_ADD ? "FetchAdd" : "CmpSwap";
            for (long stag : new long[] {0, 1, 0xFFFF_FFFFL}) {
                cases.add(Refused.onIdleStream(
                                String.format(Locale.ROOT, "ext.atomic.stag.%d.%x", code, stag),
                                String.format(Locale.ROOT, "a %s on STag %x, which the peer did not name,", name, stag),
                                "EXT-3 EXT-32 EXT-33",
                                stream -> atomic(stream.takeReadMsn(), atomic(code, stag, 0)),
                                "0/1/00")
                        .needs(Need.ATOMICS));
            }
            String without = "a " + name + " on memory without the right for it";
            onMemory(cases, "right." + code, without, "EXT-33 RDMAP-86", code, "0/1/02", Need.UNWRITABLE);
        }
        for (int length : new int[] {0, 1, 28, 51, 53, 56}) {
            cases.add(Case.onIdle(
                            "ext.atomic.length." + length,
                            "an Atomic Request of " + length + " instead of 52 bytes ends the stream",
                            "EXT-11 EXT-32",
                            stream -> {
                                stream.send(atomic(stream.takeReadMsn(), new byte[length]));
                                stream.expectEndOfAnyKind();
                            })
                    .needs(Need.ATOMICS));
        }
        for (int more : new int[] {-1, 1}) {
            cases.add(Case.must(
                            "ext.atomic.length.memory." + more,
                            "an Atomic Request of " + (AtomicRequest.LENGTH + more)
                                    + " bytes on memory that allows it ends the stream",
                            "EXT-11 EXT-32",
                            session -> {
                                PeerMemory place = PeerMemory.readable(session);
                                Advertisement memory = place.memory();
                                byte[] whole = atomic(AtomicRequest.FETCH_ADD, memory.stag(), memory.offset());
                                place.stream()
                                        .send(atomic(
                                                place.stream().takeReadMsn(),
                                                Arrays.copyOf(whole, whole.length + more)));
                                place.stream().expectEndOfAnyKind();
                            })
                    .needs(Need.ATOMICS, Need.ATOMIC_MEMORY));
        }
        for (long number : new long[] {0, 1000, 0xFFFF_FFFFL}) {
            cases.add(Refused.onIdleStream(
                            String.format(Locale.ROOT, "ext.atomic.msn.%x", number),
                            "an Atomic Request with MSN " + number + ", which it shares with Read Requests,",
                            "EXT-14",
                            stream -> atomic(number, new byte[AtomicRequest.LENGTH]),
                            "1/2/03",
                            "1/2/02")
                    .needs(Need.ATOMICS));
        }
        for (long number : new long[] {0, 1, 2, 0xFFFF_FFFFL}) {
            cases.add(Refused.onIdleStream(
                            String.format(Locale.ROOT, "ext.atomic.response.%x", number),
                            "an Atomic Response with MSN " + number + ", to nothing that was asked,",
                            "EXT-20 EXT-21",
                            stream -> response(number),
                            "1/2/02",
                            "1/2/03",
                            "0/2/06")
                    .needs(Need.ATOMICS));
        }
    }

    private static void onMemory(
            List<Case> cases, String name, String what, String requirements, int code, String error, Need... more) {
        cases.add(Case.must("ext.atomic." + name, what + " is refused with " + error, requirements, session -> {
                    PeerMemory place = PeerMemory.unwritable(session);
                    Advertisement memory = place.memory();
                    place.stream()
                            .send(atomic(place.stream().takeReadMsn(), atomic(code, memory.stag(), memory.offset())));
                    place.stream().expectTerminate(error);
                })
                .needs(Stream.concat(Stream.of(Need.ATOMICS), Stream.of(more)).toArray(Need[]::new)));
    }
}
