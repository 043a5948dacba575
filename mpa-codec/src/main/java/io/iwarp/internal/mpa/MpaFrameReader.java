package io.iwarp.internal.mpa;

import io.iwarp.ProtocolError;
import io.iwarp.Role;
import io.iwarp.internal.ProtocolFault;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Collects the peer's start-up frame from the TCP stream, in any pieces, and detects an invalid frame at its first
 * wrong byte: each byte of the key, the revision and PD_Length are checked when they arrive, before later bytes. It
 * never reads a byte after the frame.
 *
 * <p>Memory: at most 20 + 512 bytes; only the header before PD_Length is checked.
 */
final class MpaFrameReader {

    private static final int LOW_BYTE = 0xFF;
    /** The content types of TLS records, from change_cipher_spec to application_data (RFC 8446 section 5.1). */
    private static final int TLS_FIRST_RECORD = 20;

    private static final int TLS_LAST_RECORD = 23;

    /** Decides which revisions and forms of the frame are accepted. */
    @FunctionalInterface
    interface RevisionCheck {

        /** Returns what is wrong with this byte of flags together with this revision, or null. */
        @Nullable
        String refusal(int flags, int revision);
    }

    private final Role sender;
    private final RevisionCheck revisions;
    private byte[] bytes = new byte[MpaFrameLayout.HEADER_LENGTH];
    private int received;

    /** Creates a reader for the frame of {@code sender}. */
    MpaFrameReader(Role sender, RevisionCheck revisions) {
        this.sender = sender;
        this.revisions = revisions;
    }

    /**
     * Reads bytes of the frame from {@code in}, until the frame is complete or invalid, or there are no more.
     *
     * @return why the frame is invalid, error 2/0/04, or null. After a fault the reader must not be used again.
     */
    @Nullable
    ProtocolFault read(ByteBuf in) {
        while (received < MpaFrameLayout.HEADER_LENGTH && in.isReadable()) {
            bytes[received] = in.readByte();
            String wrong = verify(received);
            received++;
            if (wrong != null) {
                return new ProtocolFault(ProtocolError.MPA_INVALID_STARTUP_FRAME, wrong);
            }
        }
        if (received >= MpaFrameLayout.HEADER_LENGTH) {
            int taken = Math.min(bytes.length - received, in.readableBytes());
            in.readBytes(bytes, received, taken);
            received += taken;
        }
        return null;
    }

    /** Returns whether no byte has arrived. */
    boolean isUntouched() {
        return received == 0;
    }

    /** Returns whether the frame is complete. */
    boolean isComplete() {
        return received >= MpaFrameLayout.HEADER_LENGTH && received == bytes.length;
    }

    /** Returns the frame. Call it when the frame is complete. */
    MpaFrame frame() {
        return MpaFrame.decode(Unpooled.wrappedBuffer(bytes));
    }

    /** Returns how much of the frame has arrived, for people. */
    String progress() {
        String name = sender == Role.INITIATOR ? "MPA Request Frame" : "MPA Reply Frame";
        return received < MpaFrameLayout.HEADER_LENGTH
                ? received + " of the first " + MpaFrameLayout.HEADER_LENGTH + " bytes of the " + name + " received"
                : received + " of the " + bytes.length + " bytes of the " + name + " received";
    }

    private @Nullable String verify(int position) {
        if (position < MpaFrameLayout.KEY_LENGTH) {
            return verifyKey(position);
        }
        return switch (position) {
            case MpaFrameLayout.REVISION_OFFSET -> verifyRevision();
            case MpaFrameLayout.HEADER_LENGTH - 1 -> verifyPrivateDataLength();
            default -> null;
        };
    }

    private @Nullable String verifyKey(int position) {
        byte got = bytes[position];
        boolean fromInitiator = sender == Role.INITIATOR;
        byte expected = fromInitiator ? MpaFrameLayout.requestKey(position) : MpaFrameLayout.replyKey(position);
        if (got == expected) {
            return null;
        }
        byte other = fromInitiator ? MpaFrameLayout.replyKey(position) : MpaFrameLayout.requestKey(position);
        if (got == other) {
            return fromInitiator
                    ? "the peer sent the key of an MPA Reply Frame where a Request Frame was expected: both sides are"
                            + " responders, make one of them the initiator"
                    : "the peer sent the key of an MPA Request Frame where a Reply Frame was expected: both sides are"
                            + " initiators, make one of them the responder";
        }
        if (position == 0 && got >= TLS_FIRST_RECORD && got <= TLS_LAST_RECORD) {
            return String.format(
                    "the peer's first byte is 0x%02x, with which a TLS record begins: it speaks TLS, and this side does"
                            + " not; add an SslHandler here, or remove it there",
                    got & LOW_BYTE);
        }
        return String.format(
                "byte %d of the key of the MPA %s Frame is 0x%02x, expected 0x%02x: the peer does not speak MPA, or the"
                        + " stream was not at the start of MPA",
                position, fromInitiator ? "Request" : "Reply", got & LOW_BYTE, expected & LOW_BYTE);
    }

    private @Nullable String verifyRevision() {
        return revisions.refusal(flags(), revision());
    }

    private int flags() {
        return bytes[MpaFrameLayout.FLAGS_OFFSET] & LOW_BYTE;
    }

    private int revision() {
        return bytes[MpaFrameLayout.REVISION_OFFSET] & LOW_BYTE;
    }

    private @Nullable String verifyPrivateDataLength() {
        int length = MpaFrameLayout.privateDataLength(Unpooled.wrappedBuffer(bytes), 0);
        if (length > MpaFrameLayout.MAX_PRIVATE_DATA) {
            return "PD_Length is " + length + " bytes (expected: 0 to " + MpaFrameLayout.MAX_PRIVATE_DATA + ")";
        }
        if (length < EnhancedSetup.LENGTH && MpaFrameLayout.enhanced(flags(), revision())) {
            return "PD_Length is " + length + " bytes (expected: " + EnhancedSetup.LENGTH + " to "
                    + MpaFrameLayout.MAX_PRIVATE_DATA + " with the S bit, RFC 6581 section 6)";
        }
        bytes = Arrays.copyOf(bytes, MpaFrameLayout.HEADER_LENGTH + length);
        return null;
    }
}
