package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.Counter;
import io.iwarp.Counters;
import io.iwarp.ProtocolError;
import io.iwarp.Role;
import io.netty.channel.Channel;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reports one connection to JDK Flight Recorder. The event loop calls all methods except {@link #posted}, which any
 * thread may call. Disabled events have no cost per request.
 */
final class FlightEvents {
    private final Channel channel;
    private final Role role;
    private final Counters counters;
    private final ConnectionEvent connection = new ConnectionEvent();

    FlightEvents(Channel channel, Role role, Counters counters) {
        this.channel = channel;
        this.role = role;
        this.counters = counters;
        connection.begin();
    }

    /** Returns whether {@link #posted} and {@link #completed} must be called. */
    boolean ofOperations() {
        return new LongOperationEvent().isEnabled();
    }

    void established() {
        connection.established = true;
        if (connection.isEnabled()) {
            // Store the addresses now; the channel may not know them later.
            nameAddresses();
        }
    }

    private void nameAddresses() {
        connection.localAddress = Objects.toString(channel.localAddress(), null);
        connection.remoteAddress = Objects.toString(channel.remoteAddress(), null);
    }

    void terminate(boolean sent, @Nullable ProtocolError error) {
        TerminateEvent event = new TerminateEvent();
        if (event.shouldCommit()) {
            event.channel = channel.id().asShortText();
            event.sent = sent;
            event.error = error == null ? "not assigned by any RFC" : error.toString();
            event.commit();
        }
    }

    void ended(CloseReason reason) {
        connection.end();
        if (connection.shouldCommit()) {
            if (connection.localAddress == null) {
                nameAddresses();
            }
            connection.channel = channel.id().asShortText();
            connection.role = role.name();
            connection.endedBy = reason.endedBy().name();
            connection.reason = reason.toString();
            connection.bytesSent = counters.get(Counter.ULPDU_BYTES_SENT);
            connection.bytesReceived = counters.get(Counter.ULPDU_BYTES_RECEIVED);
            connection.commit();
        }
    }

    void posted(WorkRequest request) {
        LongOperationEvent event = new LongOperationEvent();
        event.begin();
        request.event(event);
    }

    void completed(WorkRequest request, boolean successful) {
        LongOperationEvent event = request.event();
        if (event == null) {
            return;
        }
        request.event(null);
        event.end();
        if (event.shouldCommit()) {
            event.channel = channel.id().asShortText();
            event.operation = request.operation().name();
            event.bytes = request.bytes();
            event.successful = successful;
            event.commit();
        }
    }
}
