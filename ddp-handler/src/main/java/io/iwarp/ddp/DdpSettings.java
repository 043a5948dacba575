package io.iwarp.ddp;

import org.jspecify.annotations.Nullable;

/** Settings of the DDP layer of one stream. Start from {@link #DEFAULT} and change what has to differ. Immutable. */
public final class DdpSettings {
    /** The smallest window, in bytes. It holds at least one segment of any size. */
    public static final int MIN_TRANSMIT_WINDOW = 128 * 1024;

    /** The largest window, in bytes. */
    public static final int MAX_TRANSMIT_WINDOW = 1024 * 1024 * 1024;

    /** The default window, in bytes. */
    public static final int DEFAULT_TRANSMIT_WINDOW = 1024 * 1024;

    /** The default settings. */
    public static final DdpSettings DEFAULT = new DdpSettings(DEFAULT_TRANSMIT_WINDOW);

    private final int transmitWindow;

    private DdpSettings(int transmitWindow) {
        if (transmitWindow < MIN_TRANSMIT_WINDOW || transmitWindow > MAX_TRANSMIT_WINDOW) {
            throw new IllegalArgumentException("transmitWindow of " + transmitWindow + " bytes is outside "
                    + MIN_TRANSMIT_WINDOW + ".." + MAX_TRANSMIT_WINDOW);
        }
        this.transmitWindow = transmitWindow;
    }

    /**
     * Returns these settings with another {@link #transmitWindow()}.
     *
     * @throws IllegalArgumentException if it is outside its range
     */
    public DdpSettings withTransmitWindow(int bytes) {
        return new DdpSettings(bytes);
    }

    /**
     * Returns the maximum number of bytes of segments in MPA and the transport's queue that the kernel has not taken
     * yet: 128 KiB to 1 GiB, default 1 MiB. It limits the memory that a slow peer can tie up, whatever the length of
     * the messages. A larger window helps only if the event loop is often busy elsewhere for longer than the socket
     * needs to drain.
     */
    public int transmitWindow() {
        return transmitWindow;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof DdpSettings that && transmitWindow == that.transmitWindow;
    }

    @Override
    public int hashCode() {
        return Integer.hashCode(transmitWindow);
    }

    /** Returns all settings with their names, in one line. */
    @Override
    public String toString() {
        return "DdpSettings{transmitWindow=" + transmitWindow + "}";
    }
}
