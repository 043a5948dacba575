package io.iwarp;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/** Why a stream ended, and who ended it. Immutable. */
public final class CloseReason {
    private final EndedBy endedBy;
    private final @Nullable ProtocolError error;
    private final String detail;
    private final @Nullable Throwable cause;

    /**
     * Creates a reason.
     *
     * @param endedBy who ended the stream
     * @param error the error with the numbers of the RFCs; null if the stream was closed gracefully, or for a reason
     *     without a number
     * @param detail human-readable detail; may be empty
     * @param cause what the transport or the runtime reported; null if nothing
     */
    public CloseReason(EndedBy endedBy, @Nullable ProtocolError error, String detail, @Nullable Throwable cause) {
        this.endedBy = Objects.requireNonNull(endedBy, "endedBy");
        this.error = error;
        this.detail = Objects.requireNonNull(detail, "detail");
        this.cause = cause;
    }

    /** Returns a reason without an error number and without a cause. */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1.0")
    public static CloseReason of(EndedBy endedBy, String detail) {
        return new CloseReason(endedBy, null, detail, null);
    }

    /**
     * Returns the reason for a connection that the peer's application rejected.
     *
     * @param privateData the Private Data of the peer's Reply; shown if it is text without control characters
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1.0")
    public static CloseReason ofRejection(byte[] privateData) {
        return new CloseReason(EndedBy.PEER_REJECTED, null, textOf(privateData), null);
    }

    private static String textOf(byte[] privateData) {
        if (privateData.length == 0) {
            return "no reason given";
        }
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(privateData))
                    .toString();
            if (text.codePoints().noneMatch(Character::isISOControl)) {
                return text;
            }
        } catch (CharacterCodingException notText) {
            // The bytes have a meaning for the application only.
        }
        return privateData.length + " bytes of private data, which are not text";
    }

    /** Returns who ended the stream. */
    public EndedBy endedBy() {
        return endedBy;
    }

    /** Returns the error; null if the stream was closed gracefully, or the RFCs define no error for the reason. */
    public @Nullable ProtocolError error() {
        return error;
    }

    /** Returns the human-readable detail. May be empty. */
    public String detail() {
        return detail;
    }

    /** Returns what the transport or the runtime reported: an {@link SSLException} if TLS failed; null if nothing. */
    public @Nullable Throwable cause() {
        return cause;
    }

    /**
     * Returns whether the same connection may succeed later, so that a client should connect again after a growing
     * pause. Otherwise something must be changed first, or this side ended the connection on purpose.
     *
     * <table>
     * <caption>Whether to connect again</caption>
     * <tr><th>{@link #endedBy}</th><th>mayRetry</th></tr>
     * <tr><td>{@link EndedBy#TRANSPORT}, also a connection that TCP refused or could not make</td><td>yes</td></tr>
     * <tr><td>{@link EndedBy#TIMEOUT}</td><td>yes</td></tr>
     * <tr><td>{@link EndedBy#PEER_CLOSED}, also during set-up, as an overloaded peer does</td><td>yes</td></tr>
     * <tr><td>{@link EndedBy#PEER_TERMINATE} with a local or global catastrophic error: the peer failed, for example
     * without memory</td><td>yes</td></tr>
     * <tr><td>{@link EndedBy#PEER_TERMINATE} with another error</td><td>no</td></tr>
     * <tr><td>{@link EndedBy#LOCAL_FAULT}: the peer broke the protocol, or this side failed, for example as the
     * application released a buffer in use</td><td>no</td></tr>
     * <tr><td>{@link EndedBy#PEER_REJECTED}</td><td>no</td></tr>
     * <tr><td>{@link EndedBy#LOCAL_APPLICATION}</td><td>no</td></tr>
     * <tr><td>any, with an {@link SSLHandshakeException} among the causes: one side refused the other's TLS</td>
     * <td>no</td></tr>
     * </table>
     */
    public boolean mayRetry() {
        for (Throwable each = cause; each != null; each = each.getCause()) {
            if (each instanceof SSLHandshakeException) {
                return false;
            }
        }
        return switch (endedBy) {
            case TRANSPORT, TIMEOUT, PEER_CLOSED -> true;
            case PEER_TERMINATE ->
                error == ProtocolError.RDMAP_LOCAL_CATASTROPHIC
                        || error == ProtocolError.RDMAP_GLOBAL_CATASTROPHIC
                        || error == ProtocolError.DDP_LOCAL_CATASTROPHIC
                        || error == ProtocolError.MPA_LOCAL_CATASTROPHIC;
            case LOCAL_FAULT, PEER_REJECTED, LOCAL_APPLICATION -> false;
        };
    }

    /**
     * Returns whether the peer refused an access to its memory because the STag is not valid, or not for this stream.
     * After accesses that worked this means that the peer has revoked the memory, and with it all later accesses of
     * this stream. False for an access beyond the bounds or without the right, which is an error of this side.
     */
    public boolean accessRevoked() {
        if (endedBy != EndedBy.PEER_TERMINATE || error == null) {
            return false;
        }
        return switch (error) {
            case RDMAP_INVALID_STAG,
                    RDMAP_STAG_NOT_ASSOCIATED,
                    DDP_TAGGED_INVALID_STAG,
                    DDP_TAGGED_STAG_NOT_ASSOCIATED -> true;
            default -> false;
        };
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof CloseReason that
                && endedBy == that.endedBy
                && error == that.error
                && detail.equals(that.detail)
                && Objects.equals(cause, that.cause);
    }

    @Override
    public int hashCode() {
        return Objects.hash(endedBy, error, detail, cause);
    }

    /**
     * Returns one human-readable sentence: who ended the stream, the detail, what the error means and what to do, and
     * the name and numbers of the error, and the cause unless the detail has its message. If TLS failed, returns the
     * message of TLS instead, since the loss of the connection is its consequence.
     */
    @Override
    public String toString() {
        if (cause instanceof SSLException && cause.getMessage() != null) {
            return "TLS failed: " + cause.getMessage()
                    + (detail.isEmpty() || detail.contains(cause.getMessage()) ? "" : "; " + detail);
        }
        StringBuilder sentence = new StringBuilder(endedBy.phrase());
        if (!detail.isEmpty()) {
            sentence.append(": ").append(detail);
        }
        if (error != null) {
            sentence.append(detail.isEmpty() ? ": " : "; ").append(error.explanation());
            sentence.append(" (")
                    .append(error.rfcName())
                    .append(", ")
                    .append(error.numbers())
                    .append(')');
        }
        if (cause != null && !isInDetail(cause)) {
            sentence.append(", caused by ").append(cause);
        }
        return sentence.toString();
    }

    private boolean isInDetail(Throwable what) {
        String message = what.getMessage();
        return detail.contains(message == null || message.isEmpty() ? what.toString() : message);
    }
}
