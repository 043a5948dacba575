package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Advertisement;
import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.CaseFailed;
import io.iwarp.conformance.judge.CaseSkipped;
import io.iwarp.conformance.judge.Need;
import io.iwarp.conformance.judge.PeerMemory;
import io.iwarp.conformance.judge.PeerStream;
import io.iwarp.conformance.wire.Arrival;
import io.iwarp.conformance.wire.ReadRequest;
import io.iwarp.conformance.wire.Segment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Read Requests that the peer has to answer or to refuse (RFC 5040 sections 5.2 and 7.2). */
final class RdmapReadCases {
    private static final long SINK = PeerStream.SINK_STAG;
    private static final int BURST = 4;
    /** More than one segment has. */
    private static final int CARRYING = 1 << 17;

    private static final int LARGE = 1 << 20;

    private RdmapReadCases() {}

    /** Returns the cases. */
    static List<Case> all() {
        List<Case> cases = new ArrayList<>();
        empty(cases);
        stags(cases);
        bounds(cases);
        upperBits(cases);
        inside(cases);
        order(cases);
        otherOrder(cases);
        carry(cases);
        return cases;
    }

    private static void empty(List<Case> cases) {
        long[][] places = {{0, 0}, {1, 1}, {0xDEAD_BEEFL, 0x0123_4567_89AB_CDEFL}, {0xFFFF_FFFFL, -1}};
        for (long[] sink : places) {
            for (long[] source : new long[][] {places[0], places[3]}) {
                cases.add(Case.onIdle(
                        String.format(Locale.ROOT, "rdmap.read.empty.%x.%x", sink[0], source[0]),
                        String.format(
                                Locale.ROOT,
                                "a Read of zero bytes from STag %x is answered with zero bytes to STag %x, TO %x",
                                source[0],
                                sink[0],
                                sink[1]),
                        "RDMAP-22 RDMAP-23 RDMAP-25 RDMAP-26 DDP-30",
                        stream -> {
                            read(stream, new ReadRequest(sink[0], sink[1], 0, source[0], source[1]));
                            stream.pings().expectResponse(sink[0], sink[1], 0);
                            stream.completePing();
                        }));
            }
        }
    }

    private static void stags(List<Case> cases) {
        for (int bit : new int[] {0, 7, 8, 15, 16, 23, 24, 31}) {
            long flip = 1L << bit;
            cases.add(Case.must(
                    String.format(Locale.ROOT, "rdmap.read.near.%x", flip),
                    String.format(
                            Locale.ROOT,
                            "a Read from the STag of the peer's memory with the bit %x flipped is refused with"
                                    + " 0/1/00 or 0/1/03",
                            flip),
                    "RDMAP-81 RDMAP-82",
                    session -> {
                        PeerMemory place = PeerMemory.readable(session);
                        Advertisement memory = place.memory();
                        read(place.stream(), new ReadRequest(SINK, 0, 1, memory.stag() ^ flip, memory.offset()));
                        place.stream().expectTerminate("0/1/00", "0/1/03", "0/1/01");
                    }));
        }
        cases.add(Case.must(
                        "rdmap.read.not-readable",
                        "a Read from memory that must not be read is refused with 0/1/02",
                        "RDMAP-86 SEC-5",
                        session -> {
                            PeerMemory place = PeerMemory.unreadable(session);
                            place.read(0, 1);
                            place.stream().expectTerminate("0/1/02");
                        })
                .needs(Need.UNREADABLE));
    }

    private static void bounds(List<Case> cases) {
        outside(cases, "before", "the byte before the memory", -1, 1, "RDMAP-83", Need.BOUNDED);
        outside(cases, "across-front", "two bytes that begin before the memory", -1, 2, "RDMAP-83", Need.BOUNDED);
        outside(cases, "far-before", "4096 bytes before the memory", -4096, 1, "RDMAP-83", Need.BOUNDED);
        outside(cases, "far-behind", "2^40 bytes beyond the memory", 1L << 40, 1, "RDMAP-83", Need.READABLE);
        outside(cases, "greatest", "2^32 - 1 bytes", 0, 0xFFFF_FFFFL, "RDMAP-84", Need.READABLE);
        outside(cases, "16-mib", "16 MiB + 1 bytes", 0, (1 << 24) + 1, "RDMAP-84", Need.READABLE);
        for (int more = 0; more < 2; more++) {
            int length = Case.DEFAULT_SIZE * more + 1;
            cases.add(Case.must(
                            "rdmap.read.behind." + length,
                            "a Read of " + length + " bytes that ends a byte beyond the memory that a client named is"
                                    + " refused with 0/1/01",
                            "RDMAP-83 RDMAP-84 SEC-4",
                            session -> {
                                if (session.peerIsServer()) {
                                    throw new CaseSkipped("a server does not say how large its buffer is");
                                }
                                PeerMemory place = PeerMemory.readable(session);
                                Advertisement memory = place.memory();
                                long from = length == 1 ? memory.size() : 0;
                                place.read(from, length == 1 ? 1 : memory.size() + 1);
                                place.stream().expectTerminate("0/1/01");
                            })
                    .needs(Need.READABLE, Need.BOUNDED));
        }
    }

    /** No bit of a TO or a size that leads far outside of the memory is left out of the check. */
    private static void upperBits(List<Case> cases) {
        for (int bit : new int[] {25, 31, 32, 39, 40, 47, 48, 55, 56, 62, 63}) {
            // The suite takes no peer with as much memory.
            long mask = 1L << bit;
            boolean ofSize = bit < Integer.SIZE;
            cases.add(Case.must(
                            "rdmap.read." + (ofSize ? "size." : "to.") + bit,
                            "a Read whose " + (ofSize ? "size" : "source TO") + " has bit " + bit
                                    + " flipped is refused with 0/1/01 or 0/1/04",
                            "RDMAP-83 RDMAP-84 RDMAP-85",
                            session -> {
                                PeerMemory place = PeerMemory.readable(session);
                                Advertisement memory = place.memory();
                                if (ofSize) {
                                    place.read(0, memory.size() ^ mask);
                                } else {
                                    place.readAt(memory.offset() ^ mask, 1);
                                }
                                place.stream().expectTerminate("0/1/01", "0/1/04");
                            })
                    .needs(Need.READABLE));
        }
    }

    private static void outside(
            List<Case> cases, String name, String what, long shift, long size, String requirement, Need need) {
        cases.add(Case.must(
                        "rdmap.read." + name,
                        "a Read of " + what + " is refused with 0/1/01",
                        requirement + " SEC-4",
                        session -> {
                            PeerMemory place = PeerMemory.readable(session);
                            place.read(shift, size);
                            if (DdpTaggedCases.wraps(place.memory().offset() + shift, size)) {
                                place.stream().expectTerminate("0/1/01", "0/1/04");
                            } else {
                                place.stream().expectTerminate("0/1/01");
                            }
                        })
                .needs(Need.READABLE, need));
    }

    private static void inside(List<Case> cases) {
        cases.add(Case.must(
                        "rdmap.read.last-byte",
                        "a Read of the last byte of the memory alone is answered",
                        "RDMAP-17 RDMAP-22 RDMAP-83",
                        session -> {
                            PeerMemory place = PeerMemory.readable(session);
                            place.read(session.wholeSize(place.memory()) - 1, 1);
                            place.stream().pings().expectResponse(SINK, 0, 1);
                            place.completePing();
                        })
                .needs(Need.READABLE));
        int[][] ranges = {{0, 1}, {1, 1}, {63, 1}, {0, 2}, {3, 5}, {31, 33}, {0, 63}, {0, 64}};
        for (int[] range : ranges) {
            cases.add(Case.must(
                            "rdmap.read.inside." + range[0] + "." + range[1],
                            "a Read of " + range[1] + " bytes from byte " + range[0]
                                    + " brings those that a Read of all brings there",
                            "RDMAP-17 RDMAP-22 RDMAP-27 RDMAP-29",
                            session -> {
                                PeerMemory place = PeerMemory.readable(session);
                                Advertisement memory = place.memory();
                                byte[] all = place.stream().pings().read(memory);
                                read(
                                        place.stream(),
                                        new ReadRequest(SINK, 77, range[1], memory.stag(), memory.offset() + range[0]));
                                byte[] part = place.stream().pings().expectResponse(SINK, 77, range[1]);
                                byte[] right = Arrays.copyOfRange(all, range[0], range[0] + range[1]);
                                if (!Arrays.equals(part, right)) {
                                    throw new CaseFailed("other bytes", "the bytes that are there");
                                }
                                place.completePing();
                            })
                    .needs(Need.READABLE));
        }
    }

    private static void order(List<Case> cases) {
        for (int count = 2; count <= BURST; count++) {
            int reads = count;
            cases.add(Case.onIdle(
                            "rdmap.read.burst." + count,
                            count + " Reads in a burst are answered in their order",
                            "RDMAP-20 RDMAP-28 RDMAP-29 RDMAP-69",
                            stream -> {
                                stream.requirePlacesForReads(reads);
                                for (int i = 0; i < reads; i++) {
                                    read(stream, new ReadRequest(SINK, i, 0, 0, 0));
                                }
                                for (int i = 0; i < reads; i++) {
                                    stream.pings().expectResponse(SINK, i, 0);
                                }
                                stream.completePing();
                            })
                    .needs(Need.ENHANCED));
        }
        cases.add(Case.onIdle(
                "rdmap.read.one-after-another",
                "ten Reads of zero bytes, one after another, are all answered",
                "RDMAP-18 RDMAP-19 RDMAP-28 DDP-21",
                stream -> {
                    for (int i = 0; i < 10; i++) {
                        read(stream, new ReadRequest(SINK, i, 0, 0, 0));
                        stream.pings().expectResponse(SINK, i, 0);
                    }
                    stream.completePing();
                }));
        cases.add(Case.must(
                        "rdmap.read.burst.whole",
                        "large Reads in a burst are answered in their order, with the bytes that are there",
                        "RDMAP-20 RDMAP-28 RDMAP-29 RDMAP-69",
                        session -> {
                            PeerMemory place = PeerMemory.readable(session);
                            PeerStream stream = place.stream();
                            Advertisement memory = place.memory();
                            long size = Math.min(session.wholeSize(memory), LARGE);
                            Advertisement all = new Advertisement(memory.offset(), memory.stag(), size);
                            byte[] there = stream.pings().read(all);
                            stream.requirePlacesForReads(BURST);
                            List<Segment> reads = new ArrayList<>();
                            for (int i = 0; i < BURST; i++) {
                                reads.add(Segment.readRequest(
                                        stream.takeReadMsn(),
                                        new ReadRequest(SINK, i, size, all.stag(), all.offset())));
                            }
                            stream.sendAtOnce(reads, BURST + " Reads");
                            for (int i = 0; i < BURST; i++) {
                                byte[] found = stream.pings().expectResponse(SINK, i, (int) size);
                                if (!Arrays.equals(found, there)) {
                                    throw new CaseFailed("other bytes", "the bytes that are there");
                                }
                            }
                            place.completePing();
                        })
                .needs(Need.READABLE, Need.ENHANCED));
    }

    /** The requests of a burst come in another order than that of their MSN, and one of them may be wrong. */
    private static void otherOrder(List<Case> cases) {
        for (int[] order : new int[][] {{1, 0}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}) {
            for (int wrong = -1; wrong < order.length; wrong++) {
                int at = wrong;
                String name = IntStream.of(order).mapToObj(String::valueOf).collect(Collectors.joining());
                cases.add(Case.should(
                                "rdmap.read.order." + name + (at < 0 ? "" : ".wrong." + at),
                                "Read Requests whose MSN are in the order " + name + " are answered in that of MSN"
                                        + (at < 0 ? "" : ", until number " + at + ", which is refused with 0/1/00"),
                                "DDP-36 RDMAP-28 RDMAP-51",
                                session -> inOrder(session.establish().awaitIdle(), order, at))
                        .needs(Need.ENHANCED));
            }
        }
    }

    private static void inOrder(PeerStream stream, int[] order, int wrong) throws IOException, CaseFailed, CaseSkipped {
        stream.requirePlacesForReads(order.length);
        List<Segment> reads = new ArrayList<>();
        for (int i = 0; i < order.length; i++) {
            // The peer has no memory with STag 0.
            reads.add(Segment.readRequest(stream.takeReadMsn(), new ReadRequest(SINK, i, i == wrong ? 1 : 0, 0, i)));
        }
        if (wrong >= 0) {
            stream.wire().blame(reads.get(wrong), true);
        }
        stream.sendAtOnce(IntStream.of(order).mapToObj(reads::get).toList(), "Reads in another order");
        for (int i = 0; i < (wrong < 0 ? order.length : wrong); i++) {
            Arrival arrival = stream.next();
            Segment answer = arrival.segment();
            if (wrong >= 0 && arrival.is(Segment.TERMINATE)) {
                // It may overtake the answers.
                return;
            }
            if (answer == null || !arrival.is(Segment.READ_RESPONSE) || answer.offset() != i) {
                throw stream.unexpected(arrival, "the answer to Read " + i);
            }
        }
        if (wrong >= 0) {
            stream.expectTerminate("0/1/00");
        } else {
            stream.completePing();
        }
    }

    /** The TO of the second segment of an answer has a carry into a bit. */
    private static void carry(List<Case> cases) {
        for (int bit : new int[] {8, 16, 24, 31, 32, 40, 48, 56, 63, 64}) {
            // Segments end at no round number.
            long sink = (bit == Long.SIZE ? 0 : 1L << bit) - (bit == Long.SIZE ? LARGE : 2);
            cases.add(Case.must(
                            "rdmap.read.carry." + bit,
                            "the TO of the answer to a large Read carries into bit " + bit + " from TO "
                                    + Long.toHexString(sink),
                            "RDMAP-32 DDP-29 DDP-34",
                            session -> {
                                session.requireSize();
                                PeerMemory place = PeerMemory.readable(session);
                                Advertisement memory = place.memory();
                                int size = (int) Math.min(session.wholeSize(memory), LARGE);
                                read(place.stream(), new ReadRequest(SINK, sink, size, memory.stag(), memory.offset()));
                                place.stream().pings().expectResponse(SINK, sink, size);
                                place.completePing();
                            })
                    .needs(Need.READABLE)
                    .size(CARRYING));
        }
    }

    private static void read(PeerStream stream, ReadRequest request) throws IOException {
        stream.send(Segment.readRequest(stream.takeReadMsn(), request));
    }
}
