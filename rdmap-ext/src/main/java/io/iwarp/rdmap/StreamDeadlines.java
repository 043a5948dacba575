package io.iwarp.rdmap;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.internal.SendReservation;
import io.iwarp.internal.memory.StreamAssociation;
import io.iwarp.internal.mpa.WirePosition;
import io.iwarp.rdmap.StreamState.Phase;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.Objects;

/**
 * The deadlines of a stream: which wait each bounds, what counts as progress of that wait, and what happens when it
 * expires. Confined to the event loop.
 */
final class StreamDeadlines {
    /** The stream that has the deadlines. */
    interface Stream {
        /** Returns the event loop; the stream is in a pipeline. */
        EventExecutor executor();

        /** Returns the number of messages that DDP has and has not reported as sent, without a Terminate. */
        int pendingMessageCount();

        /** Returns the number of messages that were written and not flushed. */
        int unflushedCount();

        /** Flushes them. */
        void flush();

        /** Ends the stream with a Terminate if it can still send one. */
        void terminate(CloseReason reason, ProtocolError error);

        /** Ends the stream and closes the connection immediately. */
        void abort(CloseReason reason);

        /** Closes the connection of a stream that has its close reason. */
        void closeChannel();
    }

    /**
     * The minimum rate at which a peer must read, in bytes per second, while the send budget of the device is
     * exhausted.
     */
    private static final long MIN_RATE = 4 * 1024;

    /** About the time of a batch at 2.5 GB/s. Over long distances it is short beside a round trip. */
    private static final Duration MAX_BATCH_TIME = Duration.ofNanos(200_000);

    /** Bounds the time in which the transport takes no bytes although messages are pending. */
    final Deadline transmit;
    /** Bounds the time without response data while Reads or atomics are outstanding. */
    final Deadline response;
    /** Bounds an orderly close, the sending of a Terminate, and the wait for the peer's FIN. */
    final Deadline close;
    /** Bounds how long Read Requests may wait for more of them. */
    final Deadline batch;

    private final RdmapSettings timeouts;
    private final StreamState state;
    private final WirePosition position;
    private final StreamAssociation association;
    private final Requester requester;
    private final Responder responder;
    private final RequestQueue requests;
    private final Stream stream;

    StreamDeadlines(
            RdmapSettings timeouts,
            StreamState state,
            WirePosition position,
            StreamAssociation association,
            Requester requester,
            Responder responder,
            RequestQueue requests,
            Stream stream) {
        this.timeouts = timeouts;
        this.state = state;
        this.position = position;
        this.association = association;
        this.requester = requester;
        this.responder = responder;
        this.requests = requests;
        this.stream = stream;
        this.transmit = deadline(timeouts.transmitTimeout(), new TransmitWait());
        this.response = deadline(timeouts.responseTimeout(), new ResponseWait());
        this.close = deadline(timeouts.closeTimeout(), new CloseWait());
        this.batch = deadline(MAX_BATCH_TIME, new BatchWait());
    }

    private Deadline deadline(Duration timeout, Deadline.Wait wait) {
        return new Deadline(timeout, stream::executor, this::progress, wait);
    }

    private Progress progress() {
        return new Progress(
                position.written(),
                position.taken(),
                position.received(),
                requester.responseBytes(),
                requests.waitingCount());
    }

    /** Returns whether requests of this side are being sent or wait for a response. */
    private boolean hasPendingRequests() {
        return pendingRequestMessageCount() > 0 || requester.outstandingCount() > 0;
    }

    private int pendingRequestMessageCount() {
        return stream.pendingMessageCount() - responder.pendingMessageCount();
    }

    /** Describes the pending messages or responses. */
    private String describePending() {
        int messages = pendingRequestMessageCount();
        if (messages > 0) {
            return messages == 1 ? "1 message pending" : messages + " messages pending";
        }
        return requester.outstandingCount() > 0
                ? requester.describeOutstanding() + " without a response"
                : "responses to the peer's Reads or atomics pending";
    }

    private static CloseReason timeout(String detail) {
        return CloseReason.of(EndedBy.TIMEOUT, detail);
    }

    /** Waits for the transport to take the pending messages. */
    private final class TransmitWait implements Deadline.Wait {
        /** The number of bytes taken between the last two checks. */
        private long takenBytes;

        @Override
        public boolean isPending() {
            return stream.pendingMessageCount() > 0;
        }

        /**
         * The rate does not apply if the peer has taken all that was written at that moment: the rest may have been
         * written later.
         */
        @Override
        public boolean hasProgressedSince(Progress moment) {
            long taken = position.taken();
            takenBytes = taken - moment.takenBytes();
            return takenBytes > 0 && (taken >= moment.writtenBytes() || takenBytes >= requiredBytes());
        }

        /**
         * While the send budget of the device is exhausted, a stream that holds part of it must reach
         * {@link #MIN_RATE}.
         */
        private long requiredBytes() {
            SendReservation share = association.sendReservation();
            boolean mustHurry = share.reservedBytes() > 0 && share.isDeviceExhausted();
            return mustHurry ? MIN_RATE * timeouts.transmitTimeout().toMillis() / 1000 : 0;
        }

        /** Closes the connection, since a Terminate could not be sent either. */
        @Override
        public void onExpired() {
            stream.abort(timeout(
                    takenBytes == 0
                            ? "transmit timeout: no progress for " + timeouts.transmitTimeout() + " ("
                                    + describePending() + ")"
                            : "transmit timeout: the peer took " + takenBytes + " bytes within "
                                    + timeouts.transmitTimeout()
                                    + " while IwarpDevice.maxSendingBytes is in use (limit: "
                                    + association.sendReservation().limit() + ", expected: " + MIN_RATE
                                    + " bytes per second)"));
        }
    }

    /**
     * Waits for the responses to Reads and atomics that the transport has taken. Only response data counts as progress.
     * Before the transport has taken them, the transmit timeout bounds the wait.
     */
    private final class ResponseWait implements Deadline.Wait {
        @Override
        public boolean isPending() {
            return requester.isAwaitingResponse();
        }

        @Override
        public boolean hasProgressedSince(Progress moment) {
            return progress().responseBytes() > moment.responseBytes();
        }

        @Override
        public void onExpired() {
            stream.terminate(
                    timeout("the peer sent no response data for " + timeouts.responseTimeout() + " while "
                            + requester.describeOutstanding() + " waited for a response"),
                    ProtocolError.RDMAP_LOCAL_CATASTROPHIC);
        }
    }

    /**
     * Waits for the end of the stream. An orderly close makes progress while bytes are taken or responses arrive. Other
     * received bytes count while responses are outstanding, since the responses may follow them and have their own
     * deadline. While all remaining requests wait for a slot, only a request that gets one counts as progress.
     * Otherwise a peer could delay the close as long as it sends or reads.
     */
    private final class CloseWait implements Deadline.Wait {
        @Override
        public boolean isPending() {
            return true;
        }

        @Override
        public boolean hasProgressedSince(Progress moment) {
            if (!state.is(Phase.CLOSING)) {
                return false;
            }
            Progress now = progress();
            if (now.waitingCount() > 0 && !hasPendingRequests()) {
                return now.waitingCount() < moment.waitingCount();
            }
            return now.takenBytes() > moment.takenBytes()
                    || now.responseBytes() > moment.responseBytes()
                    || (now.receivedBytes() > moment.receivedBytes() && requester.outstandingCount() > 0);
        }

        @Override
        public void onExpired() {
            if (!state.is(Phase.CLOSING)) {
                stream.closeChannel();
                return;
            }
            CloseReason requested = Objects.requireNonNull(state.refusalReason(), "no close was requested");
            String close = requested.endedBy() == EndedBy.LOCAL_APPLICATION
                    ? "the close"
                    : requested.detail() + "; the close that followed";
            stream.abort(timeout(close + " made no progress within the close timeout of " + timeouts.closeTimeout()
                    + " (" + describeUnfinished() + ")"));
        }

        private String describeUnfinished() {
            int waiting = requests.waitingCount();
            return hasPendingRequests() || waiting == 0
                    ? describePending()
                    : waiting + (waiting == 1 ? " request not started" : " requests not started");
        }
    }

    /** Waits for more Read Requests for the batch. */
    private final class BatchWait implements Deadline.Wait {
        @Override
        public boolean isPending() {
            return stream.unflushedCount() > 0;
        }

        @Override
        public boolean hasProgressedSince(Progress moment) {
            return progress().takenBytes() > moment.takenBytes();
        }

        @Override
        public void onExpired() {
            stream.flush();
        }
    }
}
