package io.iwarp.metrics;

import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.Role;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Counts rare events of all connections together. Any thread may call any method. */
final class EventTotals {
    private final LongAdder[] setups = adders(Role.values().length * SetupOutcome.values().length);
    private final LongAdder[] setupFailures = adders(Role.values().length * SetupFailure.values().length);
    /** One for each error, and the last for errors that no RFC assigns. */
    private final LongAdder[] terminatesSent = adders(ProtocolError.values().length + 1);

    private final LongAdder[] terminatesReceived = adders(ProtocolError.values().length + 1);
    private final LongAdder[] ended = adders(EndedBy.values().length);
    private final LongAdder[] refusals = adders(QueueLimit.values().length);

    private static LongAdder[] adders(int count) {
        LongAdder[] adders = new LongAdder[count];
        for (int i = 0; i < count; i++) {
            adders[i] = new LongAdder();
        }
        return adders;
    }

    @SuppressWarnings("EnumOrdinal") // The index is used in memory only and never stored or sent.
    private static int slot(Enum<?> value) {
        return value.ordinal();
    }

    private static int setupSlot(Role role, SetupOutcome outcome) {
        return slot(role) * SetupOutcome.values().length + outcome.slot();
    }

    private static int failureSlot(Role role, SetupFailure failure) {
        return slot(role) * SetupFailure.values().length + failure.slot();
    }

    private static int errorSlot(@Nullable ProtocolError error) {
        return error == null ? ProtocolError.values().length : slot(error);
    }

    void countSetup(Role role, SetupOutcome outcome) {
        setups[setupSlot(role, outcome)].increment();
    }

    void countSetupFailure(Role role, SetupFailure failure) {
        setupFailures[failureSlot(role, failure)].increment();
    }

    void countTerminate(boolean sent, @Nullable ProtocolError error) {
        (sent ? terminatesSent : terminatesReceived)[errorSlot(error)].increment();
    }

    void countRefusal(QueueLimit limit) {
        refusals[limit.slot()].increment();
    }

    void countEnd(EndedBy endedBy) {
        ended[slot(endedBy)].increment();
    }

    long setups(Role role, SetupOutcome outcome) {
        return setups[setupSlot(role, outcome)].sum();
    }

    long setupFailures(Role role, SetupFailure failure) {
        return setupFailures[failureSlot(role, failure)].sum();
    }

    long terminates(boolean sent, @Nullable ProtocolError error) {
        return (sent ? terminatesSent : terminatesReceived)[errorSlot(error)].sum();
    }

    long refusals(QueueLimit limit) {
        return refusals[limit.slot()].sum();
    }

    long ended(EndedBy endedBy) {
        return ended[slot(endedBy)].sum();
    }
}
