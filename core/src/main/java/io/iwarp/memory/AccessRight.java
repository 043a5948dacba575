package io.iwarp.memory;

import java.util.EnumSet;
import java.util.Set;

/**
 * What a peer may do to a region or a window through its STag. Rights are given when the memory is registered or bound;
 * by default there are none. No right implies another (RFC 5042 sections 6.2.1 and 6.3.5). Later versions may add
 * constants.
 */
public enum AccessRight {
    /** The response to an RDMA Read of this side may be placed there. The sink of a Read needs it. */
    LOCAL_WRITE(1 << 0),
    /** The peer may read with RDMA Reads. The source of a Read needs it. */
    REMOTE_READ(1 << 1),
    /** The peer may write with RDMA Writes. */
    REMOTE_WRITE(1 << 2),
    /**
     * The peer may change the bytes with atomic operations (RFC 7306). As each returns the previous value, the peer can
     * also read the bytes, 8 aligned bytes at a time.
     */
    REMOTE_ATOMIC(1 << 3);

    /** The rights by which a peer may change bytes at any time. */
    static final int CHANGING = REMOTE_WRITE.bit | REMOTE_ATOMIC.bit;

    private static final AccessRight[] ALL = values();

    /** The bit of the right, which the data path checks instead of a set. */
    final int bit;

    AccessRight(int bit) {
        this.bit = bit;
    }

    /**
     * Returns whether RDMAP checks it for a Read or Atomic Request; otherwise DDP checks it for each segment that it
     * places.
     */
    boolean isOfRequests() {
        return this == REMOTE_READ || this == REMOTE_ATOMIC;
    }

    /** Returns the rights as one bit each. Refuses duplicate rights. */
    static int bits(AccessRight... rights) {
        int bits = 0;
        for (AccessRight right : rights) {
            if ((bits & right.bit) != 0) {
                throw new IllegalArgumentException("the right " + right + " is named twice; name each right once");
            }
            bits |= right.bit;
        }
        return bits;
    }

    /** Throws if rights include one to change memory, which is read-only. */
    static void requireReadOnlyRights(int bits) {
        int changing = bits & ~REMOTE_READ.bit;
        if (changing != 0) {
            throw new IllegalArgumentException("cannot grant " + ofBits(changing)
                    + " on read-only memory; grant nothing but REMOTE_READ, or register writable memory");
        }
    }

    /** Returns the rights of these bits. */
    static Set<AccessRight> ofBits(int bits) {
        EnumSet<AccessRight> rights = EnumSet.noneOf(AccessRight.class);
        for (AccessRight right : ALL) {
            if ((bits & right.bit) != 0) {
                rights.add(right);
            }
        }
        return rights;
    }
}
