package io.iwarp.conformance.wire;

import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** Judges what is in a Terminate (RFC 5040 section 4.8, RFC 6580 section 3). */
final class TerminateChecker {
    private static final int SEGMENT_LENGTH = 2;
    private static final int CONTROL = Integer.BYTES;
    private static final int MSN = 10;
    private static final Set<String> ERRORS = Set.of(
            "0/1/00", "0/1/01", "0/1/02", "0/1/03", "0/1/04", "0/1/09", "0/1/FF", "0/2/05", "0/2/06", "0/2/07",
            "0/2/08", "0/2/09", "0/2/FF", "1/0/00", "1/1/00", "1/1/01", "1/1/02", "1/1/03", "1/1/04", "1/2/01",
            "1/2/02", "1/2/03", "1/2/04", "1/2/05", "1/2/06", "2/0/01", "2/0/02", "2/0/03", "2/0/04", "2/0/05",
            "2/0/06", "2/0/07");

    private TerminateChecker() {}

    static void check(Segment segment, RuleChecker.SentSegments sent, List<RuleViolation> violations) {
        byte[] payload = segment.payload();
        if (payload.length < CONTROL) {
            add(violations, Rule.TERMINATE_HAS_WHAT_ITS_BITS_SAY, 0, payload.length + " bytes", "4 bytes or more");
            return;
        }
        TerminateMessage message = TerminateMessage.decode(payload);
        if (message.reserved() != 0) {
            add(violations, Rule.TERMINATE_RESERVED_IS_ZERO, 2, Integer.toHexString(message.reserved()), "0");
        }
        if (!ERRORS.contains(message.error()) && !message.error().startsWith("0/0/")) {
            add(violations, Rule.TERMINATE_ERROR_IS_REGISTERED, 0, message.error(), "an error of RFC 6580 or 6581");
        }
        contents(message, sent, violations);
    }

    private static void contents(
            TerminateMessage message, RuleChecker.SentSegments sent, List<RuleViolation> violations) {
        byte[] rest = message.rest();
        boolean ddp = message.has(TerminateMessage.D);
        boolean read = message.has(TerminateMessage.R);
        int length = ddp || message.has(TerminateMessage.M) ? SEGMENT_LENGTH : 0;
        boolean tagged = ddp && rest.length > SEGMENT_LENGTH && (rest[SEGMENT_LENGTH] & 0x80) != 0;
        int header = length + (!ddp ? 0 : tagged ? Segment.TAGGED_HEADER : Segment.UNTAGGED_HEADER);
        int whole = header + (read ? ReadRequest.LENGTH : 0);
        if (rest.length != whole) {
            String seen = rest.length + " bytes after the control word";
            add(violations, Rule.TERMINATE_HAS_WHAT_ITS_BITS_SAY, CONTROL, seen, whole + " bytes");
        }
        if (rest.length < whole) {
            return;
        }
        if (message.has(TerminateMessage.M) && !sent.hasLength(message.layer(), Bytes.u16(rest, 0))) {
            String seen = "a DDP Segment Length of " + Bytes.u16(rest, 0);
            add(
                    violations,
                    Rule.TERMINATE_QUOTES_WHAT_WAS_SENT,
                    CONTROL,
                    seen,
                    "the length of a segment that was sent");
        } else if (message.has(TerminateMessage.M)
                && ddp
                && !sent.hasHeader(message.layer(), Arrays.copyOf(rest, header))) {
            add(
                    violations,
                    Rule.TERMINATE_QUOTES_WHAT_WAS_SENT,
                    CONTROL + length,
                    "another DDP header",
                    "the header of a segment that was sent, and its length");
        }
        long msn = ddp && !tagged ? Bytes.u32(rest, length + MSN) : -1;
        if (read && !sent.hasRead(msn, ReadRequest.decode(Arrays.copyOfRange(rest, header, whole)))) {
            add(
                    violations,
                    Rule.TERMINATE_QUOTES_WHAT_WAS_SENT,
                    CONTROL + header,
                    "another header of a Read Request",
                    "one that was sent, moved on by what was answered");
        }
        boolean readRequest = ddp && !tagged && (rest[length + 1] & 0x0F) == Segment.READ_REQUEST;
        String wanted = wanted(message, readRequest);
        if (!wanted.isEmpty()) {
            add(violations, Rule.TERMINATE_BITS_FIT_ITS_ERROR, 2, message.describe(), wanted);
        }
    }

    /** Returns which bits the error asks for (RFC 5040 figure 10, RFC 7306 section 8.1), or nothing if they are set. */
    private static String wanted(TerminateMessage message, boolean readRequest) {
        boolean mpa = message.layer() == 2;
        boolean local = message.type() == 0;
        boolean quoted = message.has(TerminateMessage.M) && message.has(TerminateMessage.D);
        if (mpa || local) {
            return message.bits() == 0 ? "" : "M=0 D=0 R=0";
        }
        boolean protection = message.layer() == 0 && message.type() == 1;
        if (!quoted && (protection || message.layer() == 1)) {
            return "M=1 D=1";
        }
        boolean wantsRead = protection && readRequest;
        return message.has(TerminateMessage.R) == wantsRead ? "" : wantsRead ? "R=1" : "R=0";
    }

    private static void add(List<RuleViolation> violations, Rule rule, int offset, String seen, String allowed) {
        violations.add(RuleViolation.at(rule, Segment.UNTAGGED_HEADER + offset, seen, allowed));
    }
}
