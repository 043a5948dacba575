package io.iwarp.memory;

import io.iwarp.internal.Setting;
import io.iwarp.internal.Settings;
import io.iwarp.internal.memory.DefaultIwarpDevice;
import java.security.SecureRandom;

/**
 * The owner of the STags and of the limits on registered memory, which protection domains share. It is the resource
 * manager of RFC 5042 section 3, and the context of verbs. A device is not hardware. It has no threads, and a device
 * without domains holds no resources; {@link #close} only checks that.
 *
 * <p>STags are random numbers of {@link SecureRandom} in the whole range of 32 bits except 0, so that a peer cannot
 * guess one. A retired STag is not issued again before 65,536 later ones were retired (RFC 5040 section 8.1.1 rule 8).
 *
 * <p>Applications that do not trust each other should not share a device: one could exhaust the limits of all, unless
 * {@link DomainLimits} restrict it. {@link ProtectionDomain#create} creates a device for each domain. Any thread may
 * call any method.
 */
public sealed interface IwarpDevice extends AutoCloseable permits DefaultIwarpDevice {
    /** Returns a device with the default limits. */
    static IwarpDevice create() {
        return builder().build();
    }

    /** Returns a builder with the default limits. */
    static Builder builder() {
        return new Builder();
    }

    /** Returns a new protection domain with the STags of this device, without limits of its own. */
    ProtectionDomain createProtectionDomain();

    /**
     * Returns a new protection domain with limits of its own, in addition to those of this device.
     *
     * @throws IllegalStateException if the device was closed
     */
    ProtectionDomain createProtectionDomain(DomainLimits limits);

    /**
     * Closes the device: no protection domain can be created any more. Closing again does nothing.
     *
     * @throws IllegalStateException if domains of the device are open; then the device stays open
     */
    @Override
    void close();

    /** Returns the maximum number of registered regions. */
    int maxRegions();

    /** Returns the maximum number of bound windows. */
    int maxWindows();

    /** Returns the number of bound windows. */
    int windowCount();

    /** Returns the maximum number of bytes of all registered regions together. */
    long maxRegisteredBytes();

    /** Returns the number of registered regions. */
    int regionCount();

    /** Returns the number of bytes of all registered regions together. */
    long registeredBytes();

    /**
     * Returns the maximum number of buffer bytes of all streams together for FPDUs that have arrived in part, and for
     * input that waits for a receive.
     */
    long maxPartialFpduBytes();

    /**
     * Returns the number of buffer bytes of all streams together for FPDUs that have arrived in part, and for input
     * that waits for a receive.
     */
    long partialFpduBytes();

    /**
     * Returns the maximum number of buffer bytes of all streams together for messages of managed receives that are not
     * delivered.
     */
    long maxManagedReceiveBytes();

    /**
     * Returns the number of buffer bytes of all streams together for messages of managed receives that are not
     * delivered.
     */
    long managedReceiveBytes();

    /** Returns the maximum number of bytes that all streams together reserve for copies and headers to send. */
    long maxSendingBytes();

    /**
     * Returns the number of bytes that all streams together have reserved for copies and headers to send. A stream
     * reserves pieces of 128 KiB when it holds more than 72 KiB.
     */
    long sendingBytes();

    /** Returns the number of STags that were retired: of closed regions, and of invalidated windows. */
    long retiredSTags();

    /** Returns the number of retired STags that must not be issued again yet, 0 to 65,536. */
    int quarantinedSTags();

    /** Returns how many regions and windows were refused because a limit was reached. */
    long refusals();

    /** Returns how many regions and windows were refused because this limit was reached, in any domain. */
    long refusals(MemoryLimit limit);

    /** Returns what is registered now. */
    @Override
    String toString();

    /** Sets the limits of a device. A builder belongs to one thread. */
    final class Builder {
        private Settings limits = Settings.DEFAULT;

        private Builder() {}

        private <T> Builder set(Setting<T> limit, T maximum) {
            limits = limits.with(limit, maximum);
            return this;
        }

        /**
         * Sets the maximum number of registered regions. Default 1,048,576. Each region has about 400 bytes of
         * bookkeeping, or about 400 MiB at the default limit.
         *
         * @param maximum at least 1
         * @return this builder
         * @throws IllegalArgumentException if it is less
         */
        public Builder maxRegions(int maximum) {
            return set(DefaultIwarpDevice.MAX_REGIONS, maximum);
        }

        /**
         * Sets the maximum number of bound windows. Default 1,048,576. Each window has about 300 bytes of bookkeeping.
         *
         * @param maximum at least 1
         * @return this builder
         * @throws IllegalArgumentException if it is less
         */
        public Builder maxWindows(int maximum) {
            return set(DefaultIwarpDevice.MAX_WINDOWS, maximum);
        }

        /**
         * Sets the maximum number of bytes of all registered regions together. Default 2^63 - 1, which is no limit:
         * then only the JVM and Netty limit direct memory, for the whole process. A byte that is registered twice
         * counts twice.
         *
         * @param maximum at least 1
         * @return this builder
         * @throws IllegalArgumentException if it is less
         */
        public Builder maxRegisteredBytes(long maximum) {
            return set(DefaultIwarpDevice.MAX_REGISTERED_BYTES, maximum);
        }

        /**
         * Sets the maximum number of buffer bytes of all streams together for FPDUs that have arrived in part, and for
         * input that waits for a receive. Default 268,435,456 (256 MiB). Once it is reached, streams with an incomplete
         * FPDU stop reading until others release bytes. The oldest FPDU is served first. No stream is closed because of
         * this limit: older FPDUs either complete or hit {@code fpduTimeout}. The oldest one always gets what it needs.
         *
         * <p>One FPDU takes up to 64 KiB, and at most four times the bytes that have arrived, or 256 bytes. Bytes that
         * were read already are kept and counted even beyond the limit, per stream at most what one read brought, and
         * one FPDU if it waits for a receive: up to 320 KiB.
         *
         * @param maximum at least 1,048,576
         * @return this builder
         * @throws IllegalArgumentException if it is less
         */
        public Builder maxPartialFpduBytes(long maximum) {
            return set(DefaultIwarpDevice.MAX_PARTIAL_FPDU_BYTES, maximum);
        }

        /**
         * Sets the maximum number of buffer bytes of all streams together for messages of managed receives that are not
         * delivered. Default 268,435,456 (256 MiB). A buffer has at most four times the bytes that have arrived. A
         * message that arrived in one segment counts only while it waits for {@code QueuePair.nextMessage}. Messages in
         * a completion queue do not count; the depth of the receive queue limits them.
         *
         * <p>When it is used up, a stream that needs more for a message stops reading until others have given bytes
         * back, the oldest message first. The {@code messageTimeout} of the message bounds this wait. The oldest
         * message always gets what it needs, and a stream without a message that waits for {@code nextMessage} may
         * begin one, so the limit can be exceeded by one message for each stream.
         *
         * @param maximum at least 1
         * @return this builder
         * @throws IllegalArgumentException if it is less
         */
        public Builder maxManagedReceiveBytes(long maximum) {
            return set(DefaultIwarpDevice.MAX_MANAGED_RECEIVE_BYTES, maximum);
        }

        /**
         * Sets the maximum number of bytes that all streams together hold to send, as copies and headers: responses to
         * Reads, short messages, and memory that peers may change. Memory that is sent by reference does not count.
         * Default 0, which means a quarter of Netty's limit of direct memory. Each stream may always hold one segment,
         * up to 72 KiB. While the limit is reached, a stream that holds more ends if its peer takes less than 4 KiB/s
         * for {@code transmitTimeout}.
         *
         * @param maximum at least 1,048,576, or 0
         * @return this builder
         * @throws IllegalArgumentException if it is anything else
         */
        public Builder maxSendingBytes(long maximum) {
            return set(DefaultIwarpDevice.MAX_SENDING_BYTES, maximum);
        }

        /** Returns a new device with these limits. */
        public IwarpDevice build() {
            return new DefaultIwarpDevice(limits, new SecureRandom());
        }
    }
}
