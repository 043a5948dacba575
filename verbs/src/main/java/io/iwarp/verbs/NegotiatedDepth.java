package io.iwarp.verbs;

import io.iwarp.mpa.EnhancedSetup;
import java.util.OptionalInt;

/** Converts an IRD or ORD of the peer, which may be unknown. */
final class NegotiatedDepth {
    private NegotiatedDepth() {}

    static OptionalInt of(int depth) {
        return depth == EnhancedSetup.NOT_NEGOTIATED ? OptionalInt.empty() : OptionalInt.of(depth);
    }
}
