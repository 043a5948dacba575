package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Advertisement;
import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.CaseFailed;
import io.iwarp.conformance.judge.CaseSkipped;
import io.iwarp.conformance.judge.Need;
import io.iwarp.conformance.judge.PeerMemory;
import io.iwarp.conformance.judge.PeerStream;
import io.iwarp.conformance.judge.Session;
import io.iwarp.conformance.wire.Arrival;
import io.iwarp.conformance.wire.AtomicRequest;
import io.iwarp.conformance.wire.Bytes;
import io.iwarp.conformance.wire.ReadRequest;
import io.iwarp.conformance.wire.Segment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Atomics on memory that allows them (RFC 7306 section 5): what they return, and what they leave. */
final class ExtAtomicCases {
    private static final long[] ADDENDS = {
        0,
        1,
        -1,
        0xFF,
        1L << 31,
        1L << 32,
        1L << 63,
        0xAA99_8878L,
        0xFFFF_FFFFL,
        0xFFFF_FFFF_0000_0000L,
        0x0123_4567_89AB_CDEFL,
        0xFEDC_BA98_7654_3210L
    };
    private static final long START = 0x1122_3344_5566_7788L;
    private static final long OTHER = 0x99AA_BBCC_DDEE_FF00L;
    private static final long[] MASKS = {0, -1, 0xFFFF_FFFFL, 0xFFFF_FFFF_0000_0000L, 0x8000_0000_8000_0000L};
    private static final int RESPONSE = 12;
    private static final int[] BITS = {0, 7, 8, 15, 16, 23, 24, 31, 32, 39, 40, 47, 48, 55, 56, 63};

    private ExtAtomicCases() {}

    /** Returns the cases. */
    static List<Case> all() {
        List<Case> cases = new ArrayList<>();
        adds(cases);
        swaps(cases);
        bits(cases);
        headers(cases);
        return cases;
    }

    private static AtomicRequest add(Advertisement memory, long value, long mask) {
        return new AtomicRequest(AtomicRequest.FETCH_ADD, 7, memory.stag(), memory.offset(), value, mask, 0, -1);
    }

    private static AtomicRequest swap(Advertisement memory, long value, long mask, long compare, long compareMask) {
        return new AtomicRequest(
                AtomicRequest.COMPARE_SWAP, 7, memory.stag(), memory.offset(), value, mask, compare, compareMask);
    }

    /** What is done with the first number, which is {@link #START}, and what has to be there afterwards. */
    private static void changes(
            List<Case> cases, String id, String title, String requirements, Change change, long right) {
        changes(cases, id, title, requirements, (session, memory) -> 0, change, right);
    }

    private interface First {
        long in(Session session, Advertisement memory);
    }

    private static void changes(
            List<Case> cases, String id, String title, String requirements, First first, Change change, long right) {
        cases.add(Case.must(id, title, requirements, session -> {
                    PeerMemory place = PeerMemory.readable(session);
                    Advertisement memory = place.memory().from(first.in(session, place.memory()));
                    place.mustStay();
                    // A swap that compares nothing sets the number.
                    long before = execute(place.stream(), swap(memory, START, -1, 0, 0));
                    require(execute(place.stream(), change.on(memory)), START, "the number that was there before");
                    require(execute(place.stream(), add(memory, 0, 0)), right, "the number that is there then");
                    // A client compares its text with what comes back.
                    execute(place.stream(), swap(memory, before, -1, 0, 0));
                    place.completePing();
                })
                .needs(Need.ATOMICS, Need.ATOMIC_MEMORY));
    }

    private interface Change {
        AtomicRequest on(Advertisement memory);
    }

    private static void adds(List<Case> cases) {
        for (long value : ADDENDS) {
            changes(
                    cases,
                    String.format(Locale.ROOT, "ext.add.%x", value),
                    String.format(Locale.ROOT, "a FetchAdd of %x returns the old number and leaves the sum", value),
                    "EXT-7 EXT-10 EXT-18",
                    memory -> add(memory, value, 0),
                    START + value);
        }
        changes(
                cases,
                "ext.add.masked.halves",
                "a FetchAdd whose mask has two fields lets no carry pass from one to the other",
                "EXT-7",
                memory -> add(memory, 0x0000_0001_FFFF_FFFFL, 0x8000_0000_8000_0000L),
                ((0x1122_3344L + 1) << 32) + ((0x5566_7788L + 0xFFFF_FFFFL) & 0xFFFF_FFFFL));
        changes(
                cases,
                "ext.add.masked.bits",
                "a FetchAdd whose mask has all bits is an exclusive or",
                "EXT-7",
                memory -> add(memory, OTHER, -1),
                START ^ OTHER);
        changes(
                cases,
                "ext.add.last-number",
                "a FetchAdd changes the last number of the memory",
                "EXT-7 EXT-33",
                (session, memory) -> session.wholeSize(memory) - Long.BYTES & -Long.BYTES,
                memory -> add(memory, 1, 0),
                START + 1);
        cases.add(Case.must(
                        "ext.add.across-end",
                        "a FetchAdd on a number of which half is in the memory that a client named is refused"
                                + " with 0/1/01",
                        "EXT-33 SEC-4",
                        session -> {
                            PeerMemory place = PeerMemory.readable(session);
                            Advertisement memory = place.memory();
                            if (session.peerIsServer() || memory.size() % Long.BYTES == 0) {
                                throw new CaseSkipped("it takes a client whose memory ends inside of a number");
                            }
                            execute(place.stream(), add(memory.from(memory.size() - 12), 0, 0));
                            place.stream().send(request(place.stream(), add(memory.from(memory.size() - 4), 0, 0)));
                            place.stream().expectTerminate("0/1/01");
                        })
                .needs(Need.ATOMICS, Need.ATOMIC_MEMORY, Need.BOUNDED)
                .size(Case.DEFAULT_SIZE + 4));
    }

    private static Segment request(PeerStream stream, AtomicRequest atomic) {
        return Segment.untagged(Segment.ATOMIC_REQUEST, 1, stream.takeReadMsn(), atomic.encode());
    }

    private static void swaps(List<Case> cases) {
        changes(
                cases,
                "ext.swap.equal",
                "a CmpSwap of equal numbers swaps",
                "EXT-8 EXT-10",
                memory -> swap(memory, OTHER, -1, START, -1),
                OTHER);
        changes(
                cases,
                "ext.swap.unequal",
                "a CmpSwap of unequal numbers leaves the number",
                "EXT-8 EXT-10",
                memory -> swap(memory, OTHER, -1, START + 1, -1),
                START);
        changes(
                cases,
                "ext.swap.compare-mask",
                "a CmpSwap compares under the Compare Mask alone",
                "EXT-8",
                memory -> swap(memory, OTHER, -1, START & 0xFF, 0xFF),
                OTHER);
        changes(
                cases,
                "ext.swap.compare-mask.unequal",
                "a CmpSwap sees a difference under the Compare Mask",
                "EXT-8",
                memory -> swap(memory, OTHER, -1, START ^ 0x80, 0xFF),
                START);
        changes(
                cases,
                "ext.swap.mask",
                "a CmpSwap swaps the bits of the Swap Mask alone",
                "EXT-8",
                memory -> swap(memory, OTHER, 0xFFFF, START, -1),
                (START & ~0xFFFFL) | (OTHER & 0xFFFFL));
        changes(
                cases,
                "ext.swap.mask.none",
                "a CmpSwap with an empty Swap Mask leaves the number",
                "EXT-8",
                memory -> swap(memory, OTHER, 0, START, -1),
                START);
    }

    /** A difference in each byte, and at both ends of each half, is a difference. */
    private static void bits(List<Case> cases) {
        for (int bit : BITS) {
            long mask = 1L << bit;
            changes(
                    cases,
                    "ext.swap.differs." + bit,
                    "a CmpSwap whose Compare Data differs in bit " + bit + " leaves the number",
                    "EXT-8",
                    memory -> swap(memory, OTHER, -1, START ^ mask, -1),
                    START);
            changes(
                    cases,
                    "ext.swap.unmasked." + bit,
                    "a CmpSwap does not compare bit " + bit + " if the Compare Mask has all others alone",
                    "EXT-8",
                    memory -> swap(memory, OTHER, -1, START ^ mask, ~mask),
                    OTHER);
            changes(
                    cases,
                    "ext.swap.bit." + bit,
                    "a CmpSwap swaps bit " + bit + " alone if the Swap Mask has no other",
                    "EXT-8",
                    memory -> swap(memory, ~START, mask, START, -1),
                    START ^ mask);
            changes(
                    cases,
                    "ext.add.bit." + bit,
                    "a FetchAdd whose mask has bit " + bit + " lets no carry pass it",
                    "EXT-7",
                    memory -> add(memory, START, mask),
                    masked(START, START, mask));
        }
        for (int bit : new int[] {32, 39, 40, 47, 48, 55, 56, 62, 63}) {
            long mask = 1L << bit;
            refusedAt(
                    cases,
                    "ext.atomic.to." + bit,
                    "TO with bit " + bit + " flipped",
                    memory -> new AtomicRequest(
                            AtomicRequest.FETCH_ADD, 7, memory.stag(), memory.offset() ^ mask, 1, 0, 0, -1),
                    "0/1/01",
                    "0/1/04");
        }
        for (int bit : new int[] {0, 7, 8, 15, 16, 23, 24, 31}) {
            long mask = 1L << bit;
            refusedAt(
                    cases,
                    "ext.atomic.near." + bit,
                    "STag with bit " + bit + " flipped",
                    memory -> new AtomicRequest(
                            AtomicRequest.FETCH_ADD, 7, memory.stag() ^ mask, memory.offset(), 1, 0, 0, -1),
                    "0/1/00",
                    "0/1/03",
                    "0/1/01",
                    "0/1/02");
        }
    }

    /** Returns what a FetchAdd leaves: the mask has the highest bit of each field. */
    private static long masked(long left, long right, long mask) {
        return ((left & ~mask) + (right & ~mask)) ^ ((left ^ right) & mask);
    }

    /** Code, data, mask, compare data and compare mask of an atomic on {@link #START}, and what it leaves. */
    @SuppressWarnings("ArrayRecordComponent") // not compared
    private record Trial(long[] fields, long right) {
        AtomicRequest on(Advertisement memory) {
            return new AtomicRequest(
                    fields[0], 7, memory.stag(), memory.offset(), fields[1], fields[2], fields[3], fields[4]);
        }
    }

    private static void trials(List<Case> cases, String kind, String what, long mask, List<Trial> trials) {
        cases.add(Case.must(
                        String.format(Locale.ROOT, "ext.%s.fields.%x", kind, mask),
                        String.format(Locale.ROOT, what, mask) + ", return the old number and leave the right one",
                        "EXT-7 EXT-8 EXT-10 EXT-11 EXT-18",
                        session -> {
                            PeerMemory place = PeerMemory.readable(session);
                            PeerStream stream = place.stream();
                            place.mustStay();
                            long before = execute(stream, swap(place.memory(), START, -1, 0, 0));
                            for (Trial trial : trials) {
                                require(execute(stream, trial.on(place.memory())), START, "the number before");
                                // A swap that compares nothing sets the number.
                                long left = execute(stream, swap(place.memory(), START, -1, 0, 0));
                                require(left, trial.right(), "what the atomic leaves");
                            }
                            execute(stream, swap(place.memory(), before, -1, 0, 0));
                            place.completePing();
                        })
                .needs(Need.ATOMICS, Need.ATOMIC_MEMORY));
    }

    private static void refusedAt(List<Case> cases, String id, String what, Change change, String... errors) {
        cases.add(Case.must(
                        id,
                        "a FetchAdd on the memory's " + what + " is refused with " + String.join(" or ", errors),
                        "EXT-33",
                        session -> {
                            PeerMemory place = PeerMemory.readable(session);
                            place.stream().send(request(place.stream(), change.on(place.memory())));
                            place.stream().expectTerminate(errors);
                        })
                .needs(Need.ATOMICS, Need.ATOMIC_MEMORY));
    }

    private static void headers(List<Case> cases) {
        for (long mask : MASKS) {
            List<Trial> adds = new ArrayList<>();
            List<Trial> swaps = new ArrayList<>();
            for (long other : MASKS) {
                for (long data : new long[] {OTHER, -1, 1L << 31, 1}) {
                    adds.add(new Trial(
                            new long[] {AtomicRequest.FETCH_ADD, data, mask, ~START, other},
                            masked(START, data, mask)));
                    for (long compare : new long[] {START, START ^ 1, START ^ 1L << 32, START ^ 1L << 63}) {
                        long right = ((START ^ compare) & other) == 0 ? (START & ~mask) | (data & mask) : START;
                        swaps.add(
                                new Trial(new long[] {AtomicRequest.COMPARE_SWAP, data, mask, compare, other}, right));
                    }
                }
            }
            trials(cases, "add", "FetchAdds with the mask %x, whose Compare Data and Mask are ignored", mask, adds);
            trials(cases, "swap", "CmpSwaps with the Swap Mask %x under each Compare Mask", mask, swaps);
        }
        for (long bits : new long[] {0x10, 0x100, 0x1_0000, 0x100_0000, 0x8000_0000L, 0xFFFF_FFF0L}) {
            changes(
                    cases,
                    String.format(Locale.ROOT, "ext.add.reserved.%x", bits),
                    "the reserved bits before the AOpCode of a FetchAdd are not looked at",
                    "EXT-11",
                    memory -> new AtomicRequest(bits, 7, memory.stag(), memory.offset(), 1, 0, 0, -1),
                    START + 1);
            changes(
                    cases,
                    String.format(Locale.ROOT, "ext.swap.reserved.%x", bits),
                    "the reserved bits before the AOpCode of a CmpSwap are not looked at",
                    "EXT-11",
                    memory -> new AtomicRequest(
                            bits | AtomicRequest.COMPARE_SWAP, 7, memory.stag(), memory.offset(), OTHER, -1, START, -1),
                    OTHER);
        }
        for (long identifier : new long[] {0, 0x100, 0x1_0000, 0x8000_0000L, 0xFFFF_FFFFL}) {
            changes(
                    cases,
                    String.format(Locale.ROOT, "ext.atomic.identifier.%x", identifier),
                    String.format(Locale.ROOT, "the Request Identifier %x comes back", identifier),
                    "EXT-12",
                    memory -> new AtomicRequest(
                            AtomicRequest.FETCH_ADD, identifier, memory.stag(), memory.offset(), 1, 0, 0, -1),
                    START + 1);
        }
        cases.add(Case.must(
                        "ext.atomic.order",
                        "a Read, an atomic and a Read in a burst are answered in their order",
                        "EXT-14 EXT-17 EXT-23",
                        session -> {
                            PeerMemory place = PeerMemory.readable(session);
                            PeerStream stream = place.stream();
                            stream.requirePlacesForReads(3);
                            AtomicRequest atomic = add(place.memory(), 0, 0);
                            stream.send(Segment.readRequest(
                                    stream.takeReadMsn(), new ReadRequest(PeerStream.SINK_STAG, 1, 0, 0, 0)));
                            stream.send(request(stream, atomic));
                            stream.send(Segment.readRequest(
                                    stream.takeReadMsn(), new ReadRequest(PeerStream.SINK_STAG, 2, 0, 0, 0)));
                            stream.pings().expectResponse(PeerStream.SINK_STAG, 1, 0);
                            answer(stream, atomic);
                            stream.pings().expectResponse(PeerStream.SINK_STAG, 2, 0);
                            place.completePing();
                        })
                .needs(Need.ATOMICS, Need.ATOMIC_MEMORY, Need.ENHANCED));
        cases.add(Case.must(
                        "ext.atomic.burst",
                        "FetchAdds in a burst are executed and answered in their order",
                        "EXT-14 EXT-17 EXT-23",
                        session -> {
                            PeerMemory place = PeerMemory.readable(session);
                            PeerStream stream = place.stream();
                            stream.requirePlacesForReads(3);
                            place.mustStay();
                            long before = execute(stream, swap(place.memory(), START, -1, 0, 0));
                            List<AtomicRequest> adds = List.of(
                                    add(place.memory(), 1, 0), add(place.memory(), 2, 0), add(place.memory(), 4, 0));
                            stream.sendAtOnce(
                                    adds.stream()
                                            .map(add -> request(stream, add))
                                            .toList(),
                                    "three FetchAdds");
                            long right = START;
                            for (AtomicRequest add : adds) {
                                require(answer(stream, add), right, "the sum of what was added before");
                                right = 2 * right - START + 1;
                            }
                            execute(stream, swap(place.memory(), before, -1, 0, 0));
                            place.completePing();
                        })
                .needs(Need.ATOMICS, Need.ATOMIC_MEMORY, Need.ENHANCED));
    }

    private static long execute(PeerStream stream, AtomicRequest atomic) throws IOException, CaseFailed {
        stream.send(request(stream, atomic));
        return answer(stream, atomic);
    }

    private static long answer(PeerStream stream, AtomicRequest atomic) throws IOException, CaseFailed {
        Arrival arrival = stream.next();
        Segment segment = arrival.segment();
        if (segment == null || !arrival.is(Segment.ATOMIC_RESPONSE) || segment.payload().length != RESPONSE) {
            throw stream.unexpected(arrival, "an Atomic Response of 12 bytes");
        }
        if (Bytes.u32(segment.payload(), 0) != atomic.identifier()) {
            throw stream.unexpected(arrival, "the Request Identifier " + atomic.identifier());
        }
        return Bytes.u64(segment.payload(), Integer.BYTES);
    }

    private static void require(long found, long right, String what) throws CaseFailed {
        if (found != right) {
            throw new CaseFailed(
                    String.format(Locale.ROOT, "%016x", found), String.format(Locale.ROOT, "%016x, %s", right, what));
        }
    }
}
