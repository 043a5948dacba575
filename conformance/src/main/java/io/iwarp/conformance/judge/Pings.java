package io.iwarp.conformance.judge;

import io.iwarp.conformance.wire.Arrival;
import io.iwarp.conformance.wire.Bytes;
import io.iwarp.conformance.wire.ReadRequest;
import io.iwarp.conformance.wire.Segment;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The exchange of rping. The client names memory with a text, which the server reads; the server says "go ahead"; the
 * client names other memory, to which the server writes the text; the server says "go ahead".
 */
public final class Pings {
    private static final int MAX_SEGMENT = 64_754;
    private static final byte[] GO_AHEAD = new byte[Advertisement.LENGTH];

    private final PeerStream stream;
    private final Session session;
    private @Nullable Advertisement source;
    private boolean halves;

    Pings(PeerStream stream, Session session) {
        this.stream = stream;
        this.session = session;
    }

    /** Returns a text as rping has it: its last byte is zero. */
    public static byte[] text(int size) {
        byte[] text = Bytes.pattern(size);
        text[size - 1] = 0;
        return text;
    }

    /** From here on, each Send and each Read Response of a ping is sent in two segments. */
    public void sendInHalves() {
        halves = true;
    }

    void completePing() throws IOException, CaseFailed {
        if (session.peerIsServer()) {
            ping(text(Case.DEFAULT_SIZE));
        } else {
            serve();
        }
    }

    /** Returns the message for which the peer waits: the name of a text, or "go ahead". */
    public byte[] awaited() {
        return session.peerIsServer() ? sourceOf(Case.DEFAULT_SIZE) : GO_AHEAD.clone();
    }

    /** Returns the Send for which the peer waits; its MSN is used up. */
    public Segment takeAwaited() {
        return Segment.send(stream.takeMsn(), awaited());
    }

    /** Completes a ping of which the awaited Send was sent. */
    public void completePingAfterSend() throws IOException, CaseFailed {
        if (session.peerIsServer()) {
            byte[] text = text(Case.DEFAULT_SIZE);
            respond(expectReadRequest(text.length), text);
            expectGoAhead();
            takeBack(text);
        } else {
            Advertisement first = source();
            Advertisement sink = awaitAdvertisement();
            answer(sink, read(first));
        }
    }

    /** The suite is the client: a whole ping. */
    public void ping(byte[] text) throws IOException, CaseFailed {
        respond(advertise(text.length), text);
        expectGoAhead();
        takeBack(text);
    }

    /** The suite is the client: a whole ping, whose Read is answered in segments of at most some bytes. */
    public void pingInSegments(int size, int most) throws IOException, CaseFailed {
        byte[] text = text(size);
        ReadRequest read = advertise(size);
        send(Segment.READ_RESPONSE, read.sinkStag(), read.sinkOffset(), text, most);
        expectGoAhead();
        takeBack(text);
    }

    /** Returns the most bytes of a segment of a message. */
    private int segmentLength(int messageLength, int otherwise) {
        return halves ? (messageLength + 1) / 2 : otherwise;
    }

    private void send(byte[] message) throws IOException {
        long msn = stream.takeMsn();
        int most = segmentLength(message.length, message.length);
        for (int from = 0; from < message.length; from += most) {
            int to = Math.min(from + most, message.length);
            stream.send(Segment.send(msn, Arrays.copyOfRange(message, from, to))
                    .messageOffset(from)
                    .last(to == message.length));
        }
    }

    /** Sends a tagged message in segments of at most some bytes. */
    private void send(int opcode, long stag, long offset, byte[] data, int most) throws IOException {
        for (int from = 0; from < data.length; from += most) {
            int to = Math.min(data.length, from + most);
            stream.send(Segment.tagged(opcode, stag, offset + from, Arrays.copyOfRange(data, from, to))
                    .last(to == data.length));
        }
    }

    /** Returns the message that names the memory of the suite with the text. */
    public static byte[] sourceOf(int size) {
        return new Advertisement(PeerStream.BASE, PeerStream.SOURCE_STAG, size).encode();
    }

    /** Returns the message that names the memory of the suite for the answer. */
    public static byte[] sinkOf(int size) {
        return new Advertisement(PeerStream.BASE, PeerStream.SINK_STAG, size).encode();
    }

    /** Returns the peer's Read Request after the suite, which is the client, has named a text. */
    public ReadRequest advertise(int size) throws IOException, CaseFailed {
        send(sourceOf(size));
        return expectReadRequest(size);
    }

    /** Returns the peer's Read Request for a text that was named. */
    public ReadRequest expectReadRequest(int size) throws IOException, CaseFailed {
        Arrival arrival = stream.next();
        Segment segment = arrival.segment();
        if (segment == null || !arrival.is(Segment.READ_REQUEST) || segment.payload().length < ReadRequest.LENGTH) {
            throw stream.unexpected(arrival, "a Read Request");
        }
        ReadRequest read = ReadRequest.decode(segment.payload());
        ReadRequest right =
                new ReadRequest(read.sinkStag(), read.sinkOffset(), size, PeerStream.SOURCE_STAG, PeerStream.BASE);
        if (!read.equals(right)) {
            throw differs(arrival, segment.payload(), right.encode(), Segment.UNTAGGED_HEADER, right.describe());
        }
        return read;
    }

    /** Answers a Read Request. */
    public void respond(ReadRequest read, byte[] text) throws IOException {
        send(Segment.READ_RESPONSE, read.sinkStag(), read.sinkOffset(), text, segmentLength(text.length, MAX_SEGMENT));
    }

    /** The suite is the client: it names memory for the answer, and waits until the text is there. */
    public void takeBack(byte[] text) throws IOException, CaseFailed {
        send(sinkOf(text.length));
        expectWrite(text);
        expectGoAhead();
    }

    /** Waits for the Write with the text. */
    public void expectWrite(byte[] text) throws IOException, CaseFailed {
        byte[] right = answered(text);
        requireData(Segment.WRITE, PeerStream.SINK_STAG, PeerStream.BASE, right);
    }

    /** Waits for a tagged message with some data. */
    private void requireData(int opcode, long stag, long offset, byte[] right) throws IOException, CaseFailed {
        Placement placement = collect(opcode, stag, offset, right.length);
        int wrong = Arrays.mismatch(placement.data, right);
        if (wrong >= 0) {
            throw new CaseFailed(
                    String.format(Locale.ROOT, "%d bytes of which byte %d is wrong", placement.data.length, wrong),
                    right.length + " bytes as they were sent",
                    placement.entry,
                    Segment.TAGGED_HEADER + 2);
        }
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Placement(byte[] data, int entry) {}

    /** Collects the segments of a tagged message. */
    private Placement collect(int opcode, long stag, long offset, int most) throws IOException, CaseFailed {
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        while (true) {
            Arrival arrival = stream.next();
            Segment segment = arrival.segment();
            if (segment == null || !segment.tagged() || !arrival.is(opcode)) {
                throw stream.unexpected(arrival, "a segment of " + Segment.name(opcode));
            }
            if (segment.stag() != stag) {
                throw new CaseFailed(
                        String.format(Locale.ROOT, "STag %08x", segment.stag()),
                        String.format(Locale.ROOT, "STag %08x", stag),
                        arrival.entry(),
                        arrival.offsets()[2]);
            }
            if (data.size() == 0 && segment.offset() != offset) {
                throw new CaseFailed(
                        String.format(Locale.ROOT, "TO %x", segment.offset()),
                        String.format(Locale.ROOT, "TO %x", offset),
                        arrival.entry(),
                        arrival.offsets()[6]);
            }
            data.writeBytes(segment.payload());
            if (data.size() > most) {
                throw new CaseFailed(data.size() + " bytes", most + " bytes", arrival.entry(), 0);
            }
            if (segment.last()) {
                return new Placement(data.toByteArray(), arrival.entry());
            }
        }
    }

    /** Waits for the server's "go ahead". */
    public void expectGoAhead() throws IOException, CaseFailed {
        expectSend("a Send of 16 bytes");
    }

    /** The suite is the server: waits for the client's memory. */
    public Advertisement awaitAdvertisement() throws IOException, CaseFailed {
        Advertisement named = Advertisement.decode(expectSend("a Send of 16 bytes"));
        source = named;
        return named;
    }

    /** Waits for a Send of 16 bytes, with or without Solicited Event, in any number of segments. */
    private byte[] expectSend(String allowed) throws IOException, CaseFailed {
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        while (true) {
            Arrival arrival = stream.next();
            Segment segment = arrival.segment();
            if (segment == null || !arrival.isSend()) {
                throw stream.unexpected(arrival, allowed);
            }
            message.writeBytes(segment.payload());
            boolean whole = message.size() == Advertisement.LENGTH;
            if (message.size() > Advertisement.LENGTH || (segment.last() && !whole)) {
                throw stream.unexpected(arrival, allowed);
            }
            if (segment.last()) {
                return message.toByteArray();
            }
        }
    }

    /** Returns the memory that the client named last. */
    public Advertisement source() {
        Advertisement named = source;
        if (named == null) {
            throw new IllegalStateException("the client has not named memory yet");
        }
        return named;
    }

    /** The suite is the server: a whole ping from where the client has named its text. */
    public void serve() throws IOException, CaseFailed {
        byte[] text = read(source());
        goAhead();
        answer(awaitAdvertisement(), text);
    }

    /** The suite is the server: it writes the text back. */
    public void answer(Advertisement sink, byte[] text) throws IOException, CaseFailed {
        send(Segment.WRITE, sink.stag(), sink.offset(), answered(text), MAX_SEGMENT);
        goAhead();
        expectNextPing();
    }

    /** Waits for the next ping. A client with {@code -V} makes none if it has compared and something was wrong. */
    public void expectNextPing() throws IOException, CaseFailed {
        source = Advertisement.decode(
                expectSend("the next ping: a client makes {count} of them, and ends if it reads something wrong"));
    }

    /** Returns what a server writes back: the text and the zero at its end. */
    public static byte[] answered(byte[] text) {
        int end = 0;
        while (end < text.length && text[end] != 0) {
            end++;
        }
        return Arrays.copyOf(text, Math.min(end + 1, text.length));
    }

    /** Returns what is in the client's memory. */
    public byte[] read(Advertisement memory) throws IOException, CaseFailed {
        stream.send(Segment.readRequest(
                stream.takeReadMsn(),
                new ReadRequest(PeerStream.SINK_STAG, PeerStream.BASE, memory.size(), memory.stag(), memory.offset())));
        return expectResponse(PeerStream.SINK_STAG, PeerStream.BASE, (int) memory.size());
    }

    /** Returns the data of a Read Response, whose place and length must be those that were asked for. */
    public byte[] expectResponse(long stag, long offset, int size) throws IOException, CaseFailed {
        Placement placement = collect(Segment.READ_RESPONSE, stag, offset, size);
        if (placement.data.length != size) {
            throw new CaseFailed(placement.data.length + " bytes", size + " bytes", placement.entry, 0);
        }
        return placement.data;
    }

    /** The suite is the server: it tells the client to go ahead. */
    public void goAhead() throws IOException {
        send(GO_AHEAD);
    }

    private static CaseFailed differs(Arrival arrival, byte[] found, byte[] right, int from, String allowed) {
        int wrong = Math.max(0, Arrays.mismatch(found, right));
        int at = Math.min(from + wrong, arrival.offsets().length - 1);
        return new CaseFailed(arrival.describe(), allowed, arrival.entry(), arrival.offsets()[at]);
    }
}
