package io.iwarp.internal.mpa;

import io.iwarp.Role;
import io.iwarp.mpa.ReadyToReceive;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a start-up could have agreed on, for tests of the layers above. */
public final class Agreed {
    private Agreed() {}

    /** A plain set-up: the depths are those of both ends. */
    public static AgreedParameters plain(Role role, int mulpdu, int depth) {
        return AgreedParameters.builder(role)
                .mulpdu(mulpdu)
                .depths(depth, depth)
                .build();
    }

    /**
     * An enhanced set-up.
     *
     * @param first the ready-to-receive message of the peer-to-peer model; null for the client-server model
     */
    public static AgreedParameters enhanced(Role role, int mulpdu, int depth, @Nullable ReadyToReceive first) {
        Set<ReadyToReceive> kinds = first == null ? EnumSet.noneOf(ReadyToReceive.class) : EnumSet.of(first);
        return AgreedParameters.builder(role)
                .revision(2)
                .mulpdu(mulpdu)
                .negotiated(depth, depth, depth, depth)
                .readyToReceive(first != null, kinds, role == Role.INITIATOR ? first : null)
                .build();
    }
}
