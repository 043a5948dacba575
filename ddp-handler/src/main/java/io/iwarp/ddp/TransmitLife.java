package io.iwarp.ddp;

/** Which messages a stream still takes for sending, and how its sending ended. */
final class TransmitLife {
    private enum Phase {
        /** Takes messages. */
        OPEN,
        /** Sending failed: takes final words only. */
        FAILED,
        /** Takes nothing more; what it has still goes out. */
        CLOSING,
        /** The channel is gone, or on its way out. */
        ENDED
    }

    private Phase phase = Phase.OPEN;
    private boolean lost;
    private boolean finalWordsWritten;

    boolean takes(DdpMessage message) {
        return phase == Phase.OPEN || (phase == Phase.FAILED && message.finalWords());
    }

    /** The final words were written. */
    void finalWords() {
        phase = Phase.CLOSING;
        finalWordsWritten = true;
    }

    boolean finalWordsWritten() {
        return finalWordsWritten;
    }

    /** Takes no more messages. */
    void closing() {
        if (phase != Phase.ENDED) {
            phase = Phase.CLOSING;
        }
    }

    /** A message could not be sent, or not wholly: takes final words only. */
    void fail() {
        if (phase == Phase.OPEN) {
            phase = Phase.FAILED;
        }
    }

    /** The transport did not take a burst. Whether it takes later ones does not matter any more. */
    void lose() {
        lost = true;
        fail();
    }

    boolean lost() {
        return lost;
    }

    /** The channel is gone, or the ULP closes it. */
    void end() {
        phase = Phase.ENDED;
    }

    boolean ended() {
        return phase == Phase.ENDED;
    }
}
