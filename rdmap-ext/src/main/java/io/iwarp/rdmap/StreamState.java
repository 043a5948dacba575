package io.iwarp.rdmap;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionState;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The state of one RDMAP stream. {@link RdmapHandler} changes it, and the queue pair reads it. MPA and DDP keep only
 * the state of their own input and output.
 *
 * <pre>
 *              FPDUs agreed      may send          close            all sent         both halves closed, deadline
 *   SETTING_UP ──────► ESTABLISHED ───► OPEN ──────────► CLOSING ──────► HALF_CLOSED ──────────────────► ENDED
 *        │                 │             │                  │                │                            ▲
 *        └─────────────────┴─────────────┴── fault ─────────┴► TERMINATING ──┴── Terminate sent, lost ────┘
 * </pre>
 *
 * <p>Threads: the event loop of the stream changes the phase and the cause. Any thread may {@linkplain #requestClose
 * request the close} and read. The cause is written before the phase that needs it, and both are volatile, so a thread
 * that sees the phase sees its cause.
 */
public final class StreamState {
    enum Phase {
        /** MPA start-up is in progress. */
        SETTING_UP,
        /** The start-up is complete. A responder may not send before the first FPDU has arrived. */
        ESTABLISHED,
        /** Requests are accepted. */
        OPEN,
        /** An orderly close was requested. Requests that were posted before it are still sent and responded to. */
        CLOSING,
        /** FIN was sent after the last request. The stream waits for the peer's FIN. */
        HALF_CLOSED,
        /** This side's Terminate is being sent. */
        TERMINATING,
        /** The end was reported to the layer above. The connection may still be draining. */
        ENDED
    }

    private volatile Phase phase = Phase.SETTING_UP;
    private volatile @Nullable CloseReason cause;
    private final AtomicReference<@Nullable CloseReason> closeRequest = new AtomicReference<>();

    /** The state of a stream that has not begun. */
    public StreamState() {}

    /**
     * Any thread: requests the orderly close. Later requests are refused with this reason. The first reason is kept.
     * {@link RdmapHandler#close(CloseReason)} performs the close.
     */
    public void requestClose(CloseReason reason) {
        closeRequest.compareAndSet(null, reason);
    }

    /** Returns the reason of the stream's end, or null before the end. */
    public @Nullable CloseReason closeReason() {
        return phase == Phase.ENDED ? cause : null;
    }

    /**
     * Returns why requests are refused: the first cause of the end, or the requested close; null if they are accepted.
     */
    public @Nullable CloseReason refusalReason() {
        CloseReason first = cause;
        return first == null ? closeRequest.get() : first;
    }

    /**
     * Returns the state that the application sees.
     *
     * @param channelOpen whether the TCP connection is open
     */
    public ConnectionState connectionState(boolean channelOpen) {
        Phase now = phase;
        if (now == Phase.ENDED) {
            return channelOpen ? ConnectionState.ERROR : ConnectionState.CLOSED;
        }
        if (refusalReason() != null) {
            return ConnectionState.DRAINING;
        }
        return switch (now) {
            case SETTING_UP -> ConnectionState.INIT;
            case ESTABLISHED -> ConnectionState.ESTABLISHED;
            default -> ConnectionState.READY;
        };
    }

    boolean is(Phase expected) {
        return phase == expected;
    }

    /** Returns whether the stream has not reached a phase. */
    boolean isBefore(Phase later) {
        return phase.compareTo(later) < 0;
    }

    /** Returns whether requests may start, including those posted before a close. */
    boolean mayStartRequests() {
        Phase now = phase;
        return now == Phase.OPEN || now == Phase.CLOSING;
    }

    /** Returns the first cause of the end; null if there is none yet. */
    @Nullable
    CloseReason cause() {
        return cause;
    }

    /** Records the cause if it is the first. Returns the first cause. */
    CloseReason setCause(CloseReason reason) {
        CloseReason first = cause;
        if (first == null) {
            first = reason;
            cause = reason;
        }
        return first;
    }

    /** Enters a later phase. */
    void enter(Phase next) {
        if (next.compareTo(phase) <= 0) {
            throw new IllegalStateException("a stream that is " + phase + " cannot become " + next);
        }
        phase = next;
    }
}
