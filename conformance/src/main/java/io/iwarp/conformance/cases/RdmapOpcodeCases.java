package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.wire.Bytes;
import io.iwarp.conformance.wire.Opcodes;
import io.iwarp.conformance.wire.Segment;
import java.util.ArrayList;
import java.util.List;

/** Each opcode in each place where it does not belong (RFC 5040 figure 4 and section 7.2, RFC 7306 figure 2). */
final class RdmapOpcodeCases {
    private static final int QUEUES = 4;
    private static final int RESPONSES = 3;
    private static final String UNEXPECTED = "0/2/06";

    private RdmapOpcodeCases() {}

    /** Returns the cases. */
    static List<Case> all() {
        List<Case> cases = new ArrayList<>();
        for (int opcode = 0; opcode < Opcodes.COUNT; opcode++) {
            boolean assigned = opcode < Opcodes.ASSIGNED;
            if (!assigned || !Opcodes.tagged(opcode)) {
                add(cases, opcode, "tagged", Segment.tagged(opcode, 0, 0, Bytes.NONE), UNEXPECTED);
            }
            for (int queue = 0; queue < QUEUES; queue++) {
                if (assigned && Opcodes.queue(opcode) == queue) {
                    continue;
                }
                Segment segment = Segment.untagged(opcode, queue, 1, Bytes.NONE);
                // A peer without atomics has no queue 3, and one with them has no buffer there yet.
                String[] errors = queue == RESPONSES
                        ? new String[] {UNEXPECTED, "1/2/01", "1/2/02", "1/2/03"}
                        : new String[] {UNEXPECTED};
                add(cases, opcode, "queue-" + queue, segment, errors);
            }
        }
        return cases;
    }

    private static void add(List<Case> cases, int opcode, String place, Segment segment, String... errors) {
        boolean terminate = opcode == Segment.TERMINATE;
        String name = opcode < Opcodes.ASSIGNED ? Segment.name(opcode) : "the unassigned opcode " + opcode;
        cases.add(Case.onIdle(
                "rdmap.opcode." + opcode + "." + place,
                name + " is refused as " + place.replace('-', ' ')
                        + (terminate ? ": the stream ends" : ", with " + String.join(" or ", errors)),
                terminate ? "RDMAP-78 RDMAP-44" : "RDMAP-78 RDMAP-6 RDMAP-53 RDMAP-2",
                stream -> {
                    if (segment.tagged()) {
                        stream.send(segment);
                    } else {
                        long msn = segment.queue() == 0
                                ? stream.nextMsn()
                                : segment.queue() == 1 ? stream.nextReadMsn() : 1;
                        stream.send(Segment.untagged(opcode, segment.queue(), msn, Bytes.NONE));
                    }
                    if (terminate) {
                        stream.expectEndOfAnyKind();
                    } else {
                        stream.expectTerminate(errors);
                    }
                }));
    }
}
