package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Advertisement;
import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.Need;
import io.iwarp.conformance.judge.PeerMemory;
import io.iwarp.conformance.judge.PeerStream;
import io.iwarp.conformance.wire.Arrival;
import io.iwarp.conformance.wire.AtomicRequest;
import io.iwarp.conformance.wire.ReadRequest;
import io.iwarp.conformance.wire.Segment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Fields that the peer has to ignore, and Sends in several segments (RFC 5041 sections 4 and 5). */
final class DdpSegmentCases {
    private static final int MESSAGE = 16;

    private interface Segments {
        Segment make(PeerStream stream, Advertisement memory);
    }

    /** Uses memory that was invalidated; the errors are those of a use of memory that is not there. */
    @SuppressWarnings("ArrayRecordComponent") // not compared
    private record Use(String name, Segments segments, String... errors) {}

    private static final List<Use> USES = List.of(
            new Use(
                    "write",
                    (stream, memory) -> Segment.tagged(Segment.WRITE, memory.stag(), memory.offset(), new byte[] {'#'}),
                    "1/1/00",
                    "1/1/02"),
            new Use(
                    "read",
                    (stream, memory) -> Segment.readRequest(
                            stream.takeReadMsn(), new ReadRequest(5, 6, 1, memory.stag(), memory.offset())),
                    "0/1/00",
                    "0/1/03"),
            new Use(
                    "atomic",
                    (stream, memory) -> Segment.untagged(
                            Segment.ATOMIC_REQUEST,
                            1,
                            stream.takeReadMsn(),
                            new AtomicRequest(AtomicRequest.FETCH_ADD, 9, memory.stag(), memory.offset(), 0, 0, 0, -1)
                                    .encode()),
                    "0/1/00",
                    "0/1/03"));

    private static final List<String> REFUSED = List.of("0/1/09", "0/2/09", "0/1/03");

    private DdpSegmentCases() {}

    /** Returns the cases. */
    static List<Case> all() {
        List<Case> cases = new ArrayList<>();
        for (int cut = 0; cut <= MESSAGE; cut++) {
            int at = cut;
            cases.add(Case.onIdle(
                    "ddp.segments.send." + cut,
                    "a Send in two segments of " + cut + " and " + (MESSAGE - cut) + " bytes is one message",
                    "DDP-12 DDP-27 DDP-37 DDP-38",
                    stream -> {
                        sendCut(stream, at);
                        stream.pings().completePingAfterSend();
                    }));
        }
        invalidating(cases);
        return cases;
    }

    private static void sendCut(PeerStream stream, int cut) throws IOException {
        byte[] message = stream.pings().awaited();
        long msn = stream.takeMsn();
        stream.send(Segment.send(msn, Arrays.copyOf(message, cut)).last(false));
        stream.send(Segment.send(msn, Arrays.copyOfRange(message, cut, message.length))
                .messageOffset(cut));
    }

    private static void invalidating(List<Case> cases) {
        for (int opcode : new int[] {Segment.SEND_INVALIDATE, Segment.SEND_SOLICITED_INVALIDATE}) {
            USES.forEach(use -> {
                own(cases, opcode, use, false);
                own(cases, opcode, use, true);
            });
        }
    }

    private static void own(List<Case> cases, int opcode, Use use, boolean segments) {
        String name = use.name() + (segments ? ".segments" : "");
        Case test = Case.must(
                "rdmap.invalidate.own." + opcode + "." + name,
                "a " + Segment.name(opcode) + (segments ? " in several segments" : "")
                        + " of memory that the peer named is refused, or ends the use of the memory (" + name + ")",
                "RDMAP-39 RDMAP-40 RDMAP-41 SEC-6 SEC-7 DDP-74",
                session -> {
                    PeerStream stream = session.establish().awaitIdle();
                    PeerMemory memory = PeerMemory.writable(stream);
                    if (session.peerIsServer()) {
                        memory.completePing();
                    }
                    Segment send = invalidate(stream, opcode, memory.memory().stag());
                    List<Segment> all = new ArrayList<>(segments ? MessageCases.inThree(send) : List.of(send));
                    all.add(use.segments().make(stream, memory.memory()));
                    stream.sendAtOnce(all, "a " + Segment.name(opcode) + " and a use of the memory");
                    Arrival arrival = stream.next();
                    // What the invalidating Send asked for may still come.
                    while (arrival.segment() != null && !arrival.is(Segment.TERMINATE)) {
                        arrival = stream.next();
                    }
                    // A client may have made its last ping, and end before the use of the memory comes.
                    boolean left = !session.peerIsServer() && arrival.ended();
                    if (!left) {
                        stream.requireError(
                                arrival,
                                Stream.concat(Stream.of(use.errors()), REFUSED.stream())
                                        .toArray(String[]::new));
                    }
                });
        cases.add(name.startsWith("atomic") ? test.needs(Need.ATOMICS) : test);
    }

    /** Returns the Send that the peer awaits, as one that also invalidates an STag. */
    static Segment invalidate(PeerStream stream, int opcode, long stag) {
        Segment send = stream.pings().takeAwaited();
        return Segment.untagged(opcode, 0, send.msn(), send.payload()).stag(stag);
    }
}
