package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.CaseSkipped;
import io.iwarp.conformance.judge.Need;
import io.iwarp.conformance.judge.PeerMemory;
import io.iwarp.conformance.wire.Bytes;
import io.iwarp.conformance.wire.Segment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** Tagged segments (RFC 5041 section 7.1): their versions, their STag, and the bounds of the memory. */
final class DdpTaggedCases {
    private static final long[] NO_STAGS = {0, 1, 0xFF, 0x7FFF_FFFFL, 0xFFFF_FFFFL};
    private static final byte[] ONE = {'#'};

    private DdpTaggedCases() {}

    /** Returns the cases. */
    static List<Case> all() {
        List<Case> cases = new ArrayList<>();
        emptyWrites(cases);
        rights(cases);
        bounds(cases);
        lastByte(cases);
        inside(cases);
        return cases;
    }

    private static void emptyWrites(List<Case> cases) {
        for (long stag : NO_STAGS) {
            for (long offset : new long[] {0, -1}) {
                cases.add(Case.onIdle(
                        String.format(Locale.ROOT, "ddp.write.empty.%x.%x", stag, offset),
                        String.format(
                                Locale.ROOT, "a Write of zero bytes to STag %x, TO %x is not checked", stag, offset),
                        "DDP-31 DDP-30 RDMAP-15",
                        stream -> {
                            stream.send(Segment.tagged(Segment.WRITE, stag, offset, Bytes.NONE));
                            stream.completePing();
                        }));
            }
        }
    }

    private static void rights(List<Case> cases) {
        cases.add(Case.must(
                        "ddp.stag.not-writable",
                        "a Write to memory that must not be written is refused",
                        "DDP-60 SEC-5 SEC-19",
                        session -> {
                            PeerMemory place = PeerMemory.unwritable(session);
                            place.write(0, ONE);
                            place.stream().expectTerminate("1/1/00", "0/1/02");
                        })
                .needs(Need.UNWRITABLE));
    }

    private static void lastByte(List<Case> cases) {
        cases.add(Case.must(
                        "ddp.write.last-byte",
                        "a Write of the last byte of the memory alone is taken",
                        "DDP-61 DDP-62",
                        session -> {
                            PeerMemory place = PeerMemory.writable(session);
                            byte[] text = place.text();
                            long last = session.wholeSize(place.memory()) - 1;
                            place.write(last, Arrays.copyOfRange(text, text.length - 1, text.length));
                            place.completePing();
                        })
                .needs(Need.WRITABLE));
    }

    private static void bounds(List<Case> cases) {
        outside(cases, "before", "the byte before the memory", -1, 1, Need.BOUNDED);
        outside(cases, "far-before", "4096 bytes before the memory", -4096, 1, Need.BOUNDED);
        outside(cases, "across-front", "two bytes that begin before the memory", -1, 2, Need.BOUNDED);
        outside(cases, "far-behind", "2^40 bytes beyond the memory", 1L << 40, 1, Need.WRITABLE);
        // A server's sink is as large as its buffer, which the suite does not know; a client's is what it names.
        behind(cases, "behind", "to the byte beyond the memory", "DDP-61", (place, size) -> place.write(size, ONE));
        behind(
                cases,
                "across-end",
                "one byte longer than the memory",
                "DDP-62",
                (place, size) -> place.write(0, Bytes.pattern((int) size + 1)));
    }

    /** Writes more than memory of some size takes. */
    private interface Overstep {
        void write(PeerMemory place, long size) throws IOException;
    }

    /** A server's sink is as large as its buffer, which the suite does not know; a client's is what it names. */
    private static void behind(List<Case> cases, String name, String what, String requirement, Overstep overstep) {
        cases.add(Case.must(
                        "ddp.write." + name,
                        "a Write " + what + " that a client named is refused with 1/1/01",
                        requirement + " DDP-68 SEC-4",
                        session -> {
                            if (session.peerIsServer()) {
                                throw new CaseSkipped("a server does not say how large its buffer is");
                            }
                            PeerMemory place = PeerMemory.writable(session);
                            overstep.write(place, place.memory().size());
                            place.stream().expectTerminate("1/1/01");
                        })
                .needs(Need.WRITABLE, Need.BOUNDED));
    }

    private static void outside(List<Case> cases, String name, String what, long shift, int length, Need need) {
        cases.add(Case.must(
                        "ddp.write." + name,
                        "a Write to " + what + " is refused with 1/1/01",
                        "DDP-61 DDP-64 DDP-68 SEC-4",
                        session -> {
                            PeerMemory place = PeerMemory.writable(session);
                            place.write(shift, Bytes.pattern(length));
                            if (wraps(place.memory().offset() + shift, length)) {
                                place.stream().expectTerminate("1/1/01", "1/1/03");
                            } else {
                                place.stream().expectTerminate("1/1/01");
                            }
                        })
                .needs(Need.WRITABLE, need));
    }

    /** Returns whether a range passes 2^64: memory may begin at 0. */
    static boolean wraps(long offset, long length) {
        return offset < 0 && offset + length > 0;
    }

    private static void inside(List<Case> cases) {
        for (int from : new int[] {0, 1, 31, 62, 63}) {
            written(
                    cases,
                    "inside." + from,
                    "to byte " + from + " of the memory changes that byte",
                    "DDP-27 RDMAP-12 RDMAP-15 RDMAP-64 DDP-19",
                    new int[] {from, from + 1});
        }
        for (int size : new int[] {1, 2, 3, 4, 7, 8, 16, 31, 32, 33, 63}) {
            int[][] parts = IntStream.iterate(0, from -> from < Case.DEFAULT_SIZE, from -> from + size)
                    .mapToObj(from -> new int[] {from, Math.min(from + size, Case.DEFAULT_SIZE)})
                    .toArray(int[][]::new);
            written(
                    cases,
                    "segments." + size,
                    "in segments of " + size + " bytes is all there",
                    "DDP-12 DDP-27 DDP-29",
                    parts);
        }
    }

    private static void written(List<Case> cases, String name, String what, String requirements, int[]... parts) {
        cases.add(Case.must("ddp.write." + name, "a Write " + what, requirements, session -> {
                    PeerMemory place = PeerMemory.writable(session);
                    place.write(parts);
                    place.completePing();
                })
                .needs(Need.WRITABLE));
    }
}
