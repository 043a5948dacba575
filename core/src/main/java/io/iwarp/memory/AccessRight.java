package io.iwarp.memory;

/**
 * What a peer may do to a region or a window through its STag. Rights are given when the memory is registered or bound;
 * by default there are none. No right implies another (RFC 5042 sections 6.2.1 and 6.3.5). Later versions may add
 * constants.
 */
public enum AccessRight {
    /** The response to an RDMA Read of this side may be placed there. The sink of a Read needs it. */
    LOCAL_WRITE,
    /** The peer may read with RDMA Reads. The source of a Read needs it. */
    REMOTE_READ,
    /** The peer may write with RDMA Writes. */
    REMOTE_WRITE,
    /**
     * The peer may change the bytes with atomic operations (RFC 7306). As each returns the previous value, the peer can
     * also read the bytes, 8 aligned bytes at a time.
     */
    REMOTE_ATOMIC
}
