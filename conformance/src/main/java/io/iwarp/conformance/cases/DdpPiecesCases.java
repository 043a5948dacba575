package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.CaseFailed;
import io.iwarp.conformance.judge.Need;
import io.iwarp.conformance.judge.PeerMemory;
import io.iwarp.conformance.judge.PeerStream;
import io.iwarp.conformance.judge.Pings;
import io.iwarp.conformance.judge.Role;
import io.iwarp.conformance.judge.Session;
import io.iwarp.conformance.wire.ReadRequest;
import io.iwarp.conformance.wire.Segment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Messages whose segments rise, fall, overlap, repeat, or leave holes (RFC 5041 sections 5.2 to 5.4). */
final class DdpPiecesCases {
    /** Quarters of a message, from and to; the last piece has the bit L. */
    private static final Map<String, int[][]> WHOLE = new LinkedHashMap<>();

    private static final Map<String, int[][]> HOLES = new LinkedHashMap<>();
    private static final int[][] HALVES = {{0, 2}, {2, 4}};
    /** How many pings, or Reads, use the buffers of a peer again. */
    private static final int ROUNDS = 16;

    static {
        WHOLE.put("rising", new int[][] {{0, 1}, {1, 2}, {2, 3}, {3, 4}});
        WHOLE.put("falling", new int[][] {{2, 3}, {1, 2}, {0, 1}, {3, 4}});
        WHOLE.put("middle-first", new int[][] {{1, 3}, {0, 1}, {3, 4}});
        WHOLE.put("overlapping", new int[][] {{0, 2}, {1, 3}, {2, 4}});
        WHOLE.put("twice", new int[][] {{0, 2}, {0, 2}, {2, 4}});
        WHOLE.put("all-and-last", new int[][] {{0, 4}, {3, 4}});
        HOLES.put("last-alone", new int[][] {{3, 4}});
        HOLES.put("first-missing", new int[][] {{1, 2}, {2, 4}});
        HOLES.put("middle-missing", new int[][] {{0, 1}, {2, 4}});
        HOLES.put("twice-instead", new int[][] {{0, 1}, {0, 1}, {2, 4}});
        HOLES.put("fallen-short", new int[][] {{2, 3}, {0, 1}, {3, 4}});
    }

    private interface Opening {
        PeerStream open(Session session) throws IOException, CaseFailed;
    }

    /** What comes before a message or a Read Request, and how it is named in the ids and the titles of cases. */
    @SuppressWarnings("ImmutableEnumChecker") // the functions have no state
    private enum Before {
        NOTHING("", "", DdpPiecesCases::idle, DdpPiecesCases::idle),
        WHOLE_MESSAGES("second.", "second ", DdpPiecesCases::afterPingAndRead, DdpPiecesCases::afterPingAndRead),
        HALVES("after-halves.", "later ", DdpPiecesCases::afterPingsInHalves, DdpPiecesCases::afterReadsInHalves);

        final String id;
        final String text;
        final Opening ofMessage;
        final Opening ofRequest;

        Before(String id, String text, Opening ofMessage, Opening ofRequest) {
            this.id = id;
            this.text = text;
            this.ofMessage = ofMessage;
            this.ofRequest = ofRequest;
        }
    }

    private DdpPiecesCases() {}

    private interface Piece {
        Segment make(int from, int to);
    }

    private static void send(PeerStream stream, int[][] quarters, int length, Piece piece) throws IOException {
        for (int i = 0; i < quarters.length; i++) {
            Segment segment = piece.make(quarters[i][0] * length / 4, quarters[i][1] * length / 4);
            stream.send(segment.last(i == quarters.length - 1));
        }
    }

    /** Returns the cases. */
    static List<Case> all(Role role) {
        List<Case> cases = new ArrayList<>();
        WHOLE.forEach((name, quarters) -> {
            cases.add(Case.should(
                    "ddp.pieces.send." + name,
                    "a Send in pieces (" + name + ") is one message",
                    "DDP-27 DDP-35 DDP-37 DDP-38",
                    session -> {
                        PeerStream stream = session.establish().awaitIdle();
                        sendMessage(stream, quarters);
                        stream.pings().completePingAfterSend();
                    }));
            cases.add(Case.should(
                    "ddp.pieces.read-request." + name,
                    "a Read Request in pieces (" + name + ") is answered",
                    "RDMAP-18 DDP-35 DDP-37",
                    session -> {
                        PeerStream stream = idle(session);
                        completeRead(stream, quarters);
                        stream.completePing();
                    }));
            tagged(cases, role, name, quarters);
        });
        for (Before before : Before.values()) {
            HOLES.forEach((name, quarters) -> holes(cases, role, name, quarters, before));
        }
        again(cases);
        return cases;
    }

    private static void again(List<Case> cases) {
        cases.add(Case.must(
                "ddp.segments.again.send",
                "pings whose Sends and Read Responses come in two segments each are completed, one after the other",
                "DDP-12 DDP-27 DDP-37 DDP-38",
                session -> afterPingsInHalves(session).completePing()));
        cases.add(Case.must(
                "ddp.segments.again.read-request",
                "Read Requests in two segments each are answered, one after the other",
                "RDMAP-18 DDP-27 DDP-37",
                session -> afterReadsInHalves(session).completePing()));
    }

    /** Bytes are missing in the first message of its kind, or in a later one. */
    private static void holes(List<Case> cases, Role role, String name, int[][] quarters, Before before) {
        String prefix = "ddp.holes." + before.id;
        String which = before.text;
        cases.add(Case.should(
                prefix + "send." + name,
                "a " + which + "Send of which bytes are missing (" + name + ") is refused with 1/2/04",
                "DDP-26 DDP-32 DDP-37",
                session -> {
                    PeerStream stream = before.ofMessage.open(session);
                    sendMessage(stream, quarters);
                    stream.expectTerminate("1/2/04");
                }));
        cases.add(Case.should(
                prefix + "read-request." + name,
                "a " + which + "Read Request of which bytes are missing (" + name + ") ends the stream",
                "RDMAP-18 DDP-26 DDP-32",
                session -> {
                    PeerStream stream = before.ofRequest.open(session);
                    sendReadRequest(stream, quarters);
                    stream.expectEndOfAnyKind();
                }));
        if (role == Role.SERVER) {
            cases.add(Case.should(
                    prefix + "response." + name,
                    "a " + which + "Read Response of which bytes are missing (" + name + ") ends the stream",
                    "RDMAP-31 DDP-26 DDP-32",
                    session -> {
                        PeerStream stream = before.ofMessage.open(session);
                        sendResponse(stream, quarters);
                        stream.expectEndOfAnyKind();
                    }));
        }
    }

    private static PeerStream idle(Session session) throws IOException, CaseFailed {
        return session.establish().awaitIdle();
    }

    private static PeerStream afterPingAndRead(Session session) throws IOException, CaseFailed {
        PeerStream stream = idle(session);
        stream.completePing();
        completeRead(stream, new int[][] {{0, 4}});
        return stream;
    }

    /** Returns a stream on which many messages of a ping came in two segments each. */
    private static PeerStream afterPingsInHalves(Session session) throws IOException, CaseFailed {
        PeerStream stream = idle(session);
        stream.pings().sendInHalves();
        for (int i = 0; i < ROUNDS; i++) {
            stream.completePing();
        }
        return stream;
    }

    private static PeerStream afterReadsInHalves(Session session) throws IOException, CaseFailed {
        PeerStream stream = idle(session);
        for (int i = 0; i < ROUNDS; i++) {
            completeRead(stream, HALVES);
        }
        return stream;
    }

    private static void sendMessage(PeerStream stream, int[][] quarters) throws IOException {
        byte[] message = stream.pings().awaited();
        long msn = stream.takeMsn();
        send(
                stream,
                quarters,
                message.length,
                (from, to) ->
                        Segment.send(msn, Arrays.copyOfRange(message, from, to)).messageOffset(from));
    }

    private static byte[] sendResponse(PeerStream stream, int[][] quarters) throws IOException, CaseFailed {
        byte[] text = Pings.text(Case.DEFAULT_SIZE);
        ReadRequest read = stream.pings().advertise(text.length);
        send(
                stream,
                quarters,
                text.length,
                (from, to) -> Segment.tagged(
                        Segment.READ_RESPONSE,
                        read.sinkStag(),
                        read.sinkOffset() + from,
                        Arrays.copyOfRange(text, from, to)));
        return text;
    }

    private static void completeRead(PeerStream stream, int[][] quarters) throws IOException, CaseFailed {
        sendReadRequest(stream, quarters);
        stream.pings().expectResponse(5, 6, 0);
    }

    private static void sendReadRequest(PeerStream stream, int[][] quarters) throws IOException {
        byte[] header = new ReadRequest(5, 6, 0, 7, 8).encode();
        long msn = stream.takeReadMsn();
        send(
                stream,
                quarters,
                header.length,
                (from, to) -> Segment.untagged(Segment.READ_REQUEST, 1, msn, Arrays.copyOfRange(header, from, to))
                        .messageOffset(from));
    }

    private static void tagged(List<Case> cases, Role role, String name, int[][] quarters) {
        if (role == Role.SERVER) {
            cases.add(Case.should(
                    "ddp.pieces.response." + name,
                    "a Read Response in pieces (" + name + ") is one message",
                    "DDP-27 DDP-35 DDP-37 RDMAP-30",
                    session -> {
                        PeerStream stream = session.establish().awaitIdle();
                        byte[] text = sendResponse(stream, quarters);
                        stream.pings().expectGoAhead();
                        stream.pings().takeBack(text);
                    }));
        }
        cases.add(Case.should(
                        "ddp.pieces.write." + name,
                        "a Write in pieces (" + name + ") is all there, and nothing beside it is changed",
                        "DDP-27 DDP-29 DDP-35 SEC-4",
                        session -> {
                            PeerMemory memory = PeerMemory.writable(session);
                            memory.write(Stream.of(quarters)
                                    .map(part -> new int[] {edge(part[0]), edge(part[1])})
                                    .toArray(int[][]::new));
                            memory.completePing();
                        })
                .needs(Need.WRITABLE));
    }

    /** Returns a quarter of the memory without its first and its last byte, which have to stay as they are. */
    private static int edge(int quarter) {
        return 1 + quarter * (Case.DEFAULT_SIZE - 2) / 4;
    }
}
