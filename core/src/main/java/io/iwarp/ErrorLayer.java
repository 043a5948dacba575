package io.iwarp;

import org.jspecify.annotations.Nullable;

/**
 * The layer that an error number belongs to: the 4-bit Layer field of the Terminate Control Field (RFC 5040 section
 * 4.8, registries in RFC 6580 section 3).
 */
public enum ErrorLayer {
    /** Remote Direct Memory Access Protocol, RFC 5040 and RFC 7306. */
    RDMAP(0),
    /** Direct Data Placement, RFC 5041. */
    DDP(1),
    /** Marker PDU Aligned Framing, RFC 5044 and RFC 6581; RFC 5040 calls this layer the LLP. */
    MPA(2);

    private final int number;

    ErrorLayer(int number) {
        this.number = number;
    }

    /** Returns the value of the 4-bit Layer field. */
    public int number() {
        return number;
    }

    /**
     * Returns the layer with a number.
     *
     * @param number the value of a Layer field, 0 to 15
     * @return the layer, or null if the number is not assigned
     */
    static @Nullable ErrorLayer find(int number) {
        return switch (number) {
            case 0 -> RDMAP;
            case 1 -> DDP;
            case 2 -> MPA;
            default -> null;
        };
    }
}
