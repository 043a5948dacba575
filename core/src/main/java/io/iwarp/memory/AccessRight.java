package io.iwarp.memory;

/** What may be done to registered memory. A region has none of these unless its owner says so. */
public enum AccessRight {
    /** The local side may let the stack write here: needed for the sink of an RDMA Read. */
    LOCAL_WRITE,
    /** The peer may read with an RDMA Read. */
    REMOTE_READ,
    /** The peer may write with an RDMA Write. */
    REMOTE_WRITE,
    /** The peer may run atomic operations (RFC 7306). */
    REMOTE_ATOMIC
}
