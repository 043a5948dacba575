package io.iwarp;

import java.util.Locale;

/**
 * The counters of each connection; {@link #description} says what each one counts. Meters and the table in the
 * documentation are derived from this enum. Later versions may add constants.
 */
public enum Counter {
    FPDUS_SENT("fpdus", "FPDUs handed to the transport"),
    FPDUS_RECEIVED("fpdus", "Valid FPDUs received"),
    MARKERS_SENT("markers", "Markers inserted into outgoing bytes"),
    MARKERS_RECEIVED("markers", "Markers removed from incoming bytes"),
    CRC_CHECKED("fpdus", "Incoming FPDUs whose CRC was checked"),
    CRC_ERRORS("fpdus", "Incoming FPDUs with a wrong CRC"),
    BYTES_SENT("iwarp.wire.sent", "bytes", "Bytes of FPDUs handed to the transport, with their framing"),
    BYTES_RECEIVED("iwarp.wire.received", "bytes", "Bytes that the transport has brought, also of incomplete FPDUs"),
    SEGMENTS_PLACED("segments", "Incoming DDP segments whose payload was placed"),
    BYTES_PLACED("iwarp.payload.placed", "bytes", "Payload bytes placed in registered memory and receive buffers"),
    MESSAGES_SENT("messages", "DDP messages whose last segment was handed to the transport"),
    MESSAGES_DELIVERED("messages", "DDP messages delivered to RDMAP"),
    TERMINATES_SENT("messages", "Terminate messages sent: 0 or 1"),
    TERMINATES_RECEIVED("messages", "Terminate messages received: 0 or 1"),
    READS_REQUESTED("requests", "Reads and atomics of this side that were sent to the peer"),
    READS_COMPLETED("requests", "Reads and atomics of this side to which the peer responded"),
    PEER_READS_ACCEPTED("requests", "Reads and atomics of the peer that were accepted"),
    PEER_READS_COMPLETED("requests", "Reads and atomics of the peer whose responses were handed to the transport");

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
