package io.iwarp;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A breach of the protocol that this side found, or a failure of its own: the outcome of a check, passed as a value inside
 * the stack. It becomes a Terminate message (RFC 5040 section 4.8) and a {@link CloseReason}.
 *
 * @param error the error by the numbers of the RFCs
 * @param detail what was received and what would have been allowed, for people
 * @param cause what the runtime reported; null when there was no such thing
 */
public record ProtocolFault(
        ProtocolError error, String detail, @Nullable Throwable cause) {
    /** Checks that error and detail are there. */
    public ProtocolFault {
        Objects.requireNonNull(error, "error");
        Objects.requireNonNull(detail, "detail");
    }

    /** A fault without a cause in the runtime. */
    public ProtocolFault(ProtocolError error, String detail) {
        this(error, detail, null);
    }
}
