package io.iwarp.metrics;

import io.iwarp.CloseReason;
import java.util.Locale;
import javax.net.ssl.SSLException;

/** Why the set-up of a connection came to nothing, other than by the decision of an application or for a limit. */
public enum SetupFailure {
    /** TLS: a peer that does not speak it, a certificate that is not trusted, no version or cipher in common. */
    TLS,
    /** What came is no MPA frame, or not one that could be answered. */
    MALFORMED,
    /** It was not done within the start-up timeout. */
    TIMED_OUT,
    /** The peer closed the connection. */
    PEER_CLOSED,
    /** There was no connection, or it was lost. */
    TRANSPORT,
    /** This side closed the channel, or its application failed to prepare. */
    LOCAL;

    private final String tag = name().toLowerCase(Locale.ROOT);

    /** {@return the failure that this reason, of a connection that was never established, tells} */
    public static SetupFailure of(CloseReason reason) {
        if (reason.cause() instanceof SSLException) {
            return TLS;
        }
        return switch (reason.endedBy()) {
            case LOCAL_FAULT, PEER_TERMINATE -> MALFORMED;
            case TIMEOUT -> TIMED_OUT;
            case PEER_CLOSED -> PEER_CLOSED;
            case TRANSPORT -> TRANSPORT;
            case LOCAL_APPLICATION -> LOCAL;
        };
    }

    /** The value of the tag {@code reason}, for example {@code tls}. */
    public String tag() {
        return tag;
    }

    /** The place of the failure in an array of all failures. */
    @SuppressWarnings("EnumOrdinal") // The place is used in memory only and never stored or sent.
    int slot() {
        return ordinal();
    }
}
