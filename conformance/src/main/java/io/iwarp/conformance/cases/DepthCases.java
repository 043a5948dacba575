package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Advertisement;
import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.CaseFailed;
import io.iwarp.conformance.judge.CaseSkipped;
import io.iwarp.conformance.judge.Level;
import io.iwarp.conformance.judge.Need;
import io.iwarp.conformance.judge.PeerMemory;
import io.iwarp.conformance.judge.PeerStream;
import io.iwarp.conformance.judge.Pings;
import io.iwarp.conformance.judge.Session;
import io.iwarp.conformance.judge.Setup;
import io.iwarp.conformance.wire.Arrival;
import io.iwarp.conformance.wire.AtomicRequest;
import io.iwarp.conformance.wire.Bytes;
import io.iwarp.conformance.wire.ReadRequest;
import io.iwarp.conformance.wire.Segment;
import io.iwarp.conformance.wire.TerminateMessage;
import io.iwarp.conformance.wire.Wire;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The places for Reads and atomics that the set-up agrees on (RFC 5040 section 5.2, RFC 6581 section 9): they are all
 * there, again and again, and no more of them. Some cases do not read while they ask for more bytes than the socket
 * buffers of both sides hold, so that the places stay taken.
 */
final class DepthCases {
    private static final int ROUNDS = 4;
    private static final int MAX_PLACES = 64;
    private static final int SEQUENTIAL = 100;
    private static final int MANY = 66_000;
    /** What TCP may keep of both sides together on loopback, in bytes. */
    private static final long BUFFERED = 6L << 20;
    /** The size of each Read after a first one that is larger than that, in bytes. */
    private static final int FURTHER = 100_000;

    private static final String TOO_SMALL =
            "the peer's memory is too small to fill the buffers of TCP: --size tells of more";
    private static final int CLIENT_SIZE = 7 << 20;
    private static final long SINK = PeerStream.SINK_STAG;

    private DepthCases() {}

    /** Returns the cases. */
    static List<Case> all() {
        List<Case> cases = new ArrayList<>();
        rounds(cases);
        sequential(cases);
        mixed(cases);
        oneMore(cases);
        unread(cases);
        unreadWrites(cases);
        fin(cases);
        return cases;
    }

    /** Returns how many Reads the peer has agreed to, 1 if nothing was said. */
    private static int places(Session session, PeerStream stream) {
        if (!stream.reply().enhanced()) {
            return 1;
        }
        int agreed = (session.peerIsServer() ? stream.reply() : stream.request()).irdWord() & Setup.DEPTH_MASK;
        int asked = Setup.DEPTH;
        return Math.min(MAX_PLACES, session.peerIsServer() ? Math.min(agreed, asked) : agreed);
    }

    private static void read(PeerStream stream, long sinkOffset, long size, Advertisement source) throws IOException {
        stream.send(Segment.readRequest(
                stream.takeReadMsn(), new ReadRequest(SINK, sinkOffset, size, source.stag(), source.offset())));
    }

    private static final Advertisement NOTHING = new Advertisement(0, 0, 0);

    private static void rounds(List<Case> cases) {
        cases.add(Case.must(
                        "rdmap.places.again",
                        "all places for Reads are there in each of " + ROUNDS + " rounds",
                        "RDMAP-74 RDMAP-28 SETUP-11",
                        session -> {
                            PeerStream stream = session.establish().awaitIdle();
                            int places = places(session, stream);
                            stream.requirePlacesForReads(1);
                            for (int round = 0; round < ROUNDS; round++) {
                                List<Segment> reads = new ArrayList<>();
                                for (int i = 0; i < places; i++) {
                                    reads.add(Segment.readRequest(
                                            stream.takeReadMsn(), new ReadRequest(SINK, i, 0, 0, 0)));
                                }
                                stream.sendAtOnce(reads, places + " Reads");
                                for (int i = 0; i < places; i++) {
                                    stream.pings().expectResponse(SINK, i, 0);
                                }
                            }
                            stream.completePing();
                        })
                .needs(Need.ENHANCED));
    }

    private static void sequential(List<Case> cases) {
        for (int depth : new int[] {1, 2, 3, 16, 64, 127, 128}) {
            sequential(cases, "rdmap.places.depth." + depth, depth, SEQUENTIAL);
        }
        // More than the MSN has values in 16 bits.
        Case test = sequential(cases, "rdmap.again.read-request." + MANY, 1, MANY);
        cases.set(cases.size() - 1, test.needs(Need.ENHANCED, Need.SLOW));
    }

    private static Case sequential(List<Case> cases, String id, int depth, int reads) {
        cases.add(Case.must(
                        id,
                        reads + " Reads, " + depth + " at a time, are answered if " + depth + " were agreed",
                        "RDMAP-74 RDMAP-28 SETUP-9 SETUP-11",
                        session -> {
                            PeerStream stream = session.peerIsServer()
                                    ? session.initiate(Setup.enhancedRequest(session.options(), 1, depth))
                                    : session.establish();
                            stream.awaitIdle();
                            stream.requirePlacesForReads(depth);
                            for (int i = 0; i < reads; i += depth) {
                                for (int j = 0; j < depth; j++) {
                                    read(stream, i + j, 0, NOTHING);
                                }
                                for (int j = 0; j < depth; j++) {
                                    stream.pings().expectResponse(SINK, i + j, 0);
                                }
                            }
                            stream.completePing();
                        })
                .needs(Need.ENHANCED));
        return cases.get(cases.size() - 1);
    }

    /** A response has nothing of the one before it, of whatever kind that was. */
    private static void mixed(List<Case> cases) {
        cases.add(Case.must(
                        "ext.atomic.mixed",
                        "empty Reads, atomics and Reads with data in turn are each answered as if they were alone",
                        "EXT-12 EXT-18 EXT-23 RDMAP-29",
                        session -> {
                            PeerMemory place = PeerMemory.readable(session);
                            PeerStream stream = place.stream();
                            byte[] there = stream.pings().read(place.memory());
                            for (int i = 0; i < 2 * ROUNDS; i++) {
                                long number = 0x0102_0304L << i;
                                execute(stream, place.memory(), number & 0xFFFF_FFFFL);
                                read(stream, i, 0, NOTHING);
                                stream.pings().expectResponse(SINK, i, 0);
                                require(Arrays.equals(stream.pings().read(place.memory()), there));
                                read(stream, i, 1, place.memory());
                                stream.pings().expectResponse(SINK, i, 1);
                            }
                            place.completePing();
                        })
                .needs(Need.ATOMICS, Need.ATOMIC_MEMORY));
    }

    private static void require(boolean same) throws CaseFailed {
        if (!same) {
            throw new CaseFailed("other bytes", "the bytes that are there");
        }
    }

    private static void execute(PeerStream stream, Advertisement memory, long identifier)
            throws IOException, CaseFailed {
        sendAdd(stream, memory, identifier, 0);
        Segment answer = stream.expect(Segment.ATOMIC_RESPONSE);
        if (answer.payload().length != AtomicRequest.RESPONSE_LENGTH) {
            throw new CaseFailed(answer.payload().length + " bytes", "12 bytes");
        }
    }

    private static void sendAdd(PeerStream stream, Advertisement memory, long identifier, long value)
            throws IOException {
        AtomicRequest add =
                new AtomicRequest(AtomicRequest.FETCH_ADD, identifier, memory.stag(), memory.offset(), value, 0, 0, -1);
        stream.send(Segment.untagged(Segment.ATOMIC_REQUEST, 1, stream.takeReadMsn(), add.encode()));
    }

    /** What a case does while the answers to as many Reads as agreed, less some, are not read. */
    private interface Meanwhile {
        void run(Unread unread) throws IOException, CaseFailed, CaseSkipped;
    }

    /** A stream on which Reads of all the memory wait for their answers to be read. */
    @SuppressWarnings("ArrayRecordComponent") // not compared
    private record Unread(
            @Nullable PeerMemory memory, PeerStream stream, Advertisement all, byte[] there, int[] sizes) {
        PeerMemory place() {
            return Objects.requireNonNull(memory);
        }

        void expectResponses() throws IOException, CaseFailed {
            for (int i = 0; i < sizes.length; i++) {
                byte[] found = stream.pings().expectResponse(SINK, i, sizes[i]);
                require(Arrays.equals(found, Arrays.copyOf(there, sizes[i])));
            }
        }

        /** The bytes may be those from before or from after a change that was made meanwhile. */
        void expectAnyResponses() throws IOException, CaseFailed {
            for (int i = 0; i < sizes.length; i++) {
                stream.pings().expectResponse(SINK, i, sizes[i]);
            }
        }

        /**
         * Reads on until all responses are whole, or until a Terminate. If it quotes the first Read, which is answered
         * in part, then with what is left of it.
         */
        void expectTerminateOrResponses() throws IOException, CaseFailed {
            int whole = 0;
            int answered = 0;
            while (whole < sizes.length) {
                Arrival arrival = stream.next();
                Segment segment = arrival.segment();
                if (segment == null || !(arrival.isSend() || segment.tagged() || arrival.is(Segment.TERMINATE))) {
                    throw stream.unexpected(arrival, "a Terminate, or the responses to the Reads");
                }
                if (arrival.is(Segment.TERMINATE)) {
                    if (whole == 0) {
                        requireRest(segment, answered);
                    }
                    return;
                }
                if (arrival.is(Segment.READ_RESPONSE)) {
                    answered = segment.last() ? 0 : answered + segment.payload().length;
                    whole += segment.last() ? 1 : 0;
                }
            }
        }

        /** The first Read is the largest one: a quote of another size is that of another Read, refused as a whole. */
        private void requireRest(Segment terminate, int answered) throws CaseFailed {
            byte[] quoted = terminate.payload();
            if (quoted.length < ReadRequest.LENGTH
                    || !TerminateMessage.decode(quoted).has(TerminateMessage.R)) {
                return;
            }
            int from = quoted.length - ReadRequest.LENGTH;
            ReadRequest left = ReadRequest.decode(Arrays.copyOfRange(quoted, from, quoted.length));
            boolean another = sizes.length > 1 && left.size() == sizes[1];
            if (!another && left.sinkOffset() != answered) {
                throw new CaseFailed(
                        "a quote from byte " + left.sinkOffset() + " on", "one of what is left, from " + answered);
            }
        }

        /** Reads on until a Terminate, before which responses may still come, in whole or in part. */
        void expectTerminate(String... errors) throws IOException, CaseFailed {
            while (true) {
                Arrival arrival = stream.next();
                Segment segment = arrival.segment();
                if (segment != null && arrival.is(Segment.TERMINATE) && segment.payload().length >= Integer.BYTES) {
                    String error = TerminateMessage.decode(segment.payload()).error();
                    if (!List.of(errors).contains(error)) {
                        throw stream.unexpected(arrival, "a Terminate with " + String.join(" or ", errors));
                    }
                    return;
                }
                if (!arrival.is(Segment.READ_RESPONSE) && !arrival.is(Segment.WRITE) && !arrival.isSend()) {
                    throw stream.unexpected(arrival, "a Terminate with " + String.join(" or ", errors));
                }
            }
        }
    }

    /** Returns the sizes of Reads of which the answers together are more than TCP holds. */
    private static int[] sizes(int reads, long whole) {
        int[] sizes = new int[reads];
        Arrays.fill(sizes, (int) (whole < BUFFERED ? whole : Math.min(whole, FURTHER)));
        if (reads > 0) {
            sizes[0] = (int) whole;
        }
        return sizes;
    }

    private static void unread(
            List<Case> cases, String name, String title, String requirements, int fewer, Meanwhile meanwhile) {
        cases.add(Case.must(
                        "rdmap.unread." + name,
                        title,
                        requirements,
                        session -> meanwhile.run(leaveUnread(session, fewer, false)))
                .needs(Need.READABLE, Need.ENHANCED)
                .size(CLIENT_SIZE));
    }

    /** Sends Reads of which the answers are not read; where it is asked for, no Read of a server is open then. */
    private static Unread leaveUnread(Session session, int fewer, boolean idle)
            throws IOException, CaseFailed, CaseSkipped {
        session.requireSize();
        session.keepFewUnread();
        PeerMemory place = PeerMemory.readable(session);
        PeerStream stream = place.stream();
        Advertisement memory = place.memory();
        long size = session.wholeSize(memory);
        int reads = places(session, stream) - fewer;
        int[] sizes = sizes(reads, size);
        if (IntStream.of(sizes).asLongStream().sum() < BUFFERED) {
            throw new CaseSkipped(TOO_SMALL);
        }
        Advertisement all = new Advertisement(memory.offset(), memory.stag(), size);
        byte[] there = stream.pings().read(all);
        if (idle && session.peerIsServer()) {
            place.completePing();
            there = stream.pings().read(all);
        }
        List<Segment> requests = new ArrayList<>();
        for (int i = 0; i < reads; i++) {
            requests.add(Segment.readRequest(
                    stream.takeReadMsn(), new ReadRequest(SINK, i, sizes[i], all.stag(), all.offset())));
        }
        stream.sendAtOnce(requests, reads + " Reads, whose answers are not read");
        Wire.pause(session.options().quiet());
        return new Unread(place, stream, all, there, sizes);
    }

    /** While the answer to the first Read is larger than what TCP holds, nothing gives its place back. */
    private static void oneMore(List<Case> cases) {
        oneMore(cases, "", "Read", false, (stream, memory, i) -> read(stream, i, 0, NOTHING));
        oneMore(cases, ".error", "Read", true, (stream, memory, i) -> read(stream, i, 0, NOTHING));
        cases.set(cases.size() - 1, cases.get(cases.size() - 1).level(Level.SHOULD));
        oneMore(cases, ".atomic", "atomic", false, (stream, memory, i) -> sendAdd(stream, memory, i, 0));
        int last = cases.size() - 1;
        cases.set(last, cases.get(last).needs(Need.READABLE, Need.ENHANCED, Need.ATOMICS, Need.ATOMIC_MEMORY));
    }

    private interface Request {
        void send(PeerStream stream, Advertisement memory, int number) throws IOException;
    }

    private static void oneMore(List<Case> cases, String suffix, String what, boolean best, Request request) {
        cases.add(Case.must(
                        "rdmap.places.one-more" + suffix,
                        "one " + what + " more than agreed is refused with 1/2/02 while the first answer is not read",
                        "RDMAP-74 DDP-55",
                        session -> {
                            session.requireSize();
                            session.keepFewUnread();
                            PeerMemory place = PeerMemory.readable(session);
                            PeerStream stream = place.stream();
                            Advertisement memory = place.memory();
                            long size = session.wholeSize(memory);
                            int places = places(session, stream);
                            if (places < 1 || size < BUFFERED) {
                                throw new CaseSkipped(TOO_SMALL);
                            }
                            read(stream, 0, size, new Advertisement(memory.offset(), memory.stag(), size));
                            for (int i = 1; i <= places; i++) {
                                Wire.pause(session.options().gap());
                                request.send(stream, memory, i);
                            }
                            Unread unread = new Unread(place, stream, memory, new byte[0], new int[0]);
                            unread.expectTerminate(best ? new String[] {"1/2/02"} : new String[] {"1/2/02", "1/2/03"});
                        })
                .needs(Need.READABLE, Need.ENHANCED)
                .size(CLIENT_SIZE));
    }

    private static void unread(List<Case> cases) {
        unread(
                cases,
                "all-places",
                "as many Reads as agreed are answered in their order, though they are not read at once",
                "RDMAP-28 RDMAP-69 RDMAP-74",
                0,
                unread -> {
                    unread.expectResponses();
                    unread.place().completePing();
                });
        unread(
                cases,
                "terminate",
                "an error is reported by a Terminate, though Read Responses before it are not read at once",
                "RDMAP-53 RDMAP-45",
                1,
                unread -> {
                    unread.stream()
                            .send(Segment.send(unread.stream().takeMsn(), new byte[1])
                                    .queue(9));
                    unread.expectTerminate("1/2/01");
                });
        unread(
                cases,
                "fin",
                "Reads before a FIN are all answered, though they are not read at once",
                "DDP-47 RDMAP-28 MPA-83",
                0,
                unread -> {
                    unread.stream().wire().fin();
                    unread.expectResponses();
                });
        cases.add(Case.must(
                        "rdmap.unread.fin.idle",
                        "Reads before a FIN are all answered, though the peer waits for nothing but that they are read",
                        "DDP-47 RDMAP-28 MPA-83",
                        session -> {
                            Unread unread = leaveUnread(session, 0, true);
                            unread.stream().wire().fin();
                            unread.expectResponses();
                        })
                .needs(Need.READABLE, Need.ENHANCED)
                .size(CLIENT_SIZE));
        unread(
                cases,
                "writes",
                "Writes are taken while Read Responses are not read",
                "RDMAP-12 RDMAP-69 MPA-47",
                0,
                unread -> {
                    for (int i = 0; i < SEQUENTIAL; i++) {
                        unread.stream().sendNothing();
                    }
                    unread.expectResponses();
                    unread.place().completePing();
                });
        add(
                cases,
                "data",
                "a Write with data is placed while Read Responses are not read",
                unread -> {
                    unread.place().write(new int[] {0, Case.DEFAULT_SIZE});
                    unread.expectAnyResponses();
                    unread.place().completePing();
                },
                Need.OPEN);
        add(
                cases,
                "atomic",
                "a FetchAdd is executed while Read Responses are not read",
                DepthCases::unreadAtomic,
                Need.ATOMICS,
                Need.ATOMIC_MEMORY);
        unread(
                cases,
                "invalidate",
                "a Send with Invalidate of what a Read has read in part is refused, or ends this Read; the Terminate "
                        + "quotes the rest",
                "RDMAP-39 RDMAP-51 RDMAP-52",
                0,
                unread -> {
                    PeerStream stream = unread.stream();
                    stream.send(DdpSegmentCases.invalidate(
                            stream, Segment.SEND_INVALIDATE, unread.all().stag()));
                    unread.expectTerminateOrResponses();
                });
        cases.set(cases.size() - 1, cases.get(cases.size() - 1).level(Level.SHOULD));
        unread(
                cases,
                "reset",
                "a RST while Read Responses are not read harms nobody else",
                "MPA-83 SEC-14",
                0,
                unread -> unread.stream().wire().reset());
        unread(cases, "sends", "a Send is taken while Read Responses are not read", "RDMAP-33 RDMAP-69", 0, unread -> {
            PeerStream stream = unread.stream();
            if (!stream.peerIsServer()) {
                throw new CaseSkipped("a client waits for no Send here");
            }
            // The server waits for its own Read, so that this Send is one that its program takes later.
            stream.send(stream.pings().takeAwaited());
            unread.expectResponses();
        });
    }

    private static void add(List<Case> cases, String name, String title, Meanwhile meanwhile, Need... needs) {
        unread(cases, name, title, "RDMAP-12 RDMAP-69 EXT-14 EXT-17 EXT-23", 1, meanwhile);
        Case test = cases.remove(cases.size() - 1);
        cases.add(test.needs(
                Stream.of(test.needs(), List.of(needs)).flatMap(List::stream).toArray(Need[]::new)));
    }

    private static void unreadAtomic(Unread unread) throws IOException, CaseFailed {
        PeerStream stream = unread.stream();
        Advertisement number = unread.all();
        sendAdd(stream, number, 1, 1);
        unread.expectAnyResponses();
        long before = answer(stream);
        sendAdd(stream, number, 2, -1);
        if (answer(stream) != before + 1) {
            throw new CaseFailed("another number", "the sum that the FetchAdd leaves");
        }
        unread.place().completePing();
    }

    private static long answer(PeerStream stream) throws IOException, CaseFailed {
        Segment answer = stream.expect(Segment.ATOMIC_RESPONSE);
        if (answer.payload().length != AtomicRequest.RESPONSE_LENGTH) {
            throw new CaseFailed(answer.payload().length + " bytes", "12 bytes");
        }
        return Bytes.u64(answer.payload(), Integer.BYTES);
    }

    /** While the Write of a server is not read: what comes in is still taken. */
    private static void unreadWrites(List<Case> cases) {
        unreadWrite(cases, "alone", "arrives whole, though it is not read at once", unread -> {
            unread.stream().pings().expectWrite(unread.there());
            unread.stream().pings().expectGoAhead();
            unread.stream().completePing();
        });
        unreadWrite(cases, "reads", "is not disturbed by Reads while it is not read", unread -> {
            PeerStream stream = unread.stream();
            int reads = stream.reply().enhanced() ? Math.max(1, Math.min(Setup.DEPTH, placesOfServer(stream))) : 1;
            for (int i = 0; i < reads; i++) {
                read(stream, i, 0, NOTHING);
            }
            // The answers come before, between, or after the Write and the Send.
            for (int messages = 0; messages < reads + 2; ) {
                Arrival arrival = stream.next();
                Segment segment = arrival.segment();
                if (segment == null || arrival.is(Segment.TERMINATE)) {
                    throw stream.unexpected(arrival, "a Write, a Send and " + reads + " Read Responses");
                }
                messages += segment.last() ? 1 : 0;
            }
            stream.completePing();
        });
        unreadWrite(cases, "fin", "goes on after a FIN, though it is not read at once", unread -> {
            unread.stream().wire().fin();
            unread.stream().pings().expectWrite(unread.there());
        });
        cases.set(cases.size() - 1, cases.get(cases.size() - 1).level(Level.SHOULD));
        unreadWrite(cases, "error", "does not hold up the Terminate for an error for good", unread -> {
            unread.stream().send(unread.stream().pings().takeAwaited().queue(9));
            unread.expectTerminate("1/2/01");
        });
    }

    private static int placesOfServer(PeerStream stream) {
        return stream.reply().irdWord() & Setup.DEPTH_MASK;
    }

    private static void unreadWrite(List<Case> cases, String name, String what, Meanwhile meanwhile) {
        cases.add(Case.must(
                "rdmap.unread.write." + name,
                "the Write of a server " + what,
                "RDMAP-12 RDMAP-45 RDMAP-69 DDP-26",
                session -> {
                    int size = session.options().maxSize();
                    if (!session.peerIsServer() || size < BUFFERED) {
                        throw new CaseSkipped(TOO_SMALL);
                    }
                    session.keepFewUnread();
                    PeerStream stream = session.establish().awaitIdle();
                    byte[] text = Pings.text(size);
                    stream.pings().respond(stream.pings().advertise(size), text);
                    stream.pings().expectGoAhead();
                    stream.send(Segment.send(stream.takeMsn(), Pings.sinkOf(size)));
                    Wire.pause(session.options().quiet());
                    meanwhile.run(new Unread(null, stream, NOTHING, text, new int[0]));
                }));
    }

    /** What was asked for before a FIN is answered. */
    private static void fin(List<Case> cases) {
        cases.add(Case.must(
                "teardown.fin.reads",
                "Reads of zero bytes and a FIN in a row: the Reads are answered before the connection ends",
                "DDP-47 RDMAP-28 MPA-83",
                session -> {
                    PeerStream stream = session.establish().awaitIdle();
                    int reads = Math.max(1, places(session, stream) / 2);
                    for (int i = 0; i < reads; i++) {
                        read(stream, i, 0, NOTHING);
                    }
                    stream.wire().fin();
                    for (int i = 0; i < reads; i++) {
                        stream.pings().expectResponse(SINK, i, 0);
                    }
                    Arrival arrival = stream.next();
                    if (!arrival.ended()) {
                        throw stream.unexpected(arrival, "the end of the connection");
                    }
                }));
    }
}
