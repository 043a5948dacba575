package io.iwarp.metrics;

import static io.micrometer.core.instrument.Meter.Type.COUNTER;
import static io.micrometer.core.instrument.Meter.Type.GAUGE;
import static io.micrometer.core.instrument.Meter.Type.TIMER;

import io.iwarp.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.BaseUnits;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The meters of {@link IwarpMeterBinder}, each with its value if this is one number of the {@link IwarpMetrics}. */
@SuppressWarnings("ImmutableEnumChecker") // the functions have no state, and the lists are unmodifiable
enum MeterDefinition {
    CONNECTIONS("iwarp.connections", GAUGE, "Open connections", Tag.ROLE, Tag.STATE),
    SETUPS("iwarp.setups", COUNTER, "Set-ups that ended", Tag.ROLE, Tag.OUTCOME),
    SETUPS_FAILED(
            "iwarp.setups.failed",
            COUNTER,
            "Set-ups that failed, without rejected and overloaded ones",
            Tag.ROLE,
            Tag.REASON),
    CONNECTIONS_ENDED("iwarp.connections.ended", COUNTER, "Established connections that ended", Tag.CAUSE),
    TERMINATES_SENT("iwarp.terminates.sent", COUNTER, "Terminate messages sent", Tag.CODE),
    TERMINATES_RECEIVED("iwarp.terminates.received", COUNTER, "Terminate messages received", Tag.CODE),
    OPERATIONS(
            "iwarp.operations",
            COUNTER,
            "Operations executed: posted here and completed (outbound), or requested by peers (inbound)",
            Tag.OPERATION,
            Tag.DIRECTION),
    OPERATIONS_PAYLOAD(
            "iwarp.operations.payload",
            COUNTER,
            "bytes",
            "Payload bytes of the operations executed",
            Tag.OPERATION,
            Tag.DIRECTION),
    OPERATIONS_FLUSHED(
            "iwarp.operations.flushed",
            COUNTER,
            "Requests posted here that completed without success because their stream ended",
            Tag.OPERATION),
    OPERATIONS_LATENCY(
            "iwarp.operations.latency",
            TIMER,
            "seconds",
            "Time from post to completion of the requests that were timed",
            Tag.OPERATION),
    FPDUS_SENT(Counter.FPDUS_SENT),
    FPDUS_RECEIVED(Counter.FPDUS_RECEIVED),
    MARKERS_SENT(Counter.MARKERS_SENT),
    MARKERS_RECEIVED(Counter.MARKERS_RECEIVED),
    CRC_CHECKED(Counter.CRC_CHECKED),
    CRC_ERRORS(Counter.CRC_ERRORS),
    WIRE_SENT(Counter.BYTES_SENT),
    WIRE_RECEIVED(Counter.BYTES_RECEIVED),
    SEGMENTS_PLACED(Counter.SEGMENTS_PLACED),
    PAYLOAD_PLACED(Counter.BYTES_PLACED),
    MESSAGES_SENT(Counter.MESSAGES_SENT),
    MESSAGES_DELIVERED(Counter.MESSAGES_DELIVERED),
    READS_REQUESTED(Counter.READS_REQUESTED),
    READS_COMPLETED(Counter.READS_COMPLETED),
    PEER_READS_ACCEPTED(Counter.PEER_READS_ACCEPTED),
    PEER_READS_COMPLETED(Counter.PEER_READS_COMPLETED),
    READS_OUTSTANDING(
            "iwarp.reads.outstanding",
            GAUGE,
            "Reads and atomics of this side that wait for a response",
            IwarpMetrics::outstandingReads),
    PEER_READS_OUTSTANDING(
            "iwarp.peer.reads.outstanding",
            GAUGE,
            "Reads and atomics of peers that have not been responded to",
            IwarpMetrics::outstandingPeerReads),
    SEND_QUEUE_REQUESTS(
            "iwarp.send.queue.requests",
            GAUGE,
            "Posted requests that have not completed, without receives",
            IwarpMetrics::sendRequests),
    SEND_QUEUE_WAITING(
            "iwarp.send.queue.waiting",
            GAUGE,
            "Posted requests that have not started, without receives",
            IwarpMetrics::queuedSendRequests),
    SEND_QUEUE_DEPTH("iwarp.send.queue.depth", GAUGE, "Capacity of the send queues", IwarpMetrics::sendQueueDepth),
    SEND_QUEUE_PAYLOAD(
            "iwarp.send.queue.payload",
            GAUGE,
            "bytes",
            "Bytes of requests that an event loop has taken and that have not completed, without receives",
            IwarpMetrics::outstandingBytes),
    RECEIVE_QUEUE_REQUESTS(
            "iwarp.receive.queue.requests",
            GAUGE,
            "Posted receives without a polled completion; of managed and shared receives, those that messages hold",
            IwarpMetrics::receiveRequests),
    RECEIVE_QUEUE_DEPTH(
            "iwarp.receive.queue.depth", GAUGE, "Capacity of the receive queues", IwarpMetrics::receiveQueueDepth),
    POSTS_REFUSED("iwarp.posts.refused", COUNTER, "Posts refused", Tag.LIMIT),
    MEMORY_REGISTERED(
            "iwarp.memory.registered",
            GAUGE,
            "bytes",
            "Bytes of all registered regions of the device",
            metrics -> metrics.device().registeredBytes()),
    MEMORY_REGISTERED_LIMIT(
            "iwarp.memory.registered.limit",
            GAUGE,
            "bytes",
            "The device's maxRegisteredBytes",
            metrics -> metrics.device().maxRegisteredBytes()),
    MEMORY_REGIONS(
            "iwarp.memory.regions",
            GAUGE,
            "Open regions of the device",
            metrics -> metrics.device().regionCount()),
    MEMORY_REGIONS_LIMIT(
            "iwarp.memory.regions.limit",
            GAUGE,
            "The device's maxRegions",
            metrics -> metrics.device().maxRegions()),
    MEMORY_WINDOWS(
            "iwarp.memory.windows",
            GAUGE,
            "Bound windows of the device",
            metrics -> metrics.device().windowCount()),
    MEMORY_WINDOWS_LIMIT(
            "iwarp.memory.windows.limit",
            GAUGE,
            "The device's maxWindows",
            metrics -> metrics.device().maxWindows()),
    MEMORY_INPUT(
            "iwarp.memory.input",
            GAUGE,
            "bytes",
            "Buffer bytes of FPDUs that have arrived in part, and of input that waits for a receive",
            metrics -> metrics.device().partialFpduBytes()),
    MEMORY_INPUT_LIMIT(
            "iwarp.memory.input.limit",
            GAUGE,
            "bytes",
            "The device's maxPartialFpduBytes",
            metrics -> metrics.device().maxPartialFpduBytes()),
    MEMORY_MANAGED(
            "iwarp.memory.managed",
            GAUGE,
            "bytes",
            "Buffer bytes of messages of managed receives that are not delivered",
            metrics -> metrics.device().managedReceiveBytes()),
    MEMORY_MANAGED_LIMIT(
            "iwarp.memory.managed.limit",
            GAUGE,
            "bytes",
            "The device's maxManagedReceiveBytes",
            metrics -> metrics.device().maxManagedReceiveBytes()),
    MEMORY_SENDING(
            "iwarp.memory.sending",
            GAUGE,
            "bytes",
            "Bytes reserved for copies and headers to send, in pieces of 128 KiB",
            metrics -> metrics.device().sendingBytes()),
    MEMORY_SENDING_LIMIT(
            "iwarp.memory.sending.limit",
            GAUGE,
            "bytes",
            "The device's maxSendingBytes",
            metrics -> metrics.device().maxSendingBytes()),
    MEMORY_REFUSED("iwarp.memory.refused", COUNTER, "Regions and windows refused", Tag.LIMIT),
    DOMAIN_REGISTERED("iwarp.domain.registered", GAUGE, "bytes", "Bytes of all registered regions of the domain"),
    DOMAIN_REGISTERED_LIMIT("iwarp.domain.registered.limit", GAUGE, "bytes", "The domain's maxRegisteredBytes"),
    DOMAIN_REGIONS("iwarp.domain.regions", GAUGE, "Open regions of the domain"),
    DOMAIN_REGIONS_LIMIT("iwarp.domain.regions.limit", GAUGE, "The domain's maxRegions"),
    DOMAIN_REFUSED("iwarp.domain.refused", COUNTER, "Regions refused", Tag.LIMIT),
    STAGS_RETIRED(
            "iwarp.stags.retired",
            COUNTER,
            "STags that were retired",
            metrics -> metrics.device().retiredSTags()),
    STAGS_QUARANTINED(
            "iwarp.stags.quarantined",
            GAUGE,
            "Retired STags that must not be used again yet",
            metrics -> metrics.device().quarantinedSTags());

    /** The tags. Each has few values, which are known in advance. */
    enum Tag {
        ROLE,
        STATE,
        OUTCOME,
        REASON,
        CAUSE,
        CODE,
        OPERATION,
        DIRECTION,
        LIMIT;

        final String key = name().toLowerCase(Locale.ROOT);
    }

    final String meterName;
    final Meter.Type type;
    /** Null for counts of objects, which the plural name describes, as in Micrometer's own binders. */
    final @Nullable String baseUnit;

    final String description;
    /** Null for meters with tags, meters of a domain, and timers. */
    final @Nullable ToDoubleFunction<IwarpMetrics> value;

    final List<Tag> tags;

    MeterDefinition(String meterName, Meter.Type type, String description, Tag... tags) {
        this(meterName, type, null, description, null, tags);
    }

    MeterDefinition(String meterName, Meter.Type type, String baseUnit, String description, Tag... tags) {
        this(meterName, type, baseUnit, description, null, tags);
    }

    MeterDefinition(String meterName, Meter.Type type, String description, ToDoubleFunction<IwarpMetrics> value) {
        this(meterName, type, null, description, value);
    }

    MeterDefinition(Counter counter) {
        this(
                counter.meterName(),
                COUNTER,
                counter.unit().equals(BaseUnits.BYTES) ? BaseUnits.BYTES : null,
                counter.description(),
                metrics -> metrics.counter(counter));
    }

    MeterDefinition(
            String meterName,
            Meter.Type type,
            @Nullable String baseUnit,
            String description,
            @Nullable ToDoubleFunction<IwarpMetrics> value,
            Tag... tags) {
        this.meterName = meterName;
        this.type = type;
        this.baseUnit = baseUnit;
        this.description = description;
        this.value = value;
        this.tags = List.of(tags);
    }

    /** Returns the tags with these values, in the same order. The value of a constant is its name in lower case. */
    Tags tagged(Object... values) {
        Tags all = Tags.empty();
        for (int i = 0; i < values.length; i++) {
            Object value = values[i];
            String text = value instanceof Enum<?> constant ? constant.name().toLowerCase(Locale.ROOT) : (String) value;
            all = all.and(tags.get(i).key, text);
        }
        return all;
    }
}
