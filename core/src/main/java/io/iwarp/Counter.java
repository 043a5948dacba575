package io.iwarp;

import java.util.Locale;

/** The counters of each connection. Meters and the table in the documentation are derived from this enum. */
public enum Counter {
    /** FPDUs handed to the transport. */
    FPDUS_SENT("fpdus", "FPDUs handed to the transport"),
    /** Valid FPDUs received. */
    FPDUS_RECEIVED("fpdus", "Valid FPDUs received"),
    /** Markers inserted into outgoing bytes. */
    MARKERS_SENT("markers", "Markers inserted into outgoing bytes"),
    /** Markers removed from incoming bytes. */
    MARKERS_RECEIVED("markers", "Markers removed from incoming bytes"),
    /** Incoming FPDUs whose CRC was checked. */
    CRC_CHECKED("fpdus", "Incoming FPDUs whose CRC was checked"),
    /** Incoming FPDUs with a wrong CRC. */
    CRC_ERRORS("fpdus", "Incoming FPDUs with a wrong CRC"),
    /** Bytes of FPDUs handed to the transport, with their framing. */
    BYTES_SENT("iwarp.wire.sent", "bytes", "Bytes of FPDUs handed to the transport, with their framing"),
    /** Bytes that the transport has brought, also of incomplete FPDUs. */
    BYTES_RECEIVED("iwarp.wire.received", "bytes", "Bytes that the transport has brought, also of incomplete FPDUs"),
    /** Incoming DDP segments whose payload was placed. */
    SEGMENTS_PLACED("segments", "Incoming DDP segments whose payload was placed"),
    /** Payload bytes placed in registered memory and receive buffers. */
    BYTES_PLACED("iwarp.payload.placed", "bytes", "Payload bytes placed in registered memory and receive buffers"),
    /** DDP messages whose last segment was handed to the transport. */
    MESSAGES_SENT("messages", "DDP messages whose last segment was handed to the transport"),
    /** DDP messages delivered to RDMAP. */
    MESSAGES_DELIVERED("messages", "DDP messages delivered to RDMAP"),
    /** Terminate messages sent: 0 or 1. */
    TERMINATES_SENT("messages", "Terminate messages sent: 0 or 1"),
    /** Terminate messages received: 0 or 1. */
    TERMINATES_RECEIVED("messages", "Terminate messages received: 0 or 1"),
    /** Reads and atomics of this side that were sent to the peer. */
    READS_REQUESTED("requests", "Reads and atomics of this side that were sent to the peer"),
    /** Reads and atomics of this side that the peer answered. */
    READS_ANSWERED("requests", "Reads and atomics of this side that the peer answered"),
    /** Reads and atomics of the peer that were accepted. */
    PEER_READS_ACCEPTED("requests", "Reads and atomics of the peer that were accepted"),
    /** Reads and atomics of the peer whose answers were handed to the transport. */
    PEER_READS_ANSWERED("requests", "Reads and atomics of the peer whose answers were handed to the transport");

    private final String meterName;
    private final String unit;
    private final String description;

    Counter(String unit, String description) {
        this.meterName = "iwarp." + name().toLowerCase(Locale.ROOT).replace('_', '.');
        this.unit = unit;
        this.description = description;
    }

    Counter(String meterName, String unit, String description) {
        this.meterName = meterName;
        this.unit = unit;
        this.description = description;
    }

    /** Returns the name of its meter, for example {@code iwarp.fpdus.sent}. */
    public String meterName() {
        return meterName;
    }

    /** Returns the unit of the counter, as a plural noun. */
    public String unit() {
        return unit;
    }

    /** Returns what is counted, as the beginning of a sentence. */
    public String description() {
        return description;
    }
}
