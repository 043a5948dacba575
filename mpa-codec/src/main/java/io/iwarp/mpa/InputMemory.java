package io.iwarp.mpa;

import io.iwarp.memory.IwarpDevice;
import org.jspecify.annotations.Nullable;

/** What one stream has reserved of {@link IwarpDevice#maximumPartialFpduBytes} for input that cannot be handled yet. */
final class InputMemory {
    private final @Nullable IwarpDevice device;
    private long reserved;

    /** @param device limits what all streams hold together; null for no limit */
    InputMemory(@Nullable IwarpDevice device) {
        this.device = device;
    }

    /** Reserves bytes. Returns false, and reserves none, if the limit of the device is reached. */
    boolean reserve(long bytes) {
        if (device != null && !device.reservePartialFpdu(bytes, reserved)) {
            return false;
        }
        reserved += bytes;
        return true;
    }

    /** Returns bytes that were reserved. */
    void unreserve(long bytes) {
        if (device != null) {
            device.unreservePartialFpdu(bytes);
        }
        reserved -= bytes;
    }
}
