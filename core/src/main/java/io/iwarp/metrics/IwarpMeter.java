package io.iwarp.metrics;

import io.iwarp.ConnectionState;
import io.iwarp.Counter;
import io.iwarp.Operation;
import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.micrometer.core.instrument.docs.MeterDocumentation;
import org.jspecify.annotations.Nullable;

/** All meters of {@link IwarpMeters} and {@link DomainMeters}: name, type, base unit, tags and description. */
@SuppressWarnings("exports") // whoever uses it has Micrometer; others must not need it
public enum IwarpMeter implements MeterDocumentation {
    /** Open connections. */
    CONNECTIONS("iwarp.connections", Meter.Type.GAUGE, "Open connections", Tag.ROLE, Tag.STATE),
    /** Set-ups that ended, by outcome. */
    SETUPS("iwarp.setups", Meter.Type.COUNTER, "Set-ups that ended", Tag.ROLE, Tag.OUTCOME),
    /** Set-ups that came to nothing, by reason. */
    SETUPS_FAILED(
            "iwarp.setups.failed",
            Meter.Type.COUNTER,
            "Set-ups that failed, without rejected and refused ones",
            Tag.ROLE,
            Tag.REASON),
    /** Connections that ended, by who ended them. */
    CONNECTIONS_ENDED("iwarp.connections.ended", Meter.Type.COUNTER, "Established connections that ended", Tag.CAUSE),
    /** Terminates sent. */
    TERMINATES_SENT(Counter.TERMINATES_SENT, "Terminate messages sent", Tag.CODE),
    /** Terminates received. */
    TERMINATES_RECEIVED(Counter.TERMINATES_RECEIVED, "Terminate messages received", Tag.CODE),
    /** Operations executed. */
    OPERATIONS(
            "iwarp.operations",
            Meter.Type.COUNTER,
            "Operations executed: posted here and completed (outbound), or requested by peers (inbound)",
            Tag.OPERATION,
            Tag.DIRECTION),
    /** Payload of the operations executed. */
    OPERATIONS_PAYLOAD(
            "iwarp.operations.payload",
            Meter.Type.COUNTER,
            "bytes",
            "Payload bytes of the operations executed",
            Tag.OPERATION,
            Tag.DIRECTION),
    /** Requests flushed. */
    OPERATIONS_FLUSHED(
            "iwarp.operations.flushed",
            Meter.Type.COUNTER,
            "Requests posted here that completed without success because their stream ended",
            Tag.OPERATION),
    /** Latency of requests. */
    OPERATIONS_LATENCY(
            "iwarp.operations.latency",
            Meter.Type.TIMER,
            "seconds",
            "Time from post to completion of the requests that were timed",
            Tag.OPERATION),
    /** FPDUs sent. */
    FPDUS_SENT(Counter.FPDUS_SENT),
    /** FPDUs received. */
    FPDUS_RECEIVED(Counter.FPDUS_RECEIVED),
    /** Markers sent. */
    MARKERS_SENT(Counter.MARKERS_SENT),
    /** Markers received. */
    MARKERS_RECEIVED(Counter.MARKERS_RECEIVED),
    /** CRCs checked. */
    CRC_CHECKED(Counter.CRC_CHECKED),
    /** Wrong CRCs. */
    CRC_ERRORS(Counter.CRC_ERRORS),
    /** Bytes of ULPDUs sent. */
    ULPDUS_SENT(Counter.ULPDU_BYTES_SENT),
    /** Bytes of ULPDUs received. */
    ULPDUS_RECEIVED(Counter.ULPDU_BYTES_RECEIVED),
    /** Segments placed. */
    SEGMENTS_PLACED(Counter.SEGMENTS_PLACED),
    /** Bytes placed. */
    PAYLOAD_PLACED(Counter.BYTES_PLACED),
    /** DDP messages sent. */
    MESSAGES_SENT(Counter.MESSAGES_SENT),
    /** DDP messages delivered. */
    MESSAGES_DELIVERED(Counter.MESSAGES_DELIVERED),
    /** Reads and atomics sent. */
    READS_REQUESTED(Counter.READS_REQUESTED),
    /** Reads and atomics answered by the peer. */
    READS_ANSWERED(Counter.READS_ANSWERED),
    /** Reads and atomics of peers accepted. */
    PEER_READS_ACCEPTED(Counter.PEER_READS_ACCEPTED),
    /** Reads and atomics of peers answered. */
    PEER_READS_ANSWERED(Counter.PEER_READS_ANSWERED),
    /** Reads and atomics waiting for an answer. */
    READS_OUTSTANDING(
            "iwarp.reads.outstanding", Meter.Type.GAUGE, "Reads and atomics of this side that wait for an answer"),
    /** Reads and atomics being answered. */
    PEER_READS_OUTSTANDING(
            "iwarp.peer.reads.outstanding", Meter.Type.GAUGE, "Reads and atomics of peers that are being answered"),
    /** Requests posted and not completed. */
    SEND_QUEUE_REQUESTS(
            "iwarp.send.queue.requests", Meter.Type.GAUGE, "Posted requests that have not completed, without receives"),
    /** Requests posted and not started. */
    SEND_QUEUE_WAITING(
            "iwarp.send.queue.waiting", Meter.Type.GAUGE, "Posted requests that have not started, without receives"),
    /** Capacity of the send queues. */
    SEND_QUEUE_DEPTH("iwarp.send.queue.depth", Meter.Type.GAUGE, "Capacity of the send queues"),
    /** Bytes of requests not completed. */
    SEND_QUEUE_PAYLOAD(
            "iwarp.send.queue.payload",
            Meter.Type.GAUGE,
            "bytes",
            "Bytes of requests that an event loop has taken and that have not completed, without receives"),
    /** Receives posted and not used. */
    RECEIVE_QUEUE_REQUESTS(
            "iwarp.receive.queue.requests",
            Meter.Type.GAUGE,
            "Posted receives without a polled completion; of managed and shared receives, those that messages hold"),
    /** Capacity of the receive queues. */
    RECEIVE_QUEUE_DEPTH("iwarp.receive.queue.depth", Meter.Type.GAUGE, "Capacity of the receive queues"),
    /** Posts refused. */
    POSTS_REFUSED("iwarp.posts.refused", Meter.Type.COUNTER, "Posts refused", Tag.LIMIT),
    /** Bytes registered. */
    MEMORY_REGISTERED("iwarp.memory.registered", Meter.Type.GAUGE, "bytes", "Bytes of all open regions of the device"),
    /** Limit of bytes registered. */
    MEMORY_REGISTERED_LIMIT(
            "iwarp.memory.registered.limit", Meter.Type.GAUGE, "bytes", "The device's maximumRegisteredBytes"),
    /** Regions. */
    MEMORY_REGIONS("iwarp.memory.regions", Meter.Type.GAUGE, "Open regions of the device"),
    /** Limit of regions. */
    MEMORY_REGIONS_LIMIT("iwarp.memory.regions.limit", Meter.Type.GAUGE, "The device's maximumRegions"),
    /** Windows. */
    MEMORY_WINDOWS("iwarp.memory.windows", Meter.Type.GAUGE, "Bound windows of the device"),
    /** Limit of windows. */
    MEMORY_WINDOWS_LIMIT("iwarp.memory.windows.limit", Meter.Type.GAUGE, "The device's maximumWindows"),
    /** Bytes of input that cannot be handled yet. */
    MEMORY_INPUT(
            "iwarp.memory.input",
            Meter.Type.GAUGE,
            "bytes",
            "Buffer bytes of FPDUs that have arrived in part, and of input that waits for a receive"),
    /** Limit of the bytes of input that cannot be handled yet. */
    MEMORY_INPUT_LIMIT("iwarp.memory.input.limit", Meter.Type.GAUGE, "bytes", "The device's maximumPartialFpduBytes"),
    /** Bytes of managed receives. */
    MEMORY_MANAGED(
            "iwarp.memory.managed",
            Meter.Type.GAUGE,
            "bytes",
            "Buffer bytes of messages of managed receives that are not delivered"),
    /** Limit of the bytes of managed receives. */
    MEMORY_MANAGED_LIMIT(
            "iwarp.memory.managed.limit", Meter.Type.GAUGE, "bytes", "The device's maximumManagedReceiveBytes"),
    /** Refusals for a limit. */
    MEMORY_REFUSED("iwarp.memory.refused", Meter.Type.COUNTER, "Regions and windows refused", Tag.LIMIT),
    /** Bytes registered in a domain. */
    DOMAIN_REGISTERED("iwarp.domain.registered", Meter.Type.GAUGE, "bytes", "Bytes of all open regions of the domain"),
    /** Limit of bytes registered in a domain. */
    DOMAIN_REGISTERED_LIMIT(
            "iwarp.domain.registered.limit", Meter.Type.GAUGE, "bytes", "The domain's maximumRegisteredBytes"),
    /** Regions of a domain. */
    DOMAIN_REGIONS("iwarp.domain.regions", Meter.Type.GAUGE, "Open regions of the domain"),
    /** Limit of regions of a domain. */
    DOMAIN_REGIONS_LIMIT("iwarp.domain.regions.limit", Meter.Type.GAUGE, "The domain's maximumRegions"),
    /** Refusals for a limit of a domain. */
    DOMAIN_REFUSED("iwarp.domain.refused", Meter.Type.COUNTER, "Regions refused", Tag.LIMIT),
    /** STags retired. */
    STAGS_RETIRED("iwarp.stags.retired", Meter.Type.COUNTER, "STags that were retired"),
    /** STags in quarantine. */
    STAGS_QUARANTINED("iwarp.stags.quarantined", Meter.Type.GAUGE, "Retired STags that must not be used again yet");

    private final String name;
    private final Meter.Type type;
    private final @Nullable String unit;
    private final String description;
    private final @Nullable Counter counter;

    @SuppressWarnings("ImmutableEnumChecker") // never changed, and copied by its getter
    private final Tag[] tags;

    IwarpMeter(String name, Meter.Type type, String description, Tag... tags) {
        this(name, type, null, description, tags);
    }

    /**
     * @param unit null for what is counted one by one: a name in the plural says what it is, as in Micrometer's own
     * binders
     */
    IwarpMeter(String name, Meter.Type type, @Nullable String unit, String description, Tag... tags) {
        this.name = name;
        this.type = type;
        this.unit = unit;
        this.description = description;
        this.counter = null;
        this.tags = tags;
    }

    IwarpMeter(Counter counter) {
        this(counter, counter.description());
    }

    IwarpMeter(Counter counter, String description, Tag... tags) {
        this.name = counter.meterName();
        this.type = Meter.Type.COUNTER;
        this.unit = counter.unit().equals(BaseUnits.BYTES) ? BaseUnits.BYTES : null;
        this.description = description;
        this.counter = counter;
        this.tags = tags;
    }

    /** Returns the meter of a counter. */
    static IwarpMeter of(Counter counter) {
        for (IwarpMeter meter : values()) {
            if (meter.counter == counter) {
                return meter;
            }
        }
        throw new IllegalArgumentException(counter + " has no meter: add one to this enum");
    }

    @Override
    public String getName() {
        return name;
    }

    @Override
    public Meter.Type getType() {
        return type;
    }

    @Override
    public @Nullable String getBaseUnit() {
        return unit;
    }

    @Override
    public KeyName[] getKeyNames() {
        return tags.clone();
    }

    /** Returns the description, as the beginning of a sentence. */
    public String description() {
        return description;
    }

    /** The tags. Each has few values, which are known in advance. */
    public enum Tag implements KeyName {
        /** {@code initiator} or {@code responder}. */
        ROLE("role"),
        /** A {@link ConnectionState}. */
        STATE("state"),
        /** A {@link SetupOutcome}. */
        OUTCOME("outcome"),
        /** A {@link SetupFailure}. */
        REASON("reason"),
        /** Who ended a connection: an {@link io.iwarp.EndedBy} in lower case. */
        CAUSE("cause"),
        /** Layer, type and code of an error, for example {@code 0x1/0x1/0x00}, or {@code unassigned}. */
        CODE("code"),
        /** An {@link Operation}. */
        OPERATION("operation"),
        /** {@code outbound} if this side posted the request, {@code inbound} if a peer did. */
        DIRECTION("direction"),
        /** A {@link QueueLimit}, or a {@link io.iwarp.memory.MemoryLimit}. */
        LIMIT("limit");

        private final String key;

        Tag(String key) {
            this.key = key;
        }

        @Override
        public String asString() {
            return key;
        }
    }
}
