package io.iwarp.internal;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A breach of the protocol that this side found, or a failure of its own: the result of a check, passed as a value
 * inside the stack. It becomes a Terminate message (RFC 5040 section 4.8) and a {@link CloseReason}. Immutable.
 */
public final class ProtocolFault {
    private final ProtocolError error;
    private final String detail;
    private final @Nullable Throwable cause;

    /**
     * Creates a fault.
     *
     * @param error the error with the numbers of the RFCs
     * @param detail what was received and what is allowed, for people
     * @param cause what the runtime reported; null if nothing
     */
    public ProtocolFault(ProtocolError error, String detail, @Nullable Throwable cause) {
        this.error = Objects.requireNonNull(error, "error");
        this.detail = Objects.requireNonNull(detail, "detail");
        this.cause = cause;
    }

    /** Creates a fault without a cause in the runtime. */
    public ProtocolFault(ProtocolError error, String detail) {
        this(error, detail, null);
    }

    /** Returns the error with the numbers of the RFCs. */
    public ProtocolError error() {
        return error;
    }

    /** Returns what was received and what is allowed, for people. */
    public String detail() {
        return detail;
    }

    /** Returns what the runtime reported, or null if nothing. */
    public @Nullable Throwable cause() {
        return cause;
    }

    /** Returns the reason for the end of a stream with this fault. */
    public CloseReason closeReason() {
        EndedBy endedBy = error == ProtocolError.MPA_CONNECTION_LOST ? EndedBy.TRANSPORT : EndedBy.LOCAL_FAULT;
        return new CloseReason(endedBy, error, detail, cause);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ProtocolFault that
                && error == that.error
                && detail.equals(that.detail)
                && Objects.equals(cause, that.cause);
    }

    @Override
    public int hashCode() {
        return Objects.hash(error, detail, cause);
    }

    /** Returns the error and the detail, in one line. */
    @Override
    public String toString() {
        return error + ": " + detail + (cause == null ? "" : ", caused by " + cause);
    }
}
