package io.iwarp.internal.memory;

import io.iwarp.memory.AccessRight;
import java.util.EnumSet;

/** Sets of rights. A set that a region, a window or a tagged buffer has is never changed. */
final class AccessRights {
    private AccessRights() {}

    /** Returns a set of these rights. Refuses duplicate rights. */
    static EnumSet<AccessRight> of(AccessRight... rights) {
        EnumSet<AccessRight> set = EnumSet.noneOf(AccessRight.class);
        for (AccessRight right : rights) {
            if (!set.add(right)) {
                throw new IllegalArgumentException("the right " + right + " is named twice; name each right once");
            }
        }
        return set;
    }

    /** Throws if rights include one to change memory, which is read-only. */
    static void requireReadOnly(EnumSet<AccessRight> rights) {
        EnumSet<AccessRight> changing = rights.clone();
        changing.remove(AccessRight.REMOTE_READ);
        if (!changing.isEmpty()) {
            throw new IllegalArgumentException("cannot grant " + changing
                    + " on read-only memory; grant nothing but REMOTE_READ, or register writable memory");
        }
    }
}
