package io.iwarp.conformance.wire;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Follows all that one side of a connection sends, and finds what breaks a rule of MPA, DDP or RDMAP. */
final class RuleChecker {
    private static final int STAG_FIELD = 2;
    private static final int OFFSET_FIELD = 6;
    private static final int QUEUE_FIELD = 6;
    private static final int MSN_FIELD = 10;
    private static final int MO_FIELD = 14;
    private static final int MAX_QUEUE = 3;
    private static final int DDP_LAYER = 1;
    private static final Map<Integer, Integer> HEADER_LENGTHS = Map.of(
            Segment.READ_REQUEST, ReadRequest.LENGTH,
            Segment.IMMEDIATE, Long.BYTES,
            Segment.IMMEDIATE_SOLICITED, Long.BYTES,
            Segment.ATOMIC_REQUEST, AtomicRequest.LENGTH,
            Segment.ATOMIC_RESPONSE, AtomicRequest.RESPONSE_LENGTH);
    private static final Set<Integer> REQUESTS = Set.of(Segment.READ_REQUEST, Segment.ATOMIC_REQUEST);

    private static final Set<Rule> EACH_SEGMENT = Set.of(
            Rule.HEADER_IS_WHOLE,
            Rule.DDP_VERSION_IS_ONE,
            Rule.DDP_RESERVED_IS_ZERO,
            Rule.RDMAP_VERSION_IS_ONE,
            Rule.RDMAP_RESERVED_IS_ZERO,
            Rule.OPCODE_IS_IN_ITS_PLACE);
    private static final Set<Rule> FURTHER_TAGGED =
            Set.of(Rule.STAG_STAYS, Rule.TO_ADVANCES, Rule.MESSAGES_ARE_NOT_MIXED);
    private static final Set<Rule> FURTHER_UNTAGGED = Set.of(Rule.MO_ADVANCES, Rule.MESSAGES_ARE_NOT_MIXED);
    private static final Set<Rule> TERMINATES = Set.of(
            Rule.TERMINATE_RESERVED_IS_ZERO,
            Rule.TERMINATE_HAS_WHAT_ITS_BITS_SAY,
            Rule.TERMINATE_ERROR_IS_REGISTERED,
            Rule.TERMINATE_QUOTES_WHAT_WAS_SENT,
            Rule.TERMINATE_BITS_FIT_ITS_ERROR,
            Rule.NOTHING_FOLLOWS_TERMINATE);

    private final boolean waitsForFpdu;
    private final int mostReads;
    private final Set<Rule> judged = EnumSet.noneOf(Rule.class);
    private final SentSegments sent = new SentSegments();
    private final Map<Long, Long> nextMsn = new HashMap<>();
    /** The message that has begun and not ended. */
    private @Nullable Segment open;

    private long openLength;
    private boolean terminated;
    private boolean validated;
    /** Requests of the suite that are not answered yet: headers by their MSN. */
    private final NavigableMap<Long, byte[]> unanswered = new TreeMap<>();

    private byte[] request = Bytes.NONE;
    private boolean orderLost;
    private int readsOfPeer;

    /**
     * @param waitsForFpdu whether the sender, as responder of MPA, has to wait for an FPDU
     * @param mostReads how many Reads and atomics of the sender may be unanswered
     */
    RuleChecker(boolean waitsForFpdu, int mostReads) {
        this.waitsForFpdu = waitsForFpdu;
        this.mostReads = mostReads;
    }

    /** Adds a segment that the suite sends. */
    void sent(byte[] ulpdu, boolean valid) {
        validated |= valid;
        sent.add(ulpdu);
        if (!Segment.fits(ulpdu)) {
            return;
        }
        Segment segment = Segment.decode(ulpdu);
        if (segment.opcode() == Segment.READ_RESPONSE || segment.opcode() == Segment.ATOMIC_RESPONSE) {
            readsOfPeer -= segment.last() ? 1 : 0;
        } else if (REQUESTS.contains(segment.opcode()) && segment.queue() == 1) {
            int place = (int) Math.min(segment.messageOffset(), AtomicRequest.LENGTH);
            byte[] piece = segment.payload();
            request = Arrays.copyOf(request, Math.max(request.length, place + piece.length));
            System.arraycopy(piece, 0, request, place, piece.length);
            if (segment.last()) {
                unanswered.putIfAbsent(segment.msn(), request);
                request = Bytes.NONE;
            }
        }
    }

    /** A Terminate of DDP, and of RDMAP if the segment is a whole message, has to quote this segment. */
    void blame(Segment segment, boolean whole) {
        sent.atFault = segment.encode();
        sent.wholeAtFault = whole;
    }

    /** The suite sends bytes that are no FPDUs: what the peer makes of them is unknown. */
    void sentGarbage() {
        sent.lose();
    }

    /** Adds rules for which something came that they judge. */
    void judge(Set<Rule> rules) {
        judged.addAll(rules);
    }

    /** Returns the rules for which something came that they judge. */
    Set<Rule> judged() {
        return Set.copyOf(judged);
    }

    private void judge(Segment segment) {
        judged.addAll(EACH_SEGMENT);
        boolean terminate = segment.opcode() == Segment.TERMINATE;
        if (terminate) {
            judged.addAll(TERMINATES);
        }
        if (waitsForFpdu) {
            judged.add(Rule.RESPONDER_WAITS);
        }
        if (HEADER_LENGTHS.containsKey(segment.opcode()) || terminate) {
            judged.add(Rule.HEADER_MESSAGE_LENGTH);
        }
        if (REQUESTS.contains(segment.opcode())) {
            judged.add(Rule.READS_STAY_WITHIN_IRD);
        }
        if (segment.opcode() == Segment.READ_RESPONSE || segment.opcode() == Segment.ATOMIC_RESPONSE) {
            judged.add(Rule.RESPONSES_ANSWER_REQUESTS);
        }
        if (!segment.tagged()) {
            judged.addAll(Set.of(Rule.MSN_COUNTS, Rule.FIRST_MO_IS_ZERO, Rule.INVALIDATE_STAG_IS_ZERO));
        }
        if (open != null) {
            judged.addAll(segment.tagged() ? FURTHER_TAGGED : FURTHER_UNTAGGED);
        }
    }

    /** Returns what is wrong with the next segment; offsets are those in the ULPDU. */
    List<RuleViolation> check(Segment segment) {
        judge(segment);
        List<RuleViolation> violations = new ArrayList<>();
        if (terminated) {
            violations.add(RuleViolation.at(
                    Rule.NOTHING_FOLLOWS_TERMINATE, 0, segment.describe(), "the end of the connection"));
        }
        if (waitsForFpdu && !validated) {
            violations.add(RuleViolation.at(Rule.RESPONDER_WAITS, 0, segment.describe(), "nothing"));
        }
        control(segment, violations);
        place(segment, violations);
        if (segment.tagged()) {
            taggedOrder(segment, violations);
        } else {
            untaggedOrder(segment, violations);
        }
        follow(segment);
        header(segment, violations);
        answer(segment, violations);
        if (segment.opcode() == Segment.TERMINATE) {
            terminated = true;
            TerminateChecker.check(segment, sent, violations);
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
            // A Terminate comes at the earliest moment, and ends what is under way.
            if (segment.opcode() != Segment.TERMINATE) {
                violations.add(mixed(begun, segment));
            }
            open = null;
            begun = null;
        }
        long queue = segment.queue() > MAX_QUEUE ? MAX_QUEUE + 1L : segment.queue();
        long expected = begun == null ? nextMsn.getOrDefault(queue, 1L) : begun.msn();
        if (segment.msn() != expected) {
            violations.add(RuleViolation.at(Rule.MSN_COUNTS, MSN_FIELD, segment.msn(), expected));
        }
        if (begun == null) {
            nextMsn.put(queue, segment.msn() + 1 & 0xFFFF_FFFFL);
        }
        long place = begun == null ? 0 : openLength;
        if (segment.messageOffset() != place) {
            Rule rule = begun == null ? Rule.FIRST_MO_IS_ZERO : Rule.MO_ADVANCES;
            violations.add(RuleViolation.at(rule, MO_FIELD, segment.messageOffset(), place));
        }
    }

    private void follow(Segment segment) {
        if (open == null) {
            open = segment;
            openLength = 0;
        }
        openLength += segment.payload().length;
    }

    private static void header(Segment segment, List<RuleViolation> violations) {
        Integer length = HEADER_LENGTHS.get(segment.opcode());
        boolean right = length == null || segment.payload().length == length;
        if (!right || (!segment.last() && (length != null || segment.opcode() == Segment.TERMINATE))) {
            violations.add(RuleViolation.at(
                    Rule.HEADER_MESSAGE_LENGTH,
                    0,
                    segment.payload().length + " bytes, L=" + (segment.last() ? 1 : 0),
                    (length == null ? "" : length + " bytes, ") + "L=1"));
        }
    }

    /** Requests of the peer are counted, and its responses are compared with the requests of the suite. */
    private void answer(Segment segment, List<RuleViolation> violations) {
        int opcode = segment.opcode();
        if (REQUESTS.contains(opcode) && ++readsOfPeer > mostReads) {
            violations.add(RuleViolation.at(
                    Rule.READS_STAY_WITHIN_IRD, 1, readsOfPeer + " at a time", mostReads + " at a time"));
        }
        boolean response = opcode == Segment.READ_RESPONSE || opcode == Segment.ATOMIC_RESPONSE;
        if (response && !orderLost) {
            Map.Entry<Long, byte[]> oldest = unanswered.firstEntry();
            byte[] header = oldest == null ? null : oldest.getValue();
            String right = header == null ? "no response" : mismatch(header, segment);
            if (right != null) {
                orderLost = true;
                violations.add(RuleViolation.at(Rule.RESPONSES_ANSWER_REQUESTS, STAG_FIELD, segment.describe(), right));
            } else if (segment.last()) {
                unanswered.pollFirstEntry();
            }
        }
        if (segment.last()) {
            open = null;
        }
    }

    /** Returns what should have come instead, or null. */
    private @Nullable String mismatch(byte[] header, Segment segment) {
        if (header.length == AtomicRequest.LENGTH) {
            long identifier = Bytes.u32(header, Integer.BYTES);
            return segment.opcode() == Segment.ATOMIC_RESPONSE
                            && segment.payload().length >= Integer.BYTES
                            && Bytes.u32(segment.payload(), 0) == identifier
                    ? null
                    : "an Atomic Response with the Request Identifier " + identifier;
        }
        if (header.length != ReadRequest.LENGTH) {
            return "no response to a request of " + header.length + " bytes";
        }
        ReadRequest read = ReadRequest.decode(header);
        Segment begun = open;
        boolean right = begun != null
                && segment.opcode() == Segment.READ_RESPONSE
                && begun.stag() == read.sinkStag()
                && begun.offset() == read.sinkOffset()
                && (segment.last() ? openLength == read.size() : openLength <= read.size());
        return right ? null : "the response to a Read of " + read.describe();
    }

    private static RuleViolation mixed(Segment begun, Segment segment) {
        return RuleViolation.at(
                Rule.MESSAGES_ARE_NOT_MIXED, 0, segment.describe(), "more segments of " + Segment.name(begun.opcode()));
    }

    /** What the suite has sent on a connection, for a comparison with what Terminates quote. */
    static final class SentSegments {
        private static final int MAX = 4096;

        private final Set<ByteBuffer> headers = new HashSet<>();
        private final Set<Integer> lengths = new HashSet<>();
        private final List<Segment> reads = new ArrayList<>();
        private byte @Nullable [] atFault;
        private boolean wholeAtFault;
        private boolean lost;

        void add(byte[] ulpdu) {
            lost |= headers.size() >= MAX || reads.size() >= MAX;
            lengths.add(ulpdu.length);
            if (Segment.fits(ulpdu)) {
                int header = (ulpdu[0] & 0x80) != 0 ? Segment.TAGGED_HEADER : Segment.UNTAGGED_HEADER;
                headers.add(ByteBuffer.wrap(Bytes.join(Bytes.u16(ulpdu.length), Arrays.copyOf(ulpdu, header))));
                if (ulpdu.length == header + ReadRequest.LENGTH) {
                    reads.add(Segment.decode(ulpdu));
                }
            }
        }

        void lose() {
            lost = true;
        }

        /** Returns the segment that a Terminate of a layer has to quote, or null if it may be any. */
        private byte @Nullable [] atFault(int layer) {
            return layer == DDP_LAYER || wholeAtFault ? atFault : null;
        }

        boolean hasLength(int layer, int length) {
            byte[] only = atFault(layer);
            return lost || (only == null ? lengths.contains(length) : length == only.length);
        }

        /** Returns whether a segment of that length and with that header was sent, and is the one at fault. */
        boolean hasHeader(int layer, byte[] lengthAndHeader) {
            byte[] only = atFault(layer);
            return lost
                    || (headers.contains(ByteBuffer.wrap(lengthAndHeader))
                            && (only == null
                                    || Arrays.equals(
                                            lengthAndHeader,
                                            Short.BYTES,
                                            lengthAndHeader.length,
                                            only,
                                            0,
                                            lengthAndHeader.length - Short.BYTES)));
        }

        /** Returns whether a Read Request was sent, in a segment with this MSN, of which this is what is left. */
        boolean hasRead(long msn, ReadRequest left) {
            // A Read Request in several segments has the MSN of none of these.
            boolean known = reads.stream().anyMatch(read -> read.msn() == msn);
            return lost
                    || reads.stream()
                            .filter(read -> !known || read.msn() == msn)
                            .anyMatch(segment -> {
                                ReadRequest read = ReadRequest.decode(segment.payload());
                                long done = left.sinkOffset() - read.sinkOffset();
                                return left.sinkStag() == read.sinkStag()
                                        && left.sourceStag() == read.sourceStag()
                                        && left.sourceOffset() - read.sourceOffset() == done
                                        && read.size() - left.size() == done;
                            });
        }
    }
}
