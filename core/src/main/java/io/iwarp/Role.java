package io.iwarp;

/** The role of an end in the set-up of a connection (RFC 5044 section 7.1). */
public enum Role {
    /** Asks for the connection: sends the MPA Request Frame and, after the Reply Frame, the first FPDU. */
    INITIATOR,
    /** Waits for the MPA Request Frame, replies to it, and sends no FPDU before it has received one. */
    RESPONDER
}
