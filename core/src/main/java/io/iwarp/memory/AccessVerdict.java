package io.iwarp.memory;

import org.apiguardian.api.API;

/**
 * The outcome of the checks of an access to a tagged buffer (RFC 5041 section 7.1, RFC 5040 section 7.2). The checks are made
 * in the order of the constants. The first failed check is the verdict.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1.0")
public enum AccessVerdict {
    /** All checks passed. */
    GRANTED,
    /** There is no such STag, or it was revoked. */
    INVALID_STAG,
    /** The STag belongs to another protection domain, or to another stream of the same domain. */
    NOT_ASSOCIATED,
    /** The STag does not grant the right that the access needs. */
    NO_RIGHT,
    /**
     * Tagged offset plus length exceeds 2^64. The RFCs list this check last. But a range that wraps is nearly always out of
     * bounds as well, so this check comes first. Otherwise it could not be reported.
     */
    WRAP,
    /** The range is not within the bytes of the STag. */
    BOUNDS
}
