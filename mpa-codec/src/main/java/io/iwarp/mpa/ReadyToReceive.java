package io.iwarp.mpa;

/**
 * The kinds of ready-to-receive ("RTR") message with which an initiator, in the peer-to-peer model, tells the responder that
 * it may begin to send (RFC 6581, section 9.2). In order of preference: a Write touches nothing of the responder's, a Read
 * takes one of its inbound Reads for a moment, a Send takes a receive buffer.
 */
public enum ReadyToReceive {
    /** A zero-length RDMA Write (flag C). */
    WRITE,
    /** A zero-length RDMA Read (flag D). */
    READ,
    /** A zero-length Send (flag B). */
    SEND
}
