package io.iwarp;

import java.util.Locale;

/**
 * What is counted for each connection. Meters and the table in the documentation are made from this enum, so a counter
 * exists once.
 */
public enum Counter {
    /** FPDUs handed to the transport. */
    FPDUS_SENT("fpdus", "FPDUs handed to the transport"),
    /** FPDUs received whole and found good. */
    FPDUS_RECEIVED("fpdus", "FPDUs received whole and found good"),
    /** Markers put between outgoing bytes. */
    MARKERS_SENT("markers", "Markers put between outgoing bytes"),
    /** Markers taken out of incoming bytes. */
    MARKERS_RECEIVED("markers", "Markers taken out of incoming bytes"),
    /** Incoming FPDUs whose CRC was computed and compared. */
    CRC_CHECKED("fpdus", "Incoming FPDUs whose CRC was computed and compared"),
    /** Incoming FPDUs whose CRC did not fit. */
    CRC_ERRORS("fpdus", "Incoming FPDUs whose CRC did not fit"),
    /** Bytes of ULPDUs handed to the transport, without framing. */
    ULPDU_BYTES_SENT("iwarp.ulpdus.sent", "bytes", "Bytes of ULPDUs handed to the transport, without framing"),
    /** Bytes of ULPDUs received, without framing. */
    ULPDU_BYTES_RECEIVED("iwarp.ulpdus.received", "bytes", "Bytes of ULPDUs received, without framing"),
    /** Incoming DDP segments whose payload was placed. */
    SEGMENTS_PLACED("segments", "Incoming DDP segments whose payload was placed"),
    /** Payload bytes placed in registered memory and receive buffers. */
    BYTES_PLACED("iwarp.payload.placed", "bytes", "Payload bytes placed in registered memory and receive buffers"),
    /** DDP messages of which the last segment was handed to the transport. */
    MESSAGES_SENT("messages", "DDP messages of which the last segment was handed to the transport"),
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

    /** The name of its meter, for example {@code iwarp.fpdus.sent}. */
    public String meterName() {
        return meterName;
    }

    /** The place of the counter in an array of all counters. */
    @SuppressWarnings("EnumOrdinal") // The place is used in memory only and never stored or sent.
    int slot() {
        return ordinal();
    }

    /** What one step of the counter stands for, as a plural noun. */
    public String unit() {
        return unit;
    }

    /** What is counted, as the beginning of a sentence. */
    public String description() {
        return description;
    }
}
