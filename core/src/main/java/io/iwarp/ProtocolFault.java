package io.iwarp;

import java.util.Objects;

/**
 * A breach of the protocol that this side found: the outcome of a check, passed as a value inside the stack. It becomes
 * a Terminate message (RFC 5040 section 4.8) and a {@link CloseReason}.
 *
 * @param error the error by the numbers of the RFCs
 * @param detail what was received and what would have been allowed, for people
 */
public record ProtocolFault(ProtocolError error, String detail) {
    /** Checks that both parts are there. */
    public ProtocolFault {
        Objects.requireNonNull(error, "error");
        Objects.requireNonNull(detail, "detail");
    }
}
