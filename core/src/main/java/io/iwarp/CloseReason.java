package io.iwarp;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Why a stream ended, and who ended it.
 *
 * @param endedBy who ended the stream
 * @param error the error by the numbers of the RFCs; null when the stream ended in good order, or for a reason that has
 *     no number
 * @param detail what happened in particular, for people; may be empty
 * @param cause what the transport or the runtime reported; null when there was no such thing
 */
public record CloseReason(
        EndedBy endedBy,
        @Nullable ProtocolError error,
        String detail,
        @Nullable Throwable cause) {
    /** Checks that the parts that must be there are there. */
    public CloseReason {
        Objects.requireNonNull(endedBy, "endedBy");
        Objects.requireNonNull(detail, "detail");
    }

    /** The reason for ending a stream in which this side found a breach of the protocol. */
    public static CloseReason of(ProtocolFault fault) {
        return new CloseReason(EndedBy.LOCAL_FAULT, fault.error(), fault.detail(), null);
    }

    /** One sentence for people: who ended the stream, the error with its numbers, the detail, what to do. */
    @Override
    public String toString() {
        StringBuilder sentence = new StringBuilder(endedBy.sentence());
        if (error != null) {
            sentence.append(": ").append(error);
        }
        if (!detail.isEmpty()) {
            sentence.append(": ").append(detail);
        }
        if (error != null) {
            sentence.append(" (").append(error.explanation()).append(')');
        }
        if (cause != null) {
            sentence.append(", caused by ").append(cause);
        }
        return sentence.toString();
    }
}
