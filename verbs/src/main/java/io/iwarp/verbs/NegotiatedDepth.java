package io.iwarp.verbs;

import io.iwarp.mpa.MpaParameters;
import java.util.OptionalInt;

/** Converts an IRD or ORD of the peer, which may be unknown. */
final class NegotiatedDepth {
    private NegotiatedDepth() {}

    static OptionalInt of(int depth) {
        return depth == MpaParameters.NOT_NEGOTIATED ? OptionalInt.empty() : OptionalInt.of(depth);
    }
}
