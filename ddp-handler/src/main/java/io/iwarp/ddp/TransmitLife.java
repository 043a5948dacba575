package io.iwarp.ddp;

/** Which messages a stream still takes for sending, and how its sending ended. */
final class TransmitLife {
    private enum Phase {
        /** Takes messages. */
        OPEN,
        /** Sending failed: takes only the terminal message. */
        FAILED,
        /** Takes nothing more, and sends what it has. */
        CLOSING,
        /** The channel is closed, or closing. */
        ENDED
    }

    private Phase phase = Phase.OPEN;
    private boolean lost;
    private boolean terminalWritten;

    boolean takes(DdpMessage message) {
        return phase == Phase.OPEN || (phase == Phase.FAILED && message.terminal());
    }

    /** The terminal message was written. */
    void terminal() {
        phase = Phase.CLOSING;
        terminalWritten = true;
    }

    boolean terminalWritten() {
        return terminalWritten;
    }

    /** Takes no more messages. */
    void closing() {
        if (phase != Phase.ENDED) {
            phase = Phase.CLOSING;
        }
    }

    /** A message could not be sent, or not wholly: takes only the terminal message. */
    void fail() {
        if (phase == Phase.OPEN) {
            phase = Phase.FAILED;
        }
    }

    /** The transport refused a burst. Later refusals are ignored. */
    void lose() {
        lost = true;
        fail();
    }

    boolean lost() {
        return lost;
    }

    /** The channel is closed, or the ULP closes it. */
    void end() {
        phase = Phase.ENDED;
    }

    boolean ended() {
        return phase == Phase.ENDED;
    }
}
