package io.iwarp.ddp;

/**
 * Settings of the DDP layer of one stream.
 *
 * @param transmitWindow bytes of segments that may be on their way through MPA and the transport's own queue, before
 *     the kernel has taken them: 128 KiB to 1 GiB, default 1 MiB. It bounds the memory that a slow peer can tie up,
 *     whatever the length of the messages. A larger window helps only if the event loop is often busy elsewhere for
 *     longer than the socket needs to drain.
 */
public record DdpSettings(int transmitWindow) {
    /** The smallest window, in bytes; it holds at least one segment of any size. */
    public static final int MINIMUM_TRANSMIT_WINDOW = 128 * 1024;

    /** The largest window, in bytes. */
    public static final int MAXIMUM_TRANSMIT_WINDOW = 1024 * 1024 * 1024;

    /** The usual window, in bytes. */
    public static final int DEFAULT_TRANSMIT_WINDOW = 1024 * 1024;

    /** The default settings. */
    public static final DdpSettings DEFAULT = new DdpSettings(DEFAULT_TRANSMIT_WINDOW);

    /** Checks the range. */
    public DdpSettings {
        if (transmitWindow < MINIMUM_TRANSMIT_WINDOW || transmitWindow > MAXIMUM_TRANSMIT_WINDOW) {
            throw new IllegalArgumentException("transmitWindow of " + transmitWindow + " bytes is outside "
                    + MINIMUM_TRANSMIT_WINDOW + ".." + MAXIMUM_TRANSMIT_WINDOW);
        }
    }
}
