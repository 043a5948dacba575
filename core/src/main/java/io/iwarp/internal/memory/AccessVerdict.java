package io.iwarp.internal.memory;

import io.iwarp.ProtocolError;
import io.iwarp.memory.AccessRight;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of the checks of an access to a tagged buffer (RFC 5041 section 7.1, RFC 5040 section 7.2). The checks
 * are made in the order of the constants. The first failed check is the verdict. DDP and RDMAP number it differently.
 */
public enum AccessVerdict {
    /** All checks passed. */
    GRANTED(null, null),
    /** There is no such STag, or it was revoked. */
    INVALID_STAG(ProtocolError.DDP_TAGGED_INVALID_STAG, ProtocolError.RDMAP_INVALID_STAG),
    /** The STag belongs to another protection domain, or to another stream of the same domain. */
    NOT_ASSOCIATED(ProtocolError.DDP_TAGGED_STAG_NOT_ASSOCIATED, ProtocolError.RDMAP_STAG_NOT_ASSOCIATED),
    /**
     * The STag does not grant the right that the access needs. DDP has no error number for it (RFC 5041 section 7.2):
     * it reports an invalid STag.
     */
    NO_RIGHT(ProtocolError.DDP_TAGGED_INVALID_STAG, ProtocolError.RDMAP_ACCESS_RIGHTS),
    /**
     * Tagged offset plus length exceeds 2^64. The RFCs list this check last. Since a range that wraps is nearly always
     * out of bounds as well, this check comes first; otherwise the error would never be reported.
     */
    WRAP(ProtocolError.DDP_TAGGED_TO_WRAP, ProtocolError.RDMAP_TO_WRAP),
    /** The range is not within the bytes of the STag. */
    BOUNDS(ProtocolError.DDP_TAGGED_BASE_OR_BOUNDS, ProtocolError.RDMAP_BASE_OR_BOUNDS);

    private final @Nullable ProtocolError ofPlacement;
    private final @Nullable ProtocolError ofRequest;

    AccessVerdict(@Nullable ProtocolError ofPlacement, @Nullable ProtocolError ofRequest) {
        this.ofPlacement = ofPlacement;
        this.ofRequest = ofRequest;
    }

    /**
     * Returns the error of an access that is not {@link #GRANTED}.
     *
     * @param right the right that the access needs: it tells whether DDP places a segment, or RDMAP executes a request
     * @throws IllegalStateException if the access is granted
     */
    ProtocolError error(AccessRight right) {
        ProtocolError error = isOfRequests(right) ? ofRequest : ofPlacement;
        if (error == null) {
            throw new IllegalStateException("the access was granted: there is no error");
        }
        return error;
    }

    /** Returns whether RDMAP checks the right for a request; otherwise DDP checks it for each segment. */
    private static boolean isOfRequests(AccessRight right) {
        return right == AccessRight.REMOTE_READ || right == AccessRight.REMOTE_ATOMIC;
    }
}
