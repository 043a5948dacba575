package io.iwarp.rdmap;

import io.iwarp.ProtocolError;
import io.iwarp.ddp.DdpSegment;
import io.iwarp.internal.mpa.EnhancedSetup;
import io.iwarp.internal.mpa.MpaFrameLayout;
import io.netty.buffer.ByteBuf;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Formats frames and FPDUs as one line of text each. Does not throw on malformed input. */
final class WireText {
    /** The maximum number of bytes of DDP and RDMAP headers that the text needs. */
    static final int MAX_HEADERS = DdpSegment.UNTAGGED_HEADER_LENGTH + AtomicLayout.REQUEST_LENGTH;

    /** The maximum number of bytes of private data that the text needs. */
    static final int SETUP_LENGTH = EnhancedSetup.LENGTH;

    private WireText() {}

    /** Returns the text of an MPA Request or Reply Frame, whose header is at the start of a buffer. */
    static String frame(ByteBuf head) {
        int flags = MpaFrameLayout.flags(head, 0);
        int revision = MpaFrameLayout.revision(head, 0);
        int length = MpaFrameLayout.privateDataLength(head, 0);
        boolean reply = MpaFrameLayout.hasReplyKey(head, 0);
        StringBuilder text = new StringBuilder(reply ? "MPA Reply Frame: " : "MPA Request Frame: ");
        if (reply && (flags & MpaFrameLayout.FLAG_REJECTED) != 0) {
            text.append("rejected, ");
        }
        text.append("revision ").append(revision);
        text.append((flags & MpaFrameLayout.FLAG_CRC) != 0 ? ", CRC" : ", no CRC");
        text.append((flags & MpaFrameLayout.FLAG_MARKERS) != 0 ? ", markers" : "");
        boolean enhanced = revision >= MpaFrameLayout.FIRST_ENHANCED_REVISION
                && (flags & MpaFrameLayout.FLAG_ENHANCED) != 0
                && length >= EnhancedSetup.LENGTH;
        if (enhanced) {
            length -= EnhancedSetup.LENGTH;
            EnhancedSetup setup = EnhancedSetup.decode(head.slice(MpaFrameLayout.HEADER_LENGTH, EnhancedSetup.LENGTH));
            text.append(", IRD ").append(EnhancedSetup.depthText(setup.ird()));
            text.append(", ORD ").append(EnhancedSetup.depthText(setup.ord()));
            text.append(setup.peerToPeer() ? ", peer-to-peer " + setup.readyToReceive() : "");
        }
        return text.append(", ").append(length).append(" bytes of private data").toString();
    }

    /**
     * Returns the text of an FPDU.
     *
     * @param head the first {@link #MAX_HEADERS} bytes of the ULPDU, or all if it is shorter, from {@code index} on
     * @param ulpduLength the length of the whole ULPDU in bytes
     */
    static String fpdu(ByteBuf head, int index, int ulpduLength) {
        DdpSegment segment = new DdpSegment().wrap(head, index, ulpduLength);
        if (!segment.headerComplete()) {
            return "FPDU: a ULPDU of " + ulpduLength + " bytes, too short for a DDP header";
        }
        int control = segment.control();
        Opcode opcode = Opcode.of(control);
        StringBuilder text = new StringBuilder(name(opcode, control)).append(": ");
        if (segment.tagged()) {
            text.append(segment.payloadLength()).append(" bytes to ");
            appendAddress(text, segment.stag(), segment.taggedOffset());
        } else {
            text.append("MSN ").append(Integer.toUnsignedString(segment.msn()));
            boolean described = segment.messageOffset() == 0 && opcode != null && describe(text, opcode, segment);
            if (!described) {
                text.append(", ").append(segment.payloadLength()).append(" bytes at ");
                text.append(segment.messageOffset());
            }
        }
        if (segment.last()) {
            text.append(", last");
        }
        appendAnomalies(text, segment, opcode);
        return text.toString();
    }

    private static String name(@Nullable Opcode opcode, int control) {
        if (opcode == null) {
            return "opcode " + hex(Opcode.codeOf(control)) + ", which is not assigned";
        }
        return switch (opcode) {
            case RDMA_WRITE -> "RDMA Write";
            case READ_REQUEST -> "RDMA Read Request";
            case READ_RESPONSE -> "RDMA Read Response";
            case SEND -> "Send";
            case SEND_WITH_INVALIDATE -> "Send with Invalidate";
            case SEND_WITH_SOLICITED_EVENT -> "Send with SE";
            case SEND_WITH_SOLICITED_EVENT_AND_INVALIDATE -> "Send with SE and Invalidate";
            case TERMINATE -> "Terminate";
            case IMMEDIATE_DATA -> "Immediate Data";
            case IMMEDIATE_DATA_WITH_SOLICITED_EVENT -> "Immediate Data with SE";
            case ATOMIC_REQUEST -> "Atomic Request";
            case ATOMIC_RESPONSE -> "Atomic Response";
        };
    }

    /**
     * Appends the content of the RDMAP header if the header is complete. Returns whether that replaces the payload
     * text.
     */
    private static boolean describe(StringBuilder text, Opcode opcode, DdpSegment segment) {
        int length = segment.payloadLength();
        ByteBuf in = segment.buffer();
        int at = segment.payloadIndex();
        switch (opcode) {
            case SEND_WITH_INVALIDATE, SEND_WITH_SOLICITED_EVENT_AND_INVALIDATE ->
                text.append(", invalidates STag ").append(hex32(segment.rsvdUlp()));
            case READ_REQUEST -> {
                return length == ReadRequestLayout.LENGTH && readRequest(text, in, at);
            }
            case ATOMIC_REQUEST -> {
                return length == AtomicLayout.REQUEST_LENGTH && atomicRequest(text, in, at);
            }
            case ATOMIC_RESPONSE -> {
                return length == AtomicLayout.RESPONSE_LENGTH && atomicResponse(text, in, at);
            }
            case IMMEDIATE_DATA, IMMEDIATE_DATA_WITH_SOLICITED_EVENT -> {
                return length == Opcode.IMMEDIATE_LENGTH && append(text, ", " + hex(in.getLong(at)));
            }
            case TERMINATE -> {
                return terminate(text, in.slice(at, Math.min(length, AtomicLayout.REQUEST_LENGTH)));
            }
            default -> {
                return false;
            }
        }
        return false;
    }

    private static boolean append(StringBuilder text, String more) {
        text.append(more);
        return true;
    }

    private static boolean readRequest(StringBuilder text, ByteBuf in, int at) {
        text.append(", ")
                .append(in.getUnsignedInt(at + ReadRequestLayout.MESSAGE_SIZE))
                .append(" bytes from ");
        appendAddress(
                text,
                in.getInt(at + ReadRequestLayout.SOURCE_STAG),
                in.getLong(at + ReadRequestLayout.SOURCE_TAGGED_OFFSET));
        text.append(" into ");
        appendAddress(
                text,
                in.getInt(at + ReadRequestLayout.SINK_STAG),
                in.getLong(at + ReadRequestLayout.SINK_TAGGED_OFFSET));
        return true;
    }

    private static boolean atomicRequest(StringBuilder text, ByteBuf in, int at) {
        int operation = in.getInt(at + AtomicLayout.OPERATION) & AtomicLayout.OPERATION_MASK;
        String data = hex(in.getLong(at + AtomicLayout.ADD_OR_SWAP)) + " mask "
                + hex(in.getLong(at + AtomicLayout.ADD_OR_SWAP_MASK));
        text.append(", id ").append(Integer.toUnsignedString(in.getInt(at + AtomicLayout.REQUEST_IDENTIFIER)));
        switch (operation) {
            case AtomicLayout.FETCH_ADD ->
                text.append(", FetchAdd ").append(data).append(" to ");
            case AtomicLayout.COMPARE_SWAP ->
                text.append(", CmpSwap ")
                        .append(hex(in.getLong(at + AtomicLayout.COMPARE)))
                        .append(" mask ")
                        .append(hex(in.getLong(at + AtomicLayout.COMPARE_MASK)))
                        .append(" by ")
                        .append(data)
                        .append(" at ");
            default -> text.append(", AOpCode ").append(hex(operation)).append(" at ");
        }
        appendAddress(text, in.getInt(at + AtomicLayout.STAG), in.getLong(at + AtomicLayout.TAGGED_OFFSET));
        return true;
    }

    private static boolean atomicResponse(StringBuilder text, ByteBuf in, int at) {
        text.append(", id ").append(Integer.toUnsignedString(in.getInt(at + AtomicLayout.ORIGINAL_IDENTIFIER)));
        text.append(", found ").append(hex(in.getLong(at + AtomicLayout.ORIGINAL_VALUE)));
        return true;
    }

    private static boolean terminate(StringBuilder text, ByteBuf message) {
        Terminate terminate = Terminate.decode(message);
        if (terminate == null) {
            return false;
        }
        ProtocolError error = terminate.error();
        text.append(", ").append(error == null ? terminate.numbers() + ", which no RFC assigns" : error);
        return true;
    }

    /** Appends properties of the segment that violate the protocol. */
    private static void appendAnomalies(StringBuilder text, DdpSegment segment, @Nullable Opcode opcode) {
        if (segment.version() != DdpSegment.VERSION) {
            text.append(", DDP version ").append(segment.version());
        }
        int version = Opcode.versionOf(segment.control());
        if (version != Opcode.VERSION) {
            text.append(", RDMAP version ").append(version);
        }
        if (opcode != null && !opcode.isOnItsQueue(segment)) {
            text.append(
                    segment.tagged() ? ", tagged" : ", on queue " + Integer.toUnsignedString(segment.queueNumber()));
        }
    }

    private static void appendAddress(StringBuilder text, int stag, long taggedOffset) {
        text.append("STag ").append(hex32(stag)).append(" TO ").append(hex(taggedOffset));
    }

    private static String hex32(int number) {
        return String.format(Locale.ROOT, "0x%08x", number);
    }

    private static String hex(long number) {
        return "0x" + Long.toHexString(number);
    }
}
