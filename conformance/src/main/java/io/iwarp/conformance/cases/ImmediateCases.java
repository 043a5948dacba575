package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.Need;
import io.iwarp.conformance.wire.Arrival;
import io.iwarp.conformance.wire.Bytes;
import io.iwarp.conformance.wire.Segment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Immediate Data (RFC 7306 section 6) where the peer has it. */
final class ImmediateCases {
    private static final int IMMEDIATE_SOLICITED = 9;

    private ImmediateCases() {}

    private static Segment immediate(int opcode, long msn, int length) {
        return Segment.untagged(opcode, 0, msn, Bytes.pattern(length));
    }

    /** Returns the cases. */
    static List<Case> all() {
        List<Case> cases = new ArrayList<>();
        for (int opcode : new int[] {Segment.IMMEDIATE, IMMEDIATE_SOLICITED}) {
            for (int[] parts : new int[][] {{0, 4, 8}, {0, 0, 8}, {0, 8, 8}, {4, 8}, {8, 16}}) {
                String places = IntStream.of(parts).mapToObj(String::valueOf).collect(Collectors.joining("-"));
                cases.add(Case.onIdle(
                                "ext.immediate." + opcode + ".parts." + places,
                                Segment.name(opcode) + " in segments that begin and end at " + places
                                        + " is refused with a Terminate",
                                "EXT-29 EXT-32",
                                stream -> {
                                    long msn = stream.takeMsn();
                                    List<Segment> segments = new ArrayList<>();
                                    for (int i = 1; i < parts.length; i++) {
                                        segments.add(immediate(opcode, msn, parts[i] - parts[i - 1])
                                                .messageOffset(parts[i - 1])
                                                .last(i == parts.length - 1));
                                    }
                                    stream.sendAtOnce(segments, "Immediate Data in segments");
                                    stream.expect(Segment.TERMINATE);
                                })
                        .needs(Need.IMMEDIATE));
            }
            cases.add(Case.onIdle(
                            "ext.immediate.valid." + opcode,
                            Segment.name(opcode) + " of 8 bytes is no error: the peer sends no Terminate about it",
                            "EXT-28 EXT-29 EXT-31",
                            stream -> {
                                stream.send(immediate(opcode, stream.takeMsn(), Long.BYTES));
                                Arrival arrival = stream.next();
                                if (arrival.is(Segment.TERMINATE)) {
                                    throw stream.unexpected(arrival, "no Terminate: a program may end the connection");
                                }
                            })
                    .needs(Need.IMMEDIATE));
        }
        return cases;
    }
}
