package io.iwarp.conformance.judge;

import java.util.Locale;

/** What the peer is. */
public enum Role {
    /** It listens, as {@code rping -s} does; the suite is the initiator of MPA. */
    SERVER,
    /** It connects, as {@code rping -c} does; the suite is the responder of MPA. */
    CLIENT;

    /** Returns the role as it stands in ids and reports. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
