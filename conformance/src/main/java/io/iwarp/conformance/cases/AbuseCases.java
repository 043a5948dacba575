package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.CaseFailed;
import io.iwarp.conformance.judge.PeerStream;
import io.iwarp.conformance.judge.Role;
import io.iwarp.conformance.judge.Setup;
import io.iwarp.conformance.wire.Arrival;
import io.iwarp.conformance.wire.Bytes;
import io.iwarp.conformance.wire.FpduChange;
import io.iwarp.conformance.wire.ReadRequest;
import io.iwarp.conformance.wire.Segment;
import io.iwarp.conformance.wire.Wire;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;

/** What no friendly peer does. Each flood has an end. */
final class AbuseCases {
    private static final int WRITES = 2000;
    private static final int SENDS = 500;
    private static final int READS = 500;
    private static final int CONNECTIONS = 30;
    private static final int GARBAGE = 1 << 14;
    private static final int SEED = 5044;
    private static final int MAX_ANSWERS = 4 * (SENDS + READS);

    private AbuseCases() {}

    /** Returns the cases. */
    static List<Case> all(Role role) {
        List<Case> cases = new ArrayList<>();
        cases.add(Case.onIdle(
                "abuse.writes",
                WRITES + " Writes of zero bytes in a row are taken, and a ping works",
                "DDP-31 MPA-47 RDMAP-12",
                stream -> {
                    Segment nothing = Segment.tagged(Segment.WRITE, 0, 0, Bytes.NONE);
                    stream.sendAtOnce(Collections.nCopies(WRITES, nothing), WRITES + " Writes of zero bytes");
                    stream.completePing();
                }));
        cases.add(Case.onIdle(
                "abuse.sends",
                SENDS + " Sends that nobody waits for end the stream, with a Terminate or without",
                "DDP-55 DDP-69 RDMAP-33",
                stream -> {
                    byte[] sends = repeat(stream, SENDS, i -> Segment.send(stream.takeMsn(), Bytes.NONE));
                    flood(stream, sends, SENDS + " Sends");
                }));
        cases.add(Case.must(
                "abuse.reads",
                READS + " Reads in a row, more than agreed, end the stream or are all answered",
                "RDMAP-74 RDMAP-28 SEC-11",
                session -> {
                    PeerStream stream = session.establish().awaitIdle();
                    byte[] reads = repeat(
                            stream,
                            READS,
                            i -> Segment.readRequest(
                                    stream.takeReadMsn(), new ReadRequest(PeerStream.SINK_STAG, i, 0, 0, 0)));
                    try {
                        stream.wire().send(reads, READS + " Reads");
                    } catch (IOException e) {
                        session.dialogue().remark("the peer takes no more: " + e.getMessage());
                    }
                    for (int i = 0; i < READS; i++) {
                        Arrival arrival = stream.next();
                        if (!arrival.is(Segment.READ_RESPONSE)) {
                            if (!arrival.ended() && !arrival.is(Segment.TERMINATE)) {
                                throw stream.unexpected(arrival, "a Read Response or the end of the stream");
                            }
                            return;
                        }
                    }
                }));
        cases.add(Case.onIdle(
                "abuse.garbage",
                GARBAGE + " bytes of garbage after the set-up end the stream",
                "MPA-40 MPA-84 DDP-49",
                stream -> {
                    byte[] garbage = new byte[GARBAGE];
                    new Random(SEED).nextBytes(garbage);
                    // A length that fits, so that the peer does not wait for more.
                    garbage[0] = 0;
                    stream.wire().sendGarbage(Bytes.NONE, "what follows is garbage");
                    flood(stream, garbage, "garbage");
                }));
        if (role == Role.SERVER) {
            connections(cases);
        }
        return cases;
    }

    /** Returns many segments as FPDUs, to be sent in one write. */
    private static byte[] repeat(PeerStream stream, int count, IntFunction<Segment> segment) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < count; i++) {
            all.writeBytes(stream.wire().encode(segment.apply(i), FpduChange.NONE));
        }
        return all.toByteArray();
    }

    private static void flood(PeerStream stream, byte[] bytes, String text) throws IOException, CaseFailed {
        try {
            stream.wire().send(bytes, text);
        } catch (IOException e) {
            return;
        }
        for (int i = 0; i < MAX_ANSWERS; i++) {
            Arrival arrival = stream.next();
            if (arrival.ended()) {
                return;
            }
            if (arrival.segment() == null) {
                throw stream.unexpected(arrival, "the end of the stream");
            }
        }
        throw new CaseFailed("answers without an end", "the end of the stream");
    }

    private static void connections(List<Case> cases) {
        cases.add(Case.must(
                "abuse.connections.empty",
                CONNECTIONS + " connections that are reset at once harm nobody",
                "SEC-27 MPA-83",
                session -> {
                    for (int i = 0; i < CONNECTIONS; i++) {
                        session.open().reset();
                    }
                }));
        cases.add(Case.must(
                "abuse.connections.requested",
                CONNECTIONS + " connections that are reset after their Request harm nobody",
                "SEC-27 MPA-83",
                session -> {
                    for (int i = 0; i < CONNECTIONS; i++) {
                        Wire wire = session.open();
                        wire.send(Setup.request(session.options()));
                        wire.reset();
                    }
                }));
        cases.add(Case.must(
                "abuse.connections.open",
                "a connection that says nothing does not keep others from being served",
                "SEC-27 MPA-75",
                session -> {
                    session.open();
                    session.establish().completePing();
                }));
        cases.add(Case.must(
                "abuse.connections.half",
                "a connection with half a Request does not keep others from being served",
                "SEC-27 MPA-75",
                session -> {
                    Wire wire = session.open();
                    wire.send(new byte[] {'M', 'P', 'A', ' '}, "four bytes of a Request");
                    session.establish().completePing();
                }));
    }
}
