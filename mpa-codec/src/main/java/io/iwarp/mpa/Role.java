package io.iwarp.mpa;

/** The part an endpoint plays in the MPA start-up (RFC 5044, section 7.1). */
public enum Role {
    /** Sends the MPA Request Frame and, once the Reply Frame has come, the first FPDU. */
    INITIATOR,
    /** Waits for the MPA Request Frame, answers it, and sends no FPDU before it has received one. */
    RESPONDER
}
