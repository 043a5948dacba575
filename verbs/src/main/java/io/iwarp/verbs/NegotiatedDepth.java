package io.iwarp.verbs;

import io.iwarp.mpa.EnhancedSetup;
import java.util.OptionalInt;

/** An IRD or ORD that a peer has told, or has not. */
final class NegotiatedDepth {
    private NegotiatedDepth() {}

    static OptionalInt of(int told) {
        return told == EnhancedSetup.NOT_NEGOTIATED ? OptionalInt.empty() : OptionalInt.of(told);
    }
}
