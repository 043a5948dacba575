package io.iwarp.internal.transport;

import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslClosedEngineException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertificateException;
import java.util.Locale;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/**
 * Describes TLS failures. The providers have no common type for a received alert and do not publish its code, so its
 * standard name (RFC 8446 section 6) is taken from the message.
 */
final class TlsFailure {
    private TlsFailure() {}

    /** Returns what ended the handshake. */
    static SSLException ofHandshake(Throwable cause) {
        if (cause instanceof NotSslRecordException) {
            return new SSLException(
                    "the peer sent no TLS record: it does not use TLS, and this side does;"
                            + " add an SslHandler there, or remove it here",
                    cause);
        }
        if (isConnectionEnd(cause)) {
            return closedInHandshake(cause);
        }
        return new SSLException(describe(cause), cause);
    }

    /** Returns the failure of a connection that ended before the handshake completed. */
    static SSLException closedInHandshake(@Nullable Throwable cause) {
        return new SSLException(
                "the connection was closed during the TLS handshake: the peer does not use TLS, or"
                        + " refused this side; see its log",
                cause);
    }

    /** Returns whether the transport failed or was closed, and not TLS. */
    private static boolean isConnectionEnd(Throwable cause) {
        return cause instanceof SslClosedEngineException
                || cause.getCause() instanceof ClosedChannelException
                || (cause instanceof IOException && !(cause instanceof SSLException));
    }

    /**
     * Returns what TLS reports in an exception of the pipeline, which may wrap it, or null if that is something else.
     */
    static @Nullable SSLException in(Throwable cause) {
        Throwable inner = cause instanceof SSLException || cause.getCause() == null ? cause : cause.getCause();
        if (!(inner instanceof SSLException)) {
            return null;
        }
        return isRefusal(inner) ? refusal(inner) : new SSLException(describe(inner), inner);
    }

    /**
     * With TLS 1.3 an initiator is refused after its handshake. The JDK then throws an {@code SSLHandshakeException},
     * OpenSSL does not.
     */
    private static SSLException refusal(Throwable cause) {
        SSLException refusal = new SSLHandshakeException(describe(cause));
        refusal.initCause(cause);
        return refusal;
    }

    /** BoringSSL also sends internal_error to a peer whose certificate it refuses. */
    private static boolean isRefusal(Throwable cause) {
        String message = lowerCaseMessage(cause);
        return message.contains("alert")
                && (namesCertificate(message)
                        || message.contains("access_denied")
                        || message.contains("internal_error"));
    }

    private static boolean namesCertificate(String message) {
        return message.contains("certificate") || message.contains("unknown_ca");
    }

    private static String lowerCaseMessage(Throwable cause) {
        return String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT);
    }

    private static String describe(Throwable cause) {
        for (Throwable each = cause; each != null; each = each.getCause()) {
            if (each instanceof CertificateException) {
                return "this side refused the peer's certificate (" + rootMessage(each)
                        + "); check its authority, name and dates";
            }
        }
        String message = String.valueOf(cause.getMessage());
        String lowerCase = lowerCaseMessage(cause);
        if (lowerCase.contains("alert") && namesCertificate(lowerCase)) {
            return "the peer refused this side's certificate, or requires one (" + message
                    + "); check the authorities that the peer trusts";
        }
        if (lowerCase.contains("alert")) {
            return "the peer refused the TLS connection (" + message + "); see its log";
        }
        if (lowerCase.contains("empty client certificate") || lowerCase.contains("did_not_return_a_certificate")) {
            return "the peer sent no certificate, or none of an authority that this side trusts (" + message + ")";
        }
        return message;
    }

    /** Returns the message of the root cause, which is the most specific. */
    private static String rootMessage(Throwable failure) {
        String message = String.valueOf(failure.getMessage());
        for (Throwable each = failure.getCause(); each != null; each = each.getCause()) {
            if (each.getMessage() != null) {
                message = each.getMessage();
            }
        }
        return message;
    }
}
