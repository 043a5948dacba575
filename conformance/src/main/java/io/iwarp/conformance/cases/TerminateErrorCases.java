package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Advertisement;
import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.Need;
import io.iwarp.conformance.judge.PeerMemory;
import io.iwarp.conformance.judge.PeerStream;
import io.iwarp.conformance.judge.Role;
import io.iwarp.conformance.wire.FpduChange;
import io.iwarp.conformance.wire.ReadRequest;
import io.iwarp.conformance.wire.Segment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The error that says most, at SHOULD, where it takes more than a {@linkplain WrongMessageCases wrong message}: errors
 * of MPA (RFC 5040 section 6.2.1), ULPDUs that are too short for a header, and memory of another connection.
 */
final class TerminateErrorCases {
    private static final byte[] ONE = {'#'};
    private static final long SINK = PeerStream.SINK_STAG;

    private TerminateErrorCases() {}

    private interface OnMemory {
        Segment on(PeerStream stream, Advertisement memory);
    }

    private static Segment next(PeerStream stream) {
        return stream.pings().takeAwaited();
    }

    private static Segment read(long msn, long size, long stag, long offset) {
        return Segment.readRequest(msn, new ReadRequest(SINK, 0, size, stag, offset));
    }

    /** Returns the cases. */
    static List<Case> all(Role role) {
        List<Case> cases = new ArrayList<>();
        if (role == Role.SERVER) {
            foreign(cases);
        }
        fpdus(cases);
        return cases;
    }

    /** Errors of MPA and of what is too short for DDP. */
    private static void fpdus(List<Case> cases) {
        fpdu(cases, "crc", "2/0/02", "MPA-84 RDMAP-57", Need.CRC, (stream, fpdu) -> {
            fpdu[fpdu.length - 1] ^= 1;
            stream.wire().send(fpdu, "a Send with a wrong CRC");
        });
        fpdu(cases, "fin", "2/0/01", "MPA-83 RDMAP-57", null, (stream, fpdu) -> {
            stream.wire().send(Arrays.copyOf(fpdu, fpdu.length / 2), "half a Send");
            stream.wire().fin();
        });
        cases.add(Case.should(
                        "rdmap.terminate.error.marker",
                        "a marker that points nowhere is best refused with 2/0/03",
                        "MPA-85 MPA-30 RDMAP-57",
                        session -> {
                            PeerStream stream = MpaMarkerCases.advance(session, Segment.UNTAGGED_HEADER + 2);
                            stream.send(next(stream), FpduChange.markers(0, Integer.BYTES), ", wrong marker");
                            stream.expectReport("2/0/03");
                        })
                .needs(Need.MARKERS_TO_PEER));
        for (int length : new int[] {0, 1, 13, 17}) {
            cases.add(Case.should(
                    "rdmap.terminate.error.ulpdu." + length,
                    "a ULPDU of " + length + " bytes is best refused with 0/2/FF or 1/0/00",
                    "DDP-23 RDMAP-53 RDMAP-51",
                    session -> {
                        PeerStream stream = session.establish().awaitIdle();
                        byte[] ulpdu = Arrays.copyOf(next(stream).encode(), length);
                        stream.wire().send(stream.wire().encode(ulpdu, FpduChange.NONE), "a ULPDU that is too short");
                        stream.expectReport("0/2/FF", "1/0/00");
                    }));
        }
    }

    private interface Damage {
        void send(PeerStream stream, byte[] fpdu) throws IOException;
    }

    private static void fpdu(
            List<Case> cases, String id, String error, String requirements, @Nullable Need need, Damage damage) {
        Case test = Case.should(
                "rdmap.terminate.error." + id,
                "an error of MPA (" + id + ") is best reported with " + error,
                requirements,
                session -> {
                    PeerStream stream = session.establish().awaitIdle();
                    damage.send(stream, stream.wire().encode(next(stream), FpduChange.NONE));
                    stream.expectReport(error);
                });
        cases.add(need == null ? test : test.needs(need));
    }

    /** Memory of another connection; each connection of a client may have a process of its own. */
    private static void foreign(List<Case> cases) {
        foreign(
                cases,
                "write",
                "DDP-72 SEC-2",
                (stream, memory) -> Segment.tagged(Segment.WRITE, memory.stag(), memory.offset(), ONE),
                "1/1/02");
        foreign(
                cases,
                "read",
                "RDMAP-82 SEC-2",
                (stream, memory) -> read(stream.takeReadMsn(), 1, memory.stag(), memory.offset()),
                "0/1/03");
        foreign(
                cases,
                "invalidate",
                "RDMAP-80 SEC-2",
                (stream, memory) -> Segment.untagged(
                                Segment.SEND_INVALIDATE, 0, stream.takeMsn(), new byte[Advertisement.LENGTH])
                        .stag(memory.stag()),
                "0/1/09",
                "0/1/03");
    }

    private static void foreign(List<Case> cases, String id, String requirements, OnMemory use, String... errors) {
        cases.add(Case.should(
                "rdmap.terminate.error.foreign." + id,
                "a use (" + id + ") of memory of another connection is best refused with "
                        + String.join(" or ", errors),
                requirements,
                session -> {
                    PeerMemory memory = PeerMemory.writable(session);
                    PeerStream second = CombinationCases.other(PeerMemory.writable(session), memory);
                    second.sendAtFault(use.on(second, memory.memory()));
                    second.expectReport(errors);
                }));
    }
}
