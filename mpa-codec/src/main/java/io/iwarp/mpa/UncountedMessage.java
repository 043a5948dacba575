package io.iwarp.mpa;

import io.netty.util.ReferenceCounted;

/**
 * A message between the handlers of a stream that has no reference count: its owner reuses it after the call that
 * passes it.
 *
 * <p>It is a {@link ReferenceCounted} because Netty tests every message for it (instanceof), twice for each segment. A
 * class that is one answers from a cache; for any other the JVM searches all its interfaces, which cost a tenth of the
 * processor time of a FetchAdd.
 */
public abstract class UncountedMessage implements ReferenceCounted {
    /** For subclasses. */
    protected UncountedMessage() {}

    /** Returns 1, always. */
    @Override
    public final int refCnt() {
        return 1;
    }

    /** Has no effect. */
    @Override
    public final ReferenceCounted retain() {
        return this;
    }

    /** Has no effect. */
    @Override
    public final ReferenceCounted retain(int increment) {
        return this;
    }

    /** Has no effect. */
    @Override
    public final ReferenceCounted touch() {
        return this;
    }

    /** Has no effect. */
    @Override
    public final ReferenceCounted touch(Object hint) {
        return this;
    }

    /** Has no effect. Returns false: the owner keeps the message. */
    @Override
    public final boolean release() {
        return false;
    }

    /** Has no effect. Returns false: the owner keeps the message. */
    @Override
    public final boolean release(int decrement) {
        return false;
    }
}
