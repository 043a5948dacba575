package io.iwarp.conformance.wire;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Takes FPDUs apart, for one direction of one connection. */
public final class FpduReader {
    private static final int WORD = 4;
    private static final int LENGTH_FIELD = 2;
    private static final int MAX_ULPDU = 64_768;

    private final boolean markers;
    private final boolean crc;
    private long position;

    /**
     * An FPDU that came.
     *
     * @param raw all its bytes, markers included
     * @param ulpdu what is in it
     * @param offsets where each byte of the ULPDU is in {@code raw}
     * @param judged the rules for which it has something that they judge
     * @param violations what is wrong about the frame
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Fpdu(byte[] raw, byte[] ulpdu, int[] offsets, Set<Rule> judged, List<RuleViolation> violations) {}

    /** Walks over the bytes of one FPDU; the position counts only if the FPDU is whole. */
    private final class Walk {
        final byte[] bytes;
        final int available;
        final Set<Rule> judged = EnumSet.of(Rule.LENGTH_IS_ALLOWED);
        final List<RuleViolation> violations = new ArrayList<>();
        int at;
        int start = -1;

        Walk(byte[] bytes, int available) {
            this.bytes = bytes;
            this.available = available;
        }

        /** Returns false if the bytes end here. */
        boolean passMarker() {
            if (!markers || (position + at) % FpduWriter.MARKER_INTERVAL != 0 || start == at) {
                return true;
            }
            if (at + WORD > available) {
                return false;
            }
            int reserved = Bytes.u16(bytes, at);
            int pointer = Bytes.u16(bytes, at + LENGTH_FIELD);
            int right = start < 0 ? 0 : at - start;
            Rule rule = start < 0 ? Rule.FIRST_MARKER_IS_ZERO : Rule.MARKER_POINTS_BACK;
            judged.add(rule);
            judged.add(Rule.MARKER_RESERVED_IS_ZERO);
            if (reserved != 0) {
                violations.add(RuleViolation.at(Rule.MARKER_RESERVED_IS_ZERO, at, reserved, 0));
            }
            if (pointer != right) {
                violations.add(RuleViolation.at(rule, at + LENGTH_FIELD, pointer, right));
            }
            at += WORD;
            return true;
        }
    }

    /**
     * @param markers whether the sender was asked for markers
     * @param crc whether the CRC is on
     */
    public FpduReader(boolean markers, boolean crc) {
        this.markers = markers;
        this.crc = crc;
    }

    /** Returns the next FPDU, or null if it is not whole yet. */
    public @Nullable Fpdu decode(byte[] bytes, int available) {
        Walk walk = new Walk(bytes, available);
        if (!walk.passMarker() || walk.at + LENGTH_FIELD > available) {
            return null;
        }
        walk.start = walk.at;
        int length = Bytes.u16(bytes, walk.at);
        walk.at += LENGTH_FIELD;
        int content = length + FpduWriter.padding(length);
        if (walk.at + content + WORD > available) {
            return null;
        }
        ByteArrayOutputStream ulpdu = new ByteArrayOutputStream(length);
        int[] offsets = new int[length];
        for (int i = 0; i < content; i++) {
            if (!walk.passMarker() || walk.at >= available) {
                return null;
            }
            if (i < length) {
                offsets[i] = walk.at;
                ulpdu.write(bytes[walk.at]);
                walk.at++;
                continue;
            }
            walk.judged.add(Rule.PAD_IS_ZERO);
            if (bytes[walk.at] != 0) {
                walk.violations.add(RuleViolation.at(Rule.PAD_IS_ZERO, walk.at, Bytes.u8(bytes, walk.at), 0));
            }
            walk.at++;
        }
        if (!walk.passMarker() || walk.at + WORD > available) {
            return null;
        }
        check(walk, length);
        position += walk.at + WORD;
        return new Fpdu(
                Arrays.copyOf(bytes, walk.at + WORD), ulpdu.toByteArray(), offsets, walk.judged, walk.violations);
    }

    private void check(Walk walk, int length) {
        if (length > MAX_ULPDU) {
            walk.violations.add(RuleViolation.at(Rule.LENGTH_IS_ALLOWED, walk.start, length, MAX_ULPDU));
        }
        if (crc) {
            walk.judged.add(Rule.CRC_IS_RIGHT);
        }
        byte[] right = Bytes.crc(walk.bytes, walk.at);
        byte[] found = Arrays.copyOfRange(walk.bytes, walk.at, walk.at + WORD);
        if (crc && !Arrays.equals(right, found)) {
            HexFormat hex = HexFormat.ofDelimiter(" ");
            walk.violations.add(
                    RuleViolation.at(Rule.CRC_IS_RIGHT, walk.at, hex.formatHex(found), hex.formatHex(right)));
        }
    }
}
