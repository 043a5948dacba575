package io.iwarp.rdmap;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Settings of an RDMAP stream. Start from {@link #DEFAULT} and change individual settings. Immutable. */
public final class RdmapSettings {
    private static final Duration MIN = Duration.ofMillis(1);
    private static final Duration MAX_CLOSE = Duration.ofHours(1);
    private static final Duration MAX_RESPONSE = Duration.ofDays(1);
    private static final Duration MAX_TRANSMIT = Duration.ofDays(1);

    /** The default settings. */
    public static final RdmapSettings DEFAULT =
            new RdmapSettings(Duration.ofSeconds(5), Duration.ofSeconds(60), Duration.ofSeconds(60), true);

    private final Duration closeTimeout;
    private final Duration responseTimeout;
    private final Duration transmitTimeout;
    private final boolean extensions;

    private RdmapSettings(
            Duration closeTimeout, Duration responseTimeout, Duration transmitTimeout, boolean extensions) {
        requireWithin("closeTimeout", closeTimeout, MAX_CLOSE);
        requireWithin("responseTimeout", responseTimeout, MAX_RESPONSE);
        requireWithin("transmitTimeout", transmitTimeout, MAX_TRANSMIT);
        this.closeTimeout = closeTimeout;
        this.responseTimeout = responseTimeout;
        this.transmitTimeout = transmitTimeout;
        this.extensions = extensions;
    }

    private static void requireWithin(String name, Duration value, Duration longest) {
        if (value.compareTo(MIN) < 0 || value.compareTo(longest) > 0) {
            throw new IllegalArgumentException(name + " " + value + " is outside " + MIN + " to " + longest);
        }
    }

    /** Returns these settings with another {@link #closeTimeout()}. */
    public RdmapSettings withCloseTimeout(Duration timeout) {
        return new RdmapSettings(timeout, responseTimeout, transmitTimeout, extensions);
    }

    /** Returns these settings with another {@link #responseTimeout()}. */
    public RdmapSettings withResponseTimeout(Duration timeout) {
        return new RdmapSettings(closeTimeout, timeout, transmitTimeout, extensions);
    }

    /** Returns these settings with another {@link #transmitTimeout()}. */
    public RdmapSettings withTransmitTimeout(Duration timeout) {
        return new RdmapSettings(closeTimeout, responseTimeout, timeout, extensions);
    }

    /** Returns these settings with {@link #extensions()} on or off. */
    public RdmapSettings withExtensions(boolean enabled) {
        return new RdmapSettings(closeTimeout, responseTimeout, transmitTimeout, enabled);
    }

    /**
     * Returns how long an orderly close, or the close after a Terminate, waits without progress before it closes the
     * connection: 1 ms to 1 h, default 5 s. A longer time gives a slow peer more time to read the last messages, but
     * the connection and its buffers may live that much longer.
     */
    public Duration closeTimeout() {
        return closeTimeout;
    }

    /**
     * Returns how long outstanding Reads or atomics may wait without receiving any part of a response before the stream
     * ends: 1 ms to 1 day, default 60 s. The timeout is detected after at most twice this time.
     */
    public Duration responseTimeout() {
        return responseTimeout;
    }

    /**
     * Returns how long messages of this side may wait without the transport taking any byte before the stream ends: 1 ms
     * to 1 day, default 60 s. The transport takes nothing while the peer does not read, for example because its process
     * is stopped. The timeout is detected after at most twice this time.
     */
    public Duration transmitTimeout() {
        return transmitTimeout;
    }

    /**
     * Returns whether Atomic Operations and Immediate Data (RFC 7306) are enabled. Default true. If disabled, this end
     * refuses to post them. If a peer sends one, the stream ends with error 0/2/06, as with a peer that does not know
     * RFC 7306.
     */
    public boolean extensions() {
        return extensions;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RdmapSettings that
                && closeTimeout.equals(that.closeTimeout)
                && responseTimeout.equals(that.responseTimeout)
                && transmitTimeout.equals(that.transmitTimeout)
                && extensions == that.extensions;
    }

    @Override
    public int hashCode() {
        return Objects.hash(closeTimeout, responseTimeout, transmitTimeout, extensions);
    }

    /** Returns all settings with their names, in one line. */
    @Override
    public String toString() {
        return "RdmapSettings{closeTimeout=" + closeTimeout + ", responseTimeout=" + responseTimeout
                + ", transmitTimeout=" + transmitTimeout + ", extensions=" + extensions + "}";
    }
}
