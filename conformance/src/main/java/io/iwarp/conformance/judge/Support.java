package io.iwarp.conformance.judge;

import java.util.List;
import java.util.Locale;

/** What a peer may support or not. A run that requires it fails where it is lost. */
public enum Support {
    /** RFC 7306. */
    RFC7306("atomics and Immediate Data", "EXT-3 EXT-28", Need.ATOMICS, Need.IMMEDIATE),
    /** RFC 7306 on the memory that the peer names. */
    ATOMIC_MEMORY("memory on which atomics may be executed", "EXT-15", Need.ATOMICS, Need.ATOMIC_MEMORY),
    /** RFC 6581. */
    ENHANCED("the enhanced set-up of RFC 6581", "SETUP-23", Need.ENHANCED),
    /** Ready-to-receive messages. */
    PEER_TO_PEER("the peer-to-peer set-up of RFC 6581", "SETUP-17", Need.PEER_TO_PEER),
    /** Markers in both directions. */
    MARKERS("markers in both directions", "MPA-16", Need.MARKERS_TO_PEER, Need.MARKERS_FROM_PEER),
    /** CRCs. */
    CRC("CRCs", "MPA-32 MPA-33", Need.CRC),
    /** Memory with the rights alone that a ping needs. */
    CLOSED_MEMORY("memory without the rights that a ping does not need", "SEC-5", Need.UNREADABLE, Need.UNWRITABLE),
    /** Memory with all rights. */
    OPEN_MEMORY("memory that may be read and written", "DDP-70", Need.OPEN),
    /** A client that compares what comes back. */
    VERIFYING("a client that compares what the server writes", "RDMAP-62", Need.VERIFYING);

    private final String text;
    private final String requirements;

    @SuppressWarnings("ImmutableEnumChecker") // it is made by List.of
    private final List<Need> needs;

    Support(String text, String requirements, Need... needs) {
        this.text = text;
        this.requirements = requirements;
        this.needs = List.of(needs);
    }

    /** Returns the name as users write it. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns what it is, in words. */
    public String text() {
        return text;
    }

    List<Need> needs() {
        return needs;
    }

    Case asCase() {
        return Case.must("require." + this, "the peer supports " + text, requirements, session -> {});
    }
}
