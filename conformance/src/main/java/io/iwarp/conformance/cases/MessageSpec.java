package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Advertisement;
import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.CaseFailed;
import io.iwarp.conformance.judge.CaseSkipped;
import io.iwarp.conformance.judge.PeerMemory;
import io.iwarp.conformance.judge.PeerStream;
import io.iwarp.conformance.judge.Pings;
import io.iwarp.conformance.wire.AtomicRequest;
import io.iwarp.conformance.wire.Bytes;
import io.iwarp.conformance.wire.ReadRequest;
import io.iwarp.conformance.wire.Segment;
import io.iwarp.conformance.wire.TerminateMessage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * A message as a table names it: what it is, then the fields that are changed, such as {@code send queue=4 rv=2}. A
 * {@code +} adds to what the field is. {@code length} cuts or fills up the payload, {@code parts} and {@code three}
 * make segments of it, and {@code without} leaves one of these out.
 */
final class MessageSpec {
    private static final int HEX = 16;
    private static final byte[] ONE = {'#'};
    private static final AtomicRequest ADD =
            new AtomicRequest(AtomicRequest.FETCH_ADD, 0x0102_0304L, 0, 0, 0, 0, 0, -1);

    /** The place of a field of a header in the payload, and how many bytes it has. */
    private record Place(int offset, int length) {}

    private static final Map<String, Place> HEADERS = Map.of(
            "size", new Place(12, Integer.BYTES),
            "source", new Place(16, Integer.BYTES),
            "from", new Place(20, Long.BYTES),
            "code", new Place(0, Integer.BYTES),
            "on", new Place(8, Integer.BYTES),
            "at", new Place(12, Long.BYTES));

    private MessageSpec() {}

    /** Returns whether a server alone takes the message. */
    static boolean isForServers(String spec) {
        return spec.startsWith("answer");
    }

    /** Returns the segments of the message on a stream on which the peer waits for a Send. */
    static List<Segment> on(PeerStream stream, String spec) throws IOException, CaseFailed, CaseSkipped {
        String[] words = spec.split(" ", -1);
        Segment message = message(stream, words[0]);
        List<Segment> segments = List.of(message);
        for (int i = 1; i < words.length; i++) {
            int sign = words[i].replace('+', '=').indexOf('=');
            String field = words[i].substring(0, sign);
            long value = number(words[i].substring(sign + 1));
            switch (field) {
                case "parts" -> segments = MessageCases.inPieces(message, (int) value);
                case "three" -> segments = MessageCases.inThree(message);
                case "without" -> {
                    segments = new ArrayList<>(segments);
                    segments.remove((int) value);
                }
                default -> change(message, field, value, words[i].charAt(sign) == '+');
            }
        }
        return segments;
    }

    private static long number(String text) {
        return text.startsWith("0x") ? Long.parseUnsignedLong(text.substring(2), HEX) : Long.parseLong(text);
    }

    private static Segment message(PeerStream stream, String name) throws IOException, CaseFailed, CaseSkipped {
        return switch (name) {
            case "send" -> stream.pings().takeAwaited();
            case "second-send" -> {
                stream.completePing();
                yield stream.pings().takeAwaited();
            }
            case "invalidate" -> DdpSegmentCases.invalidate(stream, Segment.SEND_INVALIDATE, 0);
            case "invalidate-se" -> DdpSegmentCases.invalidate(stream, Segment.SEND_SOLICITED_INVALIDATE, 0);
            case "immediate" -> immediate(stream, Segment.IMMEDIATE);
            case "immediate-se" -> immediate(stream, Segment.IMMEDIATE_SOLICITED);
            case "unknown" -> Segment.untagged(15, 0, stream.takeMsn(), Bytes.NONE);
            case "read" -> read(stream, new Advertisement(0, 0, 0));
            case "atomic" -> atomic(stream, new Advertisement(0, 0, 0));
            case "atomic-response" ->
                Segment.untagged(Segment.ATOMIC_RESPONSE, 3, 1, new byte[AtomicRequest.RESPONSE_LENGTH]);
            case "write" -> Segment.tagged(Segment.WRITE, 0, 0, ONE);
            case "response" -> Segment.tagged(Segment.READ_RESPONSE, 0, 0, ONE);
            case "terminate" -> Segment.terminate(TerminateMessage.bare(0, 0, 0).encode());
            case "answer" -> answer(stream, false);
            case "answer-again" -> answer(stream, true);
            case "memory-write" -> write(PeerMemory.writable(stream));
            case "forbidden-write" -> write(PeerMemory.unwritable(stream));
            case "memory-read" -> read(stream, PeerMemory.unwritable(stream).memory());
            case "memory-atomic" -> atomic(stream, PeerMemory.unwritable(stream).memory());
            default -> throw new IllegalArgumentException("no message has the name " + name);
        };
    }

    private static Segment immediate(PeerStream stream, int opcode) {
        return Segment.untagged(opcode, 0, stream.takeMsn(), Bytes.pattern(Long.BYTES));
    }

    private static Segment write(PeerMemory memory) {
        return Segment.tagged(
                Segment.WRITE, memory.memory().stag(), memory.memory().offset(), ONE);
    }

    private static Segment read(PeerStream stream, Advertisement source) {
        return Segment.readRequest(
                stream.nextReadMsn(), new ReadRequest(PeerStream.SINK_STAG, 0, 0, source.stag(), source.offset()));
    }

    private static Segment atomic(PeerStream stream, Advertisement memory) {
        Segment atomic = Segment.untagged(Segment.ATOMIC_REQUEST, 1, stream.nextReadMsn(), ADD.encode());
        change(atomic, "on", memory.stag(), false);
        change(atomic, "at", memory.offset(), false);
        return atomic;
    }

    private static Segment answer(PeerStream stream, boolean again) throws IOException, CaseFailed {
        byte[] text = Pings.text(Case.DEFAULT_SIZE);
        ReadRequest read = stream.pings().advertise(text.length);
        if (again) {
            stream.pings().respond(read, text);
            stream.pings().expectGoAhead();
        }
        return Segment.tagged(Segment.READ_RESPONSE, read.sinkStag(), read.sinkOffset(), text);
    }

    private static void change(Segment message, String field, long value, boolean add) {
        Place place = HEADERS.get(field);
        if (place != null) {
            byte[] payload = message.payload().clone();
            boolean wide = place.length() == Long.BYTES;
            long before = wide ? Bytes.u64(payload, place.offset()) : Bytes.u32(payload, place.offset());
            long after = add ? before + value : value;
            System.arraycopy(wide ? Bytes.u64(after) : Bytes.u32(after), 0, payload, place.offset(), place.length());
            message.payload(payload);
            return;
        }
        switch (field) {
            case "dv" -> message.ddpVersion((int) value);
            case "rv" -> message.rdmapVersion((int) value);
            case "queue" -> message.queue(value);
            case "msn" -> message.msn((add ? message.msn() : 0) + value & 0xFFFF_FFFFL);
            case "mo" -> message.messageOffset(value);
            case "stag" -> message.stag((add ? message.stag() : 0) + value & 0xFFFF_FFFFL);
            case "to" -> message.offset((add ? message.offset() : 0) + value);
            case "length" ->
                message.payload(Arrays.copyOf(message.payload(), (int) value + (add ? message.payload().length : 0)));
            default -> throw new IllegalArgumentException("no field has the name " + field);
        }
    }
}
