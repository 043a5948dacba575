package io.iwarp.mpa;

/**
 * The kinds of ready-to-receive ("RTR") message with which an initiator, in the peer-to-peer model, tells the responder
 * that it may send (RFC 6581 section 9.2). In order of preference: a Write uses no resource of the responder, a Read
 * uses one of its inbound Reads for a short time, a Send uses a receive buffer.
 */
public enum ReadyToReceive {
    /** A zero-length RDMA Write (flag C). */
    WRITE,
    /** A zero-length RDMA Read (flag D). */
    READ,
    /** A zero-length Send (flag B). */
    SEND
}
