package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.Level;
import io.iwarp.conformance.judge.Need;
import io.iwarp.conformance.judge.Role;
import io.iwarp.conformance.wire.FpduChange;
import io.iwarp.conformance.wire.Segment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.ObjLongConsumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Each field of the header, each cut, and each repetition of each {@link Message}, as tables. A field that has no
 * effect is set in all segments, in the first and in the last one; a field that is wrong is wrong in the only segment,
 * and in each one of three.
 */
final class MessageCases {
    private static final int[] OFTEN = {2, 270};
    private static final int PARTS = 8;
    private static final List<Integer> GAPS = List.of(1, 3, 5, 0, 2, 4, 6, 7);
    private static final long[] VERSIONS = {0, 3, 2};
    /** Messages after which a program of rping may end. */
    private static final Set<Message> LAST =
            EnumSet.of(Message.TERMINATE, Message.IMMEDIATE, Message.SOLICITED_IMMEDIATE);

    private static final Predicate<Message> SHORT_LIST =
            EnumSet.of(Message.SEND, Message.READ_REQUEST, Message.WRITE, Message.READ_RESPONSE)::contains;

    private MessageCases() {}

    /**
     * A field of the header of DDP or RDMAP.
     *
     * @param id of its cases, to which the message and the value are added
     * @param text names it
     * @param messages that have it
     * @param values that are tried; the last one is tried in each segment of a message of several
     * @param set sets it to a value, or flips a bit of it
     * @param isOfMessage whether the peer may take it from any segment of a message, so that all must be wrong
     * @param needs what the cases need besides what the message needs
     * @param errors of which the peer has to report one; if there are none, the field has no effect
     */
    @SuppressWarnings("ArrayRecordComponent") // not compared
    private record Field(
            String id,
            String text,
            String requirements,
            Predicate<Message> messages,
            long[] values,
            ObjLongConsumer<Segment> set,
            boolean isOfMessage,
            List<Need> needs,
            String... errors) {
        Field(
                String id,
                String text,
                String requirements,
                Predicate<Message> messages,
                long[] values,
                ObjLongConsumer<Segment> set,
                String... errors) {
            this(id, text, requirements, messages, values, set, false, List.of(), errors);
        }

        /** Returns the same field, which the peer may take from any segment. */
        Field ofMessage() {
            return new Field(id, text, requirements, messages, values, set, true, needs, errors);
        }

        /** Returns the same field, whose cases need more. */
        Field needing(Need... more) {
            return new Field(id, text, requirements, messages, values, set, isOfMessage, List.of(more), errors);
        }

        boolean hasNoEffect() {
            return errors.length == 0;
        }

        String title(Message message, String where, long value) {
            String field = String.format(Locale.ROOT, "%s (%x) of a message %s%s", text, value, message.text(), where);
            return field + (hasNoEffect() ? " has no effect" : " is refused with " + String.join(" or ", errors));
        }

        /** Returns the case in which the field is changed in some segments of those that the message is cut into. */
        Case test(Message message, String suffix, String where, long value, Cuts cuts, int... changed) {
            UnaryOperator<List<Segment>> change = segments -> {
                List<Segment> all = cut(segments.get(0), cuts);
                IntStream.of(changed).forEach(i -> set.accept(all.get(i), value));
                return all;
            };
            String id = String.format(Locale.ROOT, "%s.%s.%x%s", id(), message.id(), value, suffix);
            return Case.onIdle(id, title(message, where, value), requirements, stream -> {
                        if (hasNoEffect()) {
                            message.exchange(stream, change);
                        } else {
                            message.sendWrong(stream, segments -> {
                                List<Segment> sent = change.apply(segments);
                                if (!isOfMessage) {
                                    stream.wire().blame(sent.get(changed[0]), sent.size() == 1);
                                }
                                return sent;
                            });
                            stream.expectTerminate(errors);
                        }
                    })
                    .needs(Stream.concat(Stream.of(message.needs()), needs.stream())
                            .toArray(Need[]::new));
        }
    }

    /** Returns bits, each a value of its own. */
    private static long[] bits(int... bits) {
        return IntStream.of(bits).mapToLong(bit -> 1L << bit).toArray();
    }

    private static final Predicate<Message> TAGGED = Message::tagged;
    private static final Predicate<Message> WITH_BYTES = EnumSet.of(Message.WRITE, Message.READ_RESPONSE)::contains;
    private static final Predicate<Message> REQUESTS = TAGGED.negate().and(message -> message != Message.TERMINATE);
    private static final Predicate<Message> OTHERS = REQUESTS.and(SHORT_LIST.negate());
    private static final Predicate<Message> SHORT_REQUESTS = REQUESTS.and(SHORT_LIST);
    private static final Predicate<Message> INVALIDATING =
            EnumSet.of(Message.INVALIDATE, Message.SOLICITED_INVALIDATE)::contains;

    private static final String[] BAD_QUEUE = {"1/2/01"};
    private static final String[] BAD_MSN = {"1/2/03", "1/2/02"};
    private static final String[] BAD_MO = {"1/2/04", "1/2/05"};

    private static final List<Field> FIELDS = List.of(
            new Field(
                    "ddp.reserved",
                    "the reserved bits of DDP",
                    "DDP-14",
                    Message::known,
                    new long[] {1, 2, 4, 8, 15},
                    (segment, value) -> segment.ddpReserved((int) value)),
            new Field(
                    "rdmap.reserved",
                    "the reserved bits of RDMAP",
                    "RDMAP-8",
                    Message::known,
                    new long[] {1, 2, 3},
                    (segment, value) -> segment.rdmapReserved((int) value)),
            new Field(
                    "rdmap.invalidate.ignored",
                    "the field Invalidate STag",
                    "RDMAP-5",
                    TAGGED.negate().and(Message::known),
                    new long[] {1, 0x100, 0x1_0000, 0x8000_0000L, 0xFFFF_FFFFL},
                    Segment::stag),
            new Field(
                    "ddp.version",
                    "DV",
                    "DDP-15 DDP-68 RDMAP-53",
                    TAGGED,
                    VERSIONS,
                    MessageCases::setDdpVersion,
                    "1/1/04"),
            new Field(
                    "ddp.version",
                    "DV",
                    "DDP-15 DDP-68 RDMAP-53",
                    REQUESTS,
                    VERSIONS,
                    MessageCases::setDdpVersion,
                    "1/2/06"),
            new Field(
                    "rdmap.version",
                    "RV",
                    "RDMAP-7 RDMAP-79 RDMAP-53 EXT-1",
                    message -> message != Message.TERMINATE,
                    VERSIONS,
                    (segment, value) -> segment.rdmapVersion((int) value),
                    "0/2/05"),
            // The lowest bits of QN, MSN and MO lead to queues, receives and buffers that a peer may have.
            flip(
                    "queue",
                    "QN",
                    "DDP-54",
                    SHORT_REQUESTS,
                    bits(2, 3, 7, 8, 15, 16, 23, 24, 31),
                    MessageCases::flipQueue,
                    BAD_QUEUE),
            flip("queue", "QN", "DDP-54", OTHERS, bits(2, 8, 16, 24, 31), MessageCases::flipQueue, BAD_QUEUE),
            flip(
                    "msn",
                    "MSN",
                    "DDP-58",
                    SHORT_REQUESTS,
                    bits(13, 15, 16, 23, 24, 30, 31),
                    MessageCases::flipMsn,
                    BAD_MSN),
            flip("msn", "MSN", "DDP-58", OTHERS, bits(15, 16, 24, 31), MessageCases::flipMsn, BAD_MSN),
            flip(
                    "mo",
                    "MO",
                    "DDP-56 DDP-57",
                    SHORT_REQUESTS,
                    bits(22, 23, 24, 30, 31),
                    MessageCases::flipMessageOffset,
                    BAD_MO),
            flip(
                    "mo",
                    "MO",
                    "DDP-56 DDP-57",
                    OTHERS.and(Message::divisible),
                    bits(24, 31),
                    MessageCases::flipMessageOffset,
                    BAD_MO),
            flip(
                    "stag",
                    "the STag",
                    "DDP-59 DDP-68 SEC-8 RDMAP-31",
                    WITH_BYTES,
                    bits(0, 7, 8, 15, 16, 23, 24, 31),
                    MessageCases::flipStag,
                    // There may be other memory, and for a Read Response no Read.
                    "1/1/00",
                    "1/1/02",
                    "1/1/01",
                    "0/2/06"),
            flip(
                    "to",
                    "the TO",
                    "DDP-61 DDP-62 DDP-68 RDMAP-31",
                    WITH_BYTES,
                    // No peer registers as much memory around what it names.
                    bits(32, 39, 40, 47, 48, 55, 56, 62, 63),
                    MessageCases::flipTaggedOffset,
                    "1/1/01",
                    "1/1/03",
                    "0/2/06"),
            new Field(
                            "ddp.before",
                            "a TO that is moved so far to the front",
                            "DDP-61 DDP-62 DDP-68 SEC-4 RDMAP-31",
                            WITH_BYTES,
                            // Of a segment in the middle it leaves nothing inside.
                            new long[] {1, 4096, Case.DEFAULT_SIZE + 1},
                            (segment, value) -> segment.offset(segment.offset() - value),
                            "1/1/01",
                            "1/1/03",
                            "0/2/06")
                    .needing(Need.BOUNDED),
            flip(
                            "invalidate",
                            "the field Invalidate STag",
                            "RDMAP-39 RDMAP-80 SEC-7",
                            INVALIDATING,
                            bits(0, 7, 8, 15, 16, 23, 24, 31),
                            MessageCases::flipStag,
                            "0/1/09",
                            "0/2/09",
                            "0/1/03")
                    .ofMessage());

    private static void setDdpVersion(Segment segment, long version) {
        segment.ddpVersion((int) version);
    }

    private static void flipQueue(Segment segment, long bit) {
        segment.queue(segment.queue() ^ bit);
    }

    private static void flipMsn(Segment segment, long bit) {
        segment.msn(segment.msn() ^ bit);
    }

    private static void flipMessageOffset(Segment segment, long bit) {
        segment.messageOffset(segment.messageOffset() ^ bit);
    }

    private static void flipStag(Segment segment, long bit) {
        segment.stag(segment.stag() ^ bit);
    }

    private static void flipTaggedOffset(Segment segment, long bit) {
        segment.offset(segment.offset() ^ bit);
    }

    private static Field flip(
            String name,
            String text,
            String requirements,
            Predicate<Message> messages,
            long[] bits,
            ObjLongConsumer<Segment> flip,
            String... errors) {
        return new Field("ddp.flip." + name, text + " with a bit flipped", requirements, messages, bits, flip, errors);
    }

    /** Where a message of some length is cut: the ends of all segments but the last. */
    private interface Cuts {
        int[] of(int length);
    }

    private static final Cuts WHOLE = length -> new int[0];
    private static final Cuts THREE = length -> new int[] {length / 4, length / 2};

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

    /** Returns the cases. */
    static List<Case> all(Role role) {
        List<Case> cases = new ArrayList<>();
        Stream.of(Message.values())
                .filter(message -> role == Role.SERVER || message != Message.READ_RESPONSE)
                .forEach(message -> {
                    FIELDS.stream()
                            .filter(field -> field.messages().test(message))
                            .forEach(field -> field(cases, field, message));
                    if (message != Message.TERMINATE) {
                        crc(cases, message);
                    }
                    if (message.known()) {
                        again(cases, message);
                        Stream.of(Message.values())
                                .filter(second -> role == Role.SERVER || second != Message.READ_RESPONSE)
                                .forEach(second -> afterAnother(cases, message, second));
                    }
                    if (message.known() && message.divisible()) {
                        pieces(cases, message);
                        gaps(cases, message);
                    }
                });
        return cases;
    }

    private static void field(List<Case> cases, Field field, Message message) {
        long[] values = field.values();
        for (long value : values) {
            cases.add(field.test(message, "", "", value, WHOLE, 0));
        }
        if (message.divisible()) {
            long value = values[values.length - 1];
            if (field.hasNoEffect() || field.isOfMessage()) {
                cases.add(field.test(message, ".all", " in all of three segments", value, THREE, 0, 1, 2));
            }
            if (!field.isOfMessage()) {
                cases.add(field.test(message, ".first", " in the first of three segments", value, THREE, 0));
                cases.add(field.test(message, ".middle", " in the middle of three segments", value, THREE, 1));
                cases.add(field.test(message, ".last", " in the last of three segments", value, THREE, 2));
            }
        }
    }

    private static void crc(List<Case> cases, Message message) {
        for (boolean last : message.divisible() ? new boolean[] {false, true} : new boolean[] {false}) {
            // From the end: in the CRC, and, as no FPDU is shorter, in the header of a tagged message.
            for (int byteFromEnd : new int[] {0, 7, 15}) {
                cases.add(Case.onIdle(
                                "mpa.crc.message." + message.id() + (last ? ".last" : "")
                                        + (byteFromEnd == 0 ? "" : "." + byteFromEnd),
                                "a wrong CRC of a message " + message.text()
                                        + (last ? " in the last of three segments" : "") + " is refused with 2/0/02",
                                "MPA-36 MPA-40 MPA-84",
                                stream -> {
                                    List<Segment> wrong = new ArrayList<>();
                                    message.sendWrong(stream, segments -> {
                                        List<Segment> all = cut(segments.get(0), last ? THREE : WHOLE);
                                        wrong.add(all.remove(all.size() - 1));
                                        return all;
                                    });
                                    stream.send(wrong.get(0), FpduChange.flipFromEnd(byteFromEnd), ", a bit flipped");
                                    stream.expectTerminate("2/0/02");
                                })
                        .needs(Stream.concat(Stream.of(message.needs()), Stream.of(Need.CRC))
                                .toArray(Need[]::new)));
            }
        }
    }

    private static void pieces(List<Case> cases, Message message) {
        for (Pieces pieces : PIECES) {
            Case test = Case.must(
                            "ddp.segments." + message.id() + "." + pieces.id(),
                            "a message " + message.text() + " in several segments is one message: " + pieces.text(),
                            "DDP-12 DDP-27 DDP-37 DDP-38",
                            session -> message.exchange(
                                    session.establish().awaitIdle(), segments -> cut(segments.get(0), pieces.cuts())))
                    .needs(message.needs());
            cases.add(message == Message.ATOMIC_REQUEST ? test.level(Level.SHOULD) : test);
        }
    }

    /** Every second byte or word first, so that there are several gaps; the last segment has the bit L. */
    private static void gaps(List<Case> cases, Message message) {
        Cuts eighths = length ->
                IntStream.range(1, PARTS).map(part -> part * length / PARTS).toArray();
        cases.add(Case.should(
                        "ddp.pieces." + message.id() + ".gaps",
                        "a message " + message.text()
                                + " in eight pieces, of which every second one comes first, is one message",
                        "DDP-27 DDP-35 DDP-37",
                        session -> message.exchange(session.establish().awaitIdle(), segments -> {
                            List<Segment> rising = cut(segments.get(0), eighths);
                            return GAPS.stream().map(rising::get).toList();
                        }))
                .needs(message.needs()));
    }

    /** Returns a message in three segments. */
    static List<Segment> inThree(Segment whole) {
        return cut(whole, THREE);
    }

    /** Returns a message in segments of so many bytes each. */
    static List<Segment> inPieces(Segment whole, int each) {
        return cut(
                whole,
                length -> IntStream.iterate(each, end -> end < length, end -> end + each)
                        .toArray());
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
                            .stag(whole.stag())
                            .messageOffset(from);
            segments.add(segment.last(false));
            from = to;
        }
        segments.get(segments.size() - 1).last(true);
        return segments;
    }

    /** A message has nothing of the one before it, of which all fields are set that mean nothing. */
    private static void afterAnother(List<Case> cases, Message first, Message second) {
        if (LAST.contains(first) || !second.known() || second == Message.TERMINATE) {
            return;
        }
        cases.add(Case.onIdle(
                        "rdmap.after." + first.id() + "." + second.id(),
                        "a message " + second.text() + " after a message " + first.text()
                                + " whose ignored fields are set has its own effect",
                        "DDP-36 DDP-14 RDMAP-5 RDMAP-8 RDMAP-37",
                        stream -> {
                            first.exchange(stream, segments -> ignored(first, segments.get(0)));
                            second.exchange(stream, segments -> segments);
                            if (!LAST.contains(second)) {
                                first.exchange(stream, segments -> segments);
                                second.exchange(stream, segments -> ignored(second, segments.get(0)));
                            }
                        })
                .needs(Stream.of(first.needs(), second.needs())
                        .flatMap(Stream::of)
                        .toArray(Need[]::new)));
    }

    /** Returns a message in three segments, if all peers have to take it so, with all that is ignored set. */
    private static List<Segment> ignored(Message message, Segment whole) {
        boolean cut = message.divisible() && message != Message.ATOMIC_REQUEST;
        List<Segment> segments = cut ? inThree(whole) : List.of(whole);
        for (Segment segment : segments) {
            segment.ddpReserved(0x0F).rdmapReserved(0x03);
            if (!segment.tagged()) {
                segment.stag(0xFFFF_FFFFL);
            }
        }
        return segments;
    }

    /** The second message, and the hundredth, is treated as the first one. */
    private static void again(List<Case> cases, Message message) {
        if (LAST.contains(message)) {
            return;
        }
        for (int count : OFTEN) {
            cases.add(Case.onIdle(
                            "rdmap.again." + message.id() + "." + count,
                            count + " messages " + message.text() + " in a row all have their effect",
                            "DDP-21 DDP-36 RDMAP-28 RDMAP-37",
                            stream -> {
                                for (int i = 0; i < count; i++) {
                                    message.exchange(stream, segments -> segments);
                                }
                            })
                    .needs(message.needs()));
        }
    }
}
