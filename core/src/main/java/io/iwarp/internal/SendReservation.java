package io.iwarp.internal;

/**
 * The share of one stream in the send budget of its device. It reserves large pieces, so that streams do not contend
 * for the counter of the device with each burst, and only beyond {@link #FREE_BYTES}, so that every stream can always
 * send one segment, and small amounts need no reservation.
 *
 * <p>Confined to the event loop of the stream.
 */
public final class SendReservation {
    /**
     * The bytes that a stream may hold without a reservation: one segment of any size, and the headers of some others.
     */
    public static final int FREE_BYTES = 72 * 1024;

    /** The bytes of a reservation: at least one segment of any size. */
    static final int PIECE_BYTES = 128 * 1024;

    private final ByteBudget device;
    private long reservedBytes;

    /** @param device what the streams of the device share */
    public SendReservation(ByteBudget device) {
        this.device = device;
    }

    /** Reserves one piece more. Returns false if the device has none left. */
    public boolean grow() {
        boolean grown = device.tryReserve(PIECE_BYTES);
        if (grown) {
            reservedBytes += PIECE_BYTES;
        }
        return grown;
    }

    /** Releases the pieces that are not needed to hold a number of bytes. */
    public void shrinkTo(long bytes) {
        while (reservedBytes - PIECE_BYTES >= bytes) {
            reservedBytes -= PIECE_BYTES;
            device.release(PIECE_BYTES);
        }
    }

    /** Returns the number of bytes that the stream may hold beyond {@link #FREE_BYTES}. */
    public long reservedBytes() {
        return reservedBytes;
    }

    /** Returns whether the device has no piece left. */
    public boolean isDeviceExhausted() {
        return device.limit() - device.reservedBytes() < PIECE_BYTES;
    }

    /** Returns the maximum number of bytes that the streams of the device reserve together. */
    public long limit() {
        return device.limit();
    }
}
