package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.CaseFailed;
import io.iwarp.conformance.judge.CaseSkipped;
import io.iwarp.conformance.judge.Level;
import io.iwarp.conformance.judge.PeerStream;
import io.iwarp.conformance.judge.Role;
import io.iwarp.conformance.judge.Session;
import io.iwarp.conformance.wire.ReadRequest;
import io.iwarp.conformance.wire.Segment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * Each field and each cut of each {@link Message}, as tables: reserved fields, which have no effect; several segments
 * where one is enough; the same message again and again; and fields of the DDP header with one bit flipped.
 */
final class MessageCases {
    private static final int[] OFTEN = {2, 40, 150};
    private static final int PARTS = 8;
    private static final List<Integer> GAPS = List.of(1, 3, 5, 0, 2, 4, 6, 7);
    /** Bits of QN, MSN and MO that lead beyond all queues, receives and buffers of a peer. */
    private static final int FIRST_QUEUE_BIT = 2;

    private static final int FIRST_MSN_BIT = 13;
    private static final int FIRST_OFFSET_BIT = 22;

    private MessageCases() {}

    /** A field that has to be zero, and is not looked at. */
    @SuppressWarnings("ArrayRecordComponent") // not compared
    private record Reserved(String id, String text, String requirement, long[] values, BiConsumer<Segment, Long> set) {}

    private static final List<Reserved> RESERVED = List.of(
            new Reserved(
                    "ddp.reserved",
                    "the reserved bits of DDP",
                    "DDP-14",
                    new long[] {1, 2, 4, 8, 15},
                    (segment, value) -> segment.ddpReserved(value.intValue())),
            new Reserved(
                    "rdmap.reserved",
                    "the reserved bits of RDMAP",
                    "RDMAP-8",
                    new long[] {1, 2, 3},
                    (segment, value) -> segment.rdmapReserved(value.intValue())),
            new Reserved(
                    "rdmap.invalidate.ignored",
                    "the field Invalidate STag",
                    "RDMAP-5",
                    new long[] {1, 0x100, 0x8000_0000L, 0xFFFF_FFFFL},
                    Segment::stag));

    /** Where a message of some length is cut: the ends of all segments but the last. */
    private interface Cuts {
        int[] of(int length);
    }

    private record Pieces(String id, String text, Cuts cuts) {}

    private static final List<Pieces> PIECES = List.of(
            new Pieces("empty-first", "an empty segment and the rest", length -> new int[] {0}),
            new Pieces("first-byte", "its first byte and the rest", length -> new int[] {1}),
            new Pieces("half", "two halves", length -> new int[] {length / 2}),
            new Pieces("last-byte", "all but the last byte, and that", length -> new int[] {length - 1}),
            new Pieces("empty-last", "all of it and an empty segment", length -> new int[] {length}),
            new Pieces("empty-middle", "two halves and an empty segment between them", length ->
                    new int[] {length / 2, length / 2}),
            new Pieces("empty-all", "two halves and three empty segments around them", length ->
                    new int[] {0, length / 2, length / 2, length}),
            new Pieces("odd", "segments that end at 1, 2, 3 and 7 bytes", length -> new int[] {1, 2, 3, 7}),
            new Pieces(
                    "bytes",
                    "segments of a byte each",
                    length -> IntStream.range(1, length).toArray()));

    /** The messages that may have several segments. */
    private static final Set<Message> DIVISIBLE = EnumSet.of(
            Message.WRITE,
            Message.SEND,
            Message.SOLICITED,
            Message.READ_REQUEST,
            Message.READ_RESPONSE,
            Message.ATOMIC_REQUEST);

    /** A field of the DDP header in which a bit is flipped. */
    @SuppressWarnings("ArrayRecordComponent") // not compared
    private record Flip(
            String id,
            String text,
            String requirements,
            int firstBit,
            BiConsumer<Segment, Long> flip,
            String[] errors) {}

    private static final List<Flip> FLIPS = List.of(
            new Flip(
                    "ddp.flip.queue",
                    "QN",
                    "DDP-54",
                    FIRST_QUEUE_BIT,
                    (segment, bit) -> segment.queue(segment.queue() ^ bit),
                    new String[] {"1/2/01"}),
            new Flip(
                    "ddp.flip.msn",
                    "MSN",
                    "DDP-58",
                    FIRST_MSN_BIT,
                    (segment, bit) -> segment.msn(segment.msn() ^ bit),
                    new String[] {"1/2/03", "1/2/02"}),
            new Flip(
                    "ddp.flip.mo",
                    "MO",
                    "DDP-56 DDP-57",
                    FIRST_OFFSET_BIT,
                    (segment, bit) -> segment.messageOffset(segment.messageOffset() ^ bit),
                    new String[] {"1/2/04", "1/2/05"}));

    /** Returns the cases. */
    static List<Case> all(Role role) {
        List<Case> cases = new ArrayList<>();
        for (Message message : Message.values()) {
            if (role == Role.SERVER || message != Message.READ_RESPONSE) {
                reserved(cases, message);
                again(cases, message);
                if (DIVISIBLE.contains(message)) {
                    pieces(cases, message);
                    gaps(cases, message);
                }
            }
        }
        for (Message message : List.of(Message.SEND, Message.READ_REQUEST)) {
            flips(cases, message);
        }
        return cases;
    }

    private static void reserved(List<Case> cases, Message message) {
        for (Reserved field : RESERVED) {
            boolean tagged = Set.of(Message.WRITE, Message.EMPTY_WRITE, Message.READ_RESPONSE)
                    .contains(message);
            if (tagged && field.id().startsWith("rdmap.invalidate")) {
                continue;
            }
            for (long value : field.values()) {
                cases.add(Case.must(
                                String.format(Locale.ROOT, "%s.%s.%x", field.id(), message.id(), value),
                                String.format(
                                        Locale.ROOT,
                                        "%s with the value %x have no effect in a message %s",
                                        field.text(),
                                        value,
                                        message.text()),
                                field.requirement(),
                                session -> exchange(session, message, segments -> {
                                    segments.forEach(segment -> field.set().accept(segment, value));
                                    return segments;
                                }))
                        .needs(message.needs()));
            }
        }
    }

    private static void exchange(Session session, Message message, UnaryOperator<List<Segment>> change)
            throws IOException, CaseFailed, CaseSkipped {
        message.exchange(session, session.establish().awaitIdle(), change);
    }

    private static void pieces(List<Case> cases, Message message) {
        for (Pieces pieces : PIECES) {
            Case test = Case.must(
                            "ddp.segments." + message.id() + "." + pieces.id(),
                            "a message " + message.text() + " in several segments is one message: " + pieces.text(),
                            "DDP-12 DDP-27 DDP-37 DDP-38",
                            session -> exchange(session, message, segments -> cut(segments.get(0), pieces.cuts())))
                    .needs(message.needs());
            cases.add(message == Message.ATOMIC_REQUEST ? test.level(Level.SHOULD) : test);
        }
    }

    /** Every second byte or word first, so that there are several gaps; the last segment has the bit L. */
    private static void gaps(List<Case> cases, Message message) {
        cases.add(Case.should(
                        "ddp.pieces." + message.id() + ".gaps",
                        "a message " + message.text()
                                + " in eight pieces, of which every second one comes first, is one" + " message",
                        "DDP-27 DDP-35 DDP-37",
                        session -> exchange(session, message, segments -> {
                            List<Segment> rising = cut(
                                    segments.get(0),
                                    length -> IntStream.range(1, PARTS)
                                            .map(part -> part * length / PARTS)
                                            .toArray());
                            return GAPS.stream().map(rising::get).toList();
                        }))
                .needs(message.needs()));
    }

    private static List<Segment> cut(Segment whole, Cuts cuts) {
        byte[] payload = whole.payload();
        List<Segment> segments = new ArrayList<>();
        int from = 0;
        for (int to : IntStream.concat(Arrays.stream(cuts.of(payload.length)), IntStream.of(payload.length))
                .toArray()) {
            byte[] part = Arrays.copyOfRange(payload, from, to);
            Segment segment = whole.tagged()
                    ? Segment.tagged(whole.opcode(), whole.stag(), whole.offset() + from, part)
                    : Segment.untagged(whole.opcode(), whole.queue(), whole.msn(), part)
                            .messageOffset(from);
            segments.add(segment.last(false));
            from = to;
        }
        segments.get(segments.size() - 1).last(true);
        return segments;
    }

    /** The second message, and the hundredth, is treated as the first one. */
    private static void again(List<Case> cases, Message message) {
        if (Set.of(Message.TERMINATE, Message.IMMEDIATE).contains(message)) {
            return;
        }
        for (int count : OFTEN) {
            cases.add(Case.must(
                            "rdmap.again." + message.id() + "." + count,
                            count + " messages " + message.text() + " in a row all have their effect",
                            "DDP-21 DDP-36 RDMAP-28",
                            session -> {
                                PeerStream stream = session.establish().awaitIdle();
                                for (int i = 0; i < count; i++) {
                                    message.exchange(session, stream, segments -> segments);
                                }
                            })
                    .needs(message.needs()));
        }
    }

    private static void flips(List<Case> cases, Message message) {
        for (Flip field : FLIPS) {
            for (int bit = field.firstBit(); bit < Integer.SIZE; bit++) {
                long mask = 1L << bit;
                cases.add(Case.must(
                                field.id() + "." + message.id() + "." + bit,
                                "a message " + message.text() + " whose " + field.text() + " has bit " + bit
                                        + " flipped is refused with " + String.join(" or ", field.errors()),
                                field.requirements(),
                                session -> {
                                    PeerStream stream = session.establish().awaitIdle();
                                    Segment segment = message == Message.SEND
                                            ? stream.pings().takeAwaited()
                                            : Segment.readRequest(stream.takeReadMsn(), new ReadRequest(5, 6, 0, 7, 8));
                                    field.flip().accept(segment, mask);
                                    stream.send(segment);
                                    stream.expectTerminate(field.errors());
                                })
                        .needs(message.needs()));
            }
        }
    }
}
