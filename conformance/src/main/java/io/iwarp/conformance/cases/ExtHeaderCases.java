package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Advertisement;
import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.CaseFailed;
import io.iwarp.conformance.judge.Need;
import io.iwarp.conformance.judge.PeerMemory;
import io.iwarp.conformance.judge.PeerStream;
import io.iwarp.conformance.wire.Arrival;
import io.iwarp.conformance.wire.AtomicRequest;
import io.iwarp.conformance.wire.Bytes;
import io.iwarp.conformance.wire.Segment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** RFC 7306: atomics and Immediate Data, where the peer has them, and how it refuses them where it does not. */
final class ExtHeaderCases {
    private static final int CODES = 16;
    private static final int ATOMIC_HEADER = 52;
    private static final int IMMEDIATE_SOLICITED = 9;
    private static final int RESPONSES = 3;

    private ExtHeaderCases() {}

    /** {@return the cases} */
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
            cases.add(Case.must(
                            "ext.immediate.absent." + opcode,
                            Segment.name(opcode) + ", which the peer does not know, is refused with 0/2/06",
                            "EXT-34 RDMAP-78",
                            session -> {
                                PeerStream stream = session.establish().awaitIdle();
                                stream.send(Segment.untagged(opcode, 0, stream.takeMsn(), new byte[Long.BYTES]));
                                stream.expectTerminate("0/2/06");
                            })
                    .needs(Need.NO_IMMEDIATE));
        }
        cases.add(Case.must(
                        "ext.atomic.absent.request",
                        "an Atomic Request, which the peer does not know, is refused with 0/2/06",
                        "EXT-34 RDMAP-78",
                        session -> {
                            PeerStream stream = session.establish().awaitIdle();
                            stream.send(Segment.untagged(
                                    Segment.ATOMIC_REQUEST,
                                    1,
                                    stream.takeReadMsn(),
                                    atomic(AtomicRequest.FETCH_ADD, 0, 0)));
                            stream.expectTerminate("0/2/06");
                        })
                .needs(Need.NO_ATOMICS));
        cases.add(Case.must(
                        "ext.atomic.response.absent",
                        "an Atomic Response, which the peer does not know, is refused with 0/2/06 or 1/2/01",
                        "EXT-34 RDMAP-78 DDP-54",
                        session -> {
                            PeerStream stream = session.establish().awaitIdle();
                            stream.send(Segment.untagged(Segment.ATOMIC_RESPONSE, RESPONSES, 1, new byte[12]));
                            stream.expectTerminate("0/2/06", "1/2/01");
                        })
                .needs(Need.NO_ATOMICS));
    }

    private static void immediate(List<Case> cases) {
        for (int opcode : new int[] {Segment.IMMEDIATE, IMMEDIATE_SOLICITED}) {
            for (int length : new int[] {0, 1, 7, 9, 16}) {
                cases.add(Case.must(
                                "ext.immediate." + opcode + "." + length,
                                Segment.name(opcode) + " of " + length
                                        + " instead of 8 bytes is refused with a Terminate",
                                "EXT-29 EXT-32",
                                session -> {
                                    PeerStream stream = session.establish().awaitIdle();
                                    stream.send(Segment.untagged(opcode, 0, stream.takeMsn(), Bytes.pattern(length)));
                                    stream.expect(Segment.TERMINATE);
                                })
                        .needs(Need.IMMEDIATE));
            }
            cases.add(Case.must(
                            "ext.immediate.valid." + opcode,
                            Segment.name(opcode) + " of 8 bytes is no error: the peer sends no Terminate about it",
                            "EXT-28 EXT-29 EXT-31",
                            session -> {
                                PeerStream stream = session.establish().awaitIdle();
                                stream.send(Segment.untagged(opcode, 0, stream.takeMsn(), new byte[Long.BYTES]));
                                Arrival arrival = stream.next();
                                if (arrival.is(Segment.TERMINATE)) {
                                    throw stream.unexpected(arrival, "no Terminate: a program may end the connection");
                                }
                            })
                    .needs(Need.IMMEDIATE));
            cases.add(Case.must(
                            "ext.immediate.msn." + opcode,
                            Segment.name(opcode) + " shares the MSN of Sends: an MSN far ahead is refused",
                            "EXT-28 EXT-2",
                            session -> {
                                PeerStream stream = session.establish().awaitIdle();
                                stream.send(Segment.untagged(opcode, 0, 100_000, new byte[Long.BYTES]));
                                stream.expectTerminate("1/2/03", "1/2/02");
                            })
                    .needs(Need.IMMEDIATE));
        }
    }

    private static void atomics(List<Case> cases) {
        for (int code = 1; code < CODES; code++) {
            if (code == AtomicRequest.COMPARE_SWAP) {
                continue;
            }
            int unknown = code;
            cases.add(Case.must(
                            "ext.atomic.code." + code,
                            "an Atomic Request with AOpCode " + code + " is refused with 0/2/06",
                            "EXT-16",
                            session -> {
                                PeerMemory place = PeerMemory.readable(session);
                                Advertisement memory = place.memory();
                                refuse(place.stream(), atomic(unknown, memory.stag(), memory.offset()), "0/2/06");
                            })
                    .needs(Need.ATOMICS));
        }
        for (int code : new int[] {AtomicRequest.FETCH_ADD, AtomicRequest.COMPARE_SWAP}) {
            String name = code == AtomicRequest.FETCH_ADD ? "FetchAdd" : "CmpSwap";
            for (long stag : new long[] {0, 1, 0xFFFF_FFFFL}) {
                cases.add(Case.must(
                                String.format(Locale.ROOT, "ext.atomic.stag.%d.%x", code, stag),
                                String.format(
                                        Locale.ROOT,
                                        "a %s on STag %x, which the peer did not name, is refused with 0/1/00",
                                        name,
                                        stag),
                                "EXT-3 EXT-32 EXT-33",
                                session -> {
                                    PeerStream stream = session.establish().awaitIdle();
                                    refuse(stream, atomic(code, stag, 0), "0/1/00");
                                })
                        .needs(Need.ATOMICS));
            }
            cases.add(Case.must(
                            "ext.atomic.right." + code,
                            "a " + name + " on memory without the right for it is refused with 0/1/02",
                            "EXT-33 RDMAP-86",
                            session -> {
                                PeerMemory place = PeerMemory.unwritable(session);
                                Advertisement memory = place.memory();
                                refuse(place.stream(), atomic(code, memory.stag(), memory.offset()), "0/1/02");
                            })
                    .needs(Need.ATOMICS, Need.UNWRITABLE));
        }
        lengths(cases);
    }

    private static void refuse(PeerStream stream, byte[] request, String error) throws IOException, CaseFailed {
        stream.send(Segment.untagged(Segment.ATOMIC_REQUEST, 1, stream.takeReadMsn(), request));
        stream.expectTerminate(error);
    }

    private static void lengths(List<Case> cases) {
        for (int length : new int[] {0, 1, 28, 51, 53, 56}) {
            cases.add(Case.must(
                            "ext.atomic.length." + length,
                            "an Atomic Request of " + length + " instead of 52 bytes ends the stream",
                            "EXT-11 EXT-32",
                            session -> {
                                PeerStream stream = session.establish().awaitIdle();
                                stream.send(Segment.untagged(
                                        Segment.ATOMIC_REQUEST, 1, stream.takeReadMsn(), new byte[length]));
                                stream.expectEndOfAnyKind();
                            })
                    .needs(Need.ATOMICS));
        }
        for (long number : new long[] {0, 1000, 0xFFFF_FFFFL}) {
            cases.add(Case.must(
                            String.format(Locale.ROOT, "ext.atomic.msn.%x", number),
                            "an Atomic Request with MSN " + number + " is refused: it shares the MSN of Read Requests",
                            "EXT-14",
                            session -> {
                                PeerStream stream = session.establish().awaitIdle();
                                stream.send(
                                        Segment.untagged(Segment.ATOMIC_REQUEST, 1, number, new byte[ATOMIC_HEADER]));
                                stream.expectTerminate("1/2/03", "1/2/02");
                            })
                    .needs(Need.ATOMICS));
        }
        for (long number : new long[] {0, 1, 2, 0xFFFF_FFFFL}) {
            cases.add(Case.must(
                            String.format(Locale.ROOT, "ext.atomic.response.%x", number),
                            "an Atomic Response with MSN " + number + ", to nothing that was asked, is refused",
                            "EXT-20 EXT-21",
                            session -> {
                                PeerStream stream = session.establish().awaitIdle();
                                stream.send(Segment.untagged(Segment.ATOMIC_RESPONSE, RESPONSES, number, new byte[12]));
                                stream.expectTerminate("1/2/02", "1/2/03", "0/2/06");
                            })
                    .needs(Need.ATOMICS));
        }
    }
}
