package io.iwarp.transport;

import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertificateException;
import java.util.Locale;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Says in words what failed in TLS. The exceptions of the providers differ, and some come wrapped. */
final class TlsFailure {
    private TlsFailure() {}

    /** Returns what ended the handshake. */
    static SSLException ofHandshake(Throwable cause) {
        if (cause instanceof NotSslRecordException) {
            return new SSLException(
                    "what the peer sent is not an SSL/TLS record: it does not use TLS, and this side does;"
                            + " add an SslHandler there, or remove it here",
                    cause);
        }
        if (cause instanceof ClosedChannelException || isPlainEnd(cause)) {
            return closedInHandshake(cause);
        }
        return new SSLException(describe(cause), cause);
    }

    /** Returns for a connection that ended before the handshake. */
    static SSLException closedInHandshake(@Nullable Throwable cause) {
        return new SSLException(
                "the connection was closed during the TLS handshake: the peer does not use TLS, or"
                        + " refused this side; its log says which",
                cause);
    }

    /** Netty reports the end of the connection in the handshake as an SSLException without a cause of its own. */
    private static boolean isPlainEnd(Throwable cause) {
        String message = String.valueOf(cause.getMessage());
        return !(cause instanceof SslHandshakeTimeoutException)
                && (cause.getCause() instanceof ClosedChannelException
                        || message.contains("closed")
                        || (cause instanceof IOException && message.contains("reset")));
    }

    /**
     * Returns what TLS reports in an exception of the pipeline, which may wrap it, or null if that is something else.
     */
    static @Nullable SSLException in(Throwable cause) {
        Throwable inner = cause instanceof SSLException || cause.getCause() == null ? cause : cause.getCause();
        return inner instanceof SSLException ? new SSLException(describe(inner), inner) : null;
    }

    private static String describe(Throwable cause) {
        for (Throwable each = cause; each != null; each = each.getCause()) {
            if (each instanceof CertificateException) {
                return "this side refused the peer's certificate (" + deepestMessage(each)
                        + "): check its authority, name and dates";
            }
        }
        String message = String.valueOf(cause.getMessage());
        String lowerCase = message.toLowerCase(Locale.ROOT);
        if (lowerCase.contains("alert") && (lowerCase.contains("certificate") || lowerCase.contains("unknown_ca"))) {
            return "the peer refused this side's certificate, or wants one (" + message
                    + "): check what the peer trusts";
        }
        if (lowerCase.contains("alert")) {
            return "the peer refused the TLS connection (" + message + "): its log may say why";
        }
        if (lowerCase.contains("empty client certificate") || lowerCase.contains("did_not_return_a_certificate")) {
            return "the peer showed no certificate, or none of an authority that this side trusts (" + message + ")";
        }
        return message;
    }

    /** What lies deepest says most: the rest tells of the way it took. */
    private static String deepestMessage(Throwable failure) {
        String message = String.valueOf(failure.getMessage());
        for (Throwable each = failure.getCause(); each != null; each = each.getCause()) {
            if (each.getMessage() != null) {
                message = each.getMessage();
            }
        }
        return message;
    }
}
