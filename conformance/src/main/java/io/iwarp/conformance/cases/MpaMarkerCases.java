package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.CaseFailed;
import io.iwarp.conformance.judge.Need;
import io.iwarp.conformance.judge.PeerStream;
import io.iwarp.conformance.judge.Session;
import io.iwarp.conformance.wire.Bytes;
import io.iwarp.conformance.wire.FpduChange;
import io.iwarp.conformance.wire.Segment;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/** Markers that the suite sends (RFC 5044 sections 4.2 and 4.3). Those of the peer are checked by the rules. */
final class MpaMarkerCases {
    private static final int INTERVAL = 512;
    private static final int WORD = 4;
    /** Each bit of FPDUPTR but the lowest two, which do not count. */
    private static final int[] WRONG =
            IntStream.range(2, Short.SIZE).map(bit -> 1 << bit).toArray();

    private static final int SEND = 40;
    private static final int INSIDE = 20;
    private static final int MAX_FILLERS = 10_000;
    private static final int LATE = 4000;
    private static final int LARGE = 60_600;
    private static final Segment EMPTY = Segment.tagged(Segment.WRITE, 0, 0, Bytes.NONE);

    private MpaMarkerCases() {}

    /** Returns the cases. */
    static List<Case> all() {
        List<Case> cases = new ArrayList<>();
        for (int phase = 0; phase <= SEND; phase += WORD) {
            int at = phase;
            cases.add(Case.must(
                            "mpa.marker.phase." + phase,
                            "a marker at byte " + phase + " of an FPDU is taken out",
                            "MPA-15 MPA-21 MPA-23 MPA-25 MPA-29 MPA-30",
                            session -> {
                                PeerStream stream = advance(session, at);
                                stream.send(stream.pings().takeAwaited());
                                stream.pings().completePingAfterSend();
                            })
                    .needs(Need.MARKERS_TO_PEER));
        }
        for (int phase : new int[] {0, INSIDE, SEND - WORD}) {
            String where = phase == 0 ? "front" : phase == INSIDE ? "inside" : "crc";
            accepted(
                    cases,
                    where,
                    "reserved",
                    "whose reserved half is ffff",
                    "MPA-15",
                    phase,
                    FpduChange.markers(0xFFFF, 0));
            for (int low = 1; low < WORD; low++) {
                accepted(
                        cases,
                        where,
                        "low." + low,
                        "whose lowest bits are " + low,
                        "MPA-24",
                        phase,
                        FpduChange.markers(0, low));
            }
            for (int shift : phase == 0
                    ? WRONG
                    : IntStream.concat(IntStream.of(WRONG), IntStream.of(-phase))
                            .toArray()) {
                cases.add(Case.should(
                                "mpa.marker.wrong." + where + "." + shift,
                                "a marker (" + where + ") that points "
                                        + (shift < 0 ? "nowhere" : shift + " bytes too far") + " is an error",
                                "MPA-30 MPA-85",
                                session -> {
                                    PeerStream stream = advance(session, phase);
                                    stream.send(
                                            stream.pings().takeAwaited(),
                                            FpduChange.markers(0, shift),
                                            ", marker points " + shift + " bytes too far");
                                    stream.expectTerminate("2/0/03");
                                })
                        .needs(Need.MARKERS_TO_PEER));
            }
        }
        cases.add(Case.should(
                        "mpa.marker.wrong.late",
                        "a marker that points too far is an error in the second 64 KiB of the stream, too",
                        "MPA-30 MPA-85",
                        session -> {
                            PeerStream stream = session.establish().awaitIdle();
                            stream.sendAtOnce(Collections.nCopies(LATE, EMPTY), LATE + " Writes of zero bytes");
                            advance(stream, INSIDE);
                            stream.send(
                                    stream.pings().takeAwaited(),
                                    FpduChange.markers(0, WORD),
                                    ", marker points " + WORD + " bytes too far");
                            stream.expectTerminate("2/0/03");
                        })
                .needs(Need.MARKERS_TO_PEER));
        for (int from : new int[] {1, 512, 1024, 4096, 32_768, 60_000}) {
            cases.add(Case.should(
                            "mpa.marker.wrong.far." + from,
                            "in an FPDU of 60600 bytes a marker that is " + from
                                    + " bytes or more from its beginning and points too far is an error",
                            "MPA-30 MPA-85",
                            session -> {
                                PeerStream stream = advance(session, INSIDE);
                                // If nobody looks at the markers, the STag is the error.
                                stream.send(
                                        Segment.tagged(Segment.WRITE, 1, 0, new byte[LARGE]),
                                        FpduChange.lateMarkers(from, WORD),
                                        ", markers point " + WORD + " bytes too far");
                                stream.expectTerminate("2/0/03");
                            })
                    .needs(Need.MARKERS_TO_PEER));
        }
        cases.add(Case.must(
                        "mpa.marker.crc",
                        "the CRC covers markers: a bit flipped in one is an error",
                        "MPA-39 MPA-15",
                        session -> {
                            PeerStream stream = advance(session, 0);
                            stream.send(
                                    stream.pings().takeAwaited(), FpduChange.flip(0), ", bit flipped in the marker");
                            stream.expectTerminate("2/0/02");
                        })
                .needs(Need.MARKERS_TO_PEER, Need.CRC));
        return cases;
    }

    private static void accepted(
            List<Case> cases,
            String where,
            String name,
            String text,
            String requirements,
            int phase,
            FpduChange change) {
        cases.add(Case.must(
                        "mpa.marker.ignored." + where + "." + name,
                        "a marker (" + where + ") " + text + ", under a right CRC, is taken",
                        requirements,
                        session -> {
                            PeerStream stream = advance(session, phase);
                            stream.send(stream.pings().takeAwaited(), change, ", marker " + text);
                            stream.pings().completePingAfterSend();
                        })
                .needs(Need.MARKERS_TO_PEER));
    }

    /** Sends Writes of zero bytes until the next marker is that far after the beginning of the next FPDU. */
    static PeerStream advance(Session session, int phase) throws IOException, CaseFailed {
        return advance(session.establish().awaitIdle(), phase);
    }

    private static PeerStream advance(PeerStream stream, int phase) throws IOException {
        ByteArrayOutputStream fillers = new ByteArrayOutputStream();
        for (int i = 0; i < MAX_FILLERS; i++) {
            if ((stream.wire().position() + phase) % INTERVAL == 0) {
                stream.wire().send(fillers.toByteArray(), i + " Writes of zero bytes");
                return stream;
            }
            fillers.writeBytes(stream.wire().encode(EMPTY, FpduChange.NONE));
        }
        throw new IllegalStateException("no FPDU can begin " + phase + " bytes before a marker");
    }
}
