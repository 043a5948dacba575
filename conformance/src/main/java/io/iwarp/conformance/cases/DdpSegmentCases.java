package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.PeerMemory;
import io.iwarp.conformance.judge.PeerStream;
import io.iwarp.conformance.wire.Arrival;
import io.iwarp.conformance.wire.Segment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Fields that the peer has to ignore, and Sends in several segments (RFC 5041 sections 4 and 5). */
final class DdpSegmentCases {
    private static final int MESSAGE = 16;

    private DdpSegmentCases() {}

    /** Returns the cases. */
    static List<Case> all() {
        List<Case> cases = new ArrayList<>();
        for (int cut = 0; cut <= MESSAGE; cut++) {
            int at = cut;
            cases.add(Case.must(
                    "ddp.segments.send." + cut,
                    "a Send in two segments of " + cut + " and " + (MESSAGE - cut) + " bytes is one message",
                    "DDP-12 DDP-27 DDP-37 DDP-38",
                    session -> {
                        PeerStream stream = session.establish().awaitIdle();
                        sendCut(stream, at);
                        stream.pings().completePingAfterSend();
                    }));
        }
        for (int size : new int[] {1, 2, 4, 8}) {
            cases.add(Case.must(
                    "ddp.segments.send.each." + size,
                    "a Send in segments of " + size + " bytes each is one message",
                    "DDP-27 DDP-37 DDP-38",
                    session -> {
                        PeerStream stream = session.establish().awaitIdle();
                        byte[] message = stream.pings().awaited();
                        long msn = stream.takeMsn();
                        for (int from = 0; from < message.length; from += size) {
                            stream.send(Segment.send(msn, Arrays.copyOfRange(message, from, from + size))
                                    .messageOffset(from)
                                    .last(from + size == message.length));
                        }
                        stream.pings().completePingAfterSend();
                    }));
        }
        solicited(cases);
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
            for (long stag : new long[] {0, 1, 0xFFFF_FFFFL}) {
                cases.add(Refused.onIdleStream(
                        String.format(Locale.ROOT, "rdmap.invalidate.unknown.%d.%x", opcode, stag),
                        String.format(Locale.ROOT, "a %s of the unknown STag %x", Segment.name(opcode), stag),
                        "RDMAP-38 RDMAP-39 RDMAP-80",
                        stream -> invalidate(stream, opcode, stag),
                        "0/1/09",
                        "0/2/09"));
            }
            cases.add(Case.must(
                    "rdmap.invalidate.own." + opcode,
                    "a " + Segment.name(opcode)
                            + " of memory that the peer named is refused, or the memory cannot be written any more",
                    "RDMAP-39 RDMAP-40 RDMAP-41 SEC-6 SEC-7 DDP-74",
                    session -> {
                        PeerStream stream = session.establish().awaitIdle();
                        PeerMemory memory = PeerMemory.writable(stream);
                        if (session.peerIsServer()) {
                            memory.completePing();
                        }
                        stream.send(invalidate(stream, opcode, memory.memory().stag()));
                        memory.write(0, new byte[] {'#'});
                        Arrival arrival = stream.next();
                        // What the invalidating Send asked for may still come.
                        while (arrival.segment() != null && !arrival.is(Segment.TERMINATE)) {
                            arrival = stream.next();
                        }
                        // For a client the ping may have been the last: it may have left before the Write came.
                        boolean left = !session.peerIsServer() && arrival.ended();
                        if (!arrival.is(Segment.TERMINATE) && !left) {
                            throw stream.unexpected(arrival, "a Terminate");
                        }
                    }));
        }
    }

    private static Segment invalidate(PeerStream stream, int opcode, long stag) {
        Segment send = stream.pings().takeAwaited();
        return Segment.untagged(opcode, 0, send.msn(), send.payload()).stag(stag);
    }

    private static void solicited(List<Case> cases) {
        cases.add(Case.must(
                "rdmap.send.solicited",
                "a Send with Solicited Event is taken like a Send",
                "RDMAP-33 RDMAP-36 RDMAP-37",
                session -> {
                    PeerStream stream = session.establish().awaitIdle();
                    stream.send(Segment.untagged(
                            Segment.SEND_SOLICITED,
                            0,
                            stream.takeMsn(),
                            stream.pings().awaited()));
                    stream.pings().completePingAfterSend();
                }));
        cases.add(Case.must(
                "rdmap.send.many",
                "the MSN of several Sends counts on: pings work one after the other",
                "DDP-21 DDP-36 RDMAP-36",
                session -> {
                    PeerStream stream = session.establish().awaitIdle();
                    stream.completePing();
                    stream.completePing();
                }));
    }
}
