package io.iwarp.conformance.wire;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Follows all that one side sends, and finds what breaks a rule of DDP or RDMAP. */
final class RuleChecker {
    private static final int STAG_FIELD = 2;
    private static final int OFFSET_FIELD = 6;
    private static final int QUEUE_FIELD = 6;
    private static final int MSN_FIELD = 10;
    private static final int MO_FIELD = 14;
    private static final int SEGMENT_LENGTH = 2;
    private static final int HIGHEST_QUEUE = 3;

    private final Map<Long, Long> nextMsn = new HashMap<>();
    /** The message that has begun and not ended. */
    private @Nullable Segment open;

    private long openLength;
    private boolean terminated;

    /** {@return what is wrong with the next segment; offsets are those in the ULPDU} */
    List<RuleViolation> check(Segment segment) {
        List<RuleViolation> violations = new ArrayList<>();
        if (terminated) {
            violations.add(RuleViolation.at(
                    Rule.NOTHING_FOLLOWS_TERMINATE, 0, segment.describe(), "the end of the connection"));
        }
        control(segment, violations);
        place(segment, violations);
        if (segment.tagged()) {
            taggedOrder(segment, violations);
        } else {
            untaggedOrder(segment, violations);
        }
        follow(segment);
        if (segment.opcode() == Segment.READ_REQUEST
                && (segment.payload().length != ReadRequest.LENGTH || !segment.last())) {
            violations.add(RuleViolation.at(
                    Rule.HEADER_MESSAGE_LENGTH,
                    0,
                    segment.payload().length + " bytes, L=" + (segment.last() ? 1 : 0),
                    "28 bytes, L=1"));
        }
        if (segment.opcode() == Segment.TERMINATE) {
            terminate(segment, violations);
        }
        return violations;
    }

    private static void control(Segment segment, List<RuleViolation> violations) {
        if (segment.ddpVersion() != 1) {
            violations.add(RuleViolation.at(Rule.DDP_VERSION_IS_ONE, 0, segment.ddpVersion(), 1));
        }
        if (segment.ddpReserved() != 0) {
            violations.add(RuleViolation.at(Rule.DDP_RESERVED_IS_ZERO, 0, segment.ddpReserved(), 0));
        }
        if (segment.rdmapVersion() != 1) {
            violations.add(RuleViolation.at(Rule.RDMAP_VERSION_IS_ONE, 1, segment.rdmapVersion(), 1));
        }
        if (segment.rdmapReserved() != 0) {
            violations.add(RuleViolation.at(Rule.RDMAP_RESERVED_IS_ZERO, 1, segment.rdmapReserved(), 0));
        }
        boolean invalidates =
                segment.opcode() == Segment.SEND_INVALIDATE || segment.opcode() == Segment.SEND_SOLICITED_INVALIDATE;
        if (!segment.tagged() && !invalidates && segment.stag() != 0) {
            violations.add(RuleViolation.at(Rule.INVALIDATE_STAG_IS_ZERO, STAG_FIELD, segment.stag(), 0));
        }
    }

    private static void place(Segment segment, List<RuleViolation> violations) {
        boolean tagged = Opcodes.tagged(segment.opcode());
        if (segment.tagged() != tagged) {
            violations.add(RuleViolation.at(Rule.OPCODE_IS_IN_ITS_PLACE, 0, segment.tagged() ? 1 : 0, tagged ? 1 : 0));
        } else if (!tagged && segment.queue() != Opcodes.queue(segment.opcode())) {
            violations.add(RuleViolation.at(
                    Rule.OPCODE_IS_IN_ITS_PLACE, QUEUE_FIELD, segment.queue(), Opcodes.queue(segment.opcode())));
        }
    }

    private void taggedOrder(Segment segment, List<RuleViolation> violations) {
        Segment begun = open;
        if (begun == null) {
            return;
        }
        if (!begun.tagged() || begun.opcode() != segment.opcode()) {
            violations.add(mixed(begun, segment));
        } else if (begun.stag() != segment.stag()) {
            violations.add(RuleViolation.at(Rule.STAG_STAYS, STAG_FIELD, segment.stag(), begun.stag()));
        } else if (begun.offset() + openLength != segment.offset()) {
            violations.add(
                    RuleViolation.at(Rule.TO_ADVANCES, OFFSET_FIELD, segment.offset(), begun.offset() + openLength));
        }
    }

    private void untaggedOrder(Segment segment, List<RuleViolation> violations) {
        Segment begun = open;
        if (begun != null && (begun.tagged() || begun.opcode() != segment.opcode())) {
            violations.add(mixed(begun, segment));
        }
        boolean first = begun == null || begun.tagged();
        long queue = segment.queue() > HIGHEST_QUEUE ? HIGHEST_QUEUE + 1L : segment.queue();
        long expected = begun == null || first ? nextMsn.getOrDefault(queue, 1L) : begun.msn();
        if (segment.msn() != expected) {
            violations.add(RuleViolation.at(Rule.MSN_COUNTS, MSN_FIELD, segment.msn(), expected));
        }
        if (first) {
            nextMsn.put(queue, segment.msn() + 1 & 0xFFFF_FFFFL);
        }
        long place = first ? 0 : openLength;
        if (segment.messageOffset() != place) {
            Rule rule = first ? Rule.FIRST_MO_IS_ZERO : Rule.MO_ADVANCES;
            violations.add(RuleViolation.at(rule, MO_FIELD, segment.messageOffset(), place));
        }
    }

    private void follow(Segment segment) {
        if (open == null) {
            open = segment;
            openLength = 0;
        }
        openLength += segment.payload().length;
        if (segment.last()) {
            open = null;
        }
    }

    private void terminate(Segment segment, List<RuleViolation> violations) {
        terminated = true;
        byte[] payload = segment.payload();
        int offset = Segment.UNTAGGED_HEADER;
        if (payload.length < Integer.BYTES) {
            violations.add(RuleViolation.at(
                    Rule.TERMINATE_HAS_WHAT_ITS_BITS_SAY, offset, payload.length + " bytes", "4 bytes or more"));
            return;
        }
        TerminateMessage message = TerminateMessage.decode(payload);
        if (message.reserved() != 0) {
            violations.add(RuleViolation.at(Rule.TERMINATE_RESERVED_IS_ZERO, offset + 2, message.reserved(), 0));
        }
        int headers = 0;
        if ((message.bits() & (TerminateMessage.M | TerminateMessage.D)) != 0) {
            headers += SEGMENT_LENGTH;
        }
        if ((message.bits() & TerminateMessage.D) != 0) {
            boolean tagged = message.rest().length > SEGMENT_LENGTH && (message.rest()[SEGMENT_LENGTH] & 0x80) != 0;
            headers += tagged ? Segment.TAGGED_HEADER : Segment.UNTAGGED_HEADER;
        }
        if ((message.bits() & TerminateMessage.R) != 0) {
            headers += ReadRequest.LENGTH;
        }
        if (message.rest().length < headers) {
            violations.add(RuleViolation.at(
                    Rule.TERMINATE_HAS_WHAT_ITS_BITS_SAY,
                    offset + Integer.BYTES,
                    message.rest().length + " bytes behind the control word",
                    headers + " bytes"));
        }
    }

    private static RuleViolation mixed(Segment begun, Segment segment) {
        return RuleViolation.at(
                Rule.MESSAGES_ARE_NOT_MIXED, 0, segment.describe(), "more segments of " + Segment.name(begun.opcode()));
    }
}
