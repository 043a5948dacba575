package io.iwarp.mpa;

import io.netty.channel.ChannelConfig;

/** Whether the input of {@link MpaFramingHandler} stands still because a ULPDU was held back. */
final class ReadPause {
    private boolean holding;
    private boolean autoReadTurnedOff;
    private boolean peerClosedHalf;

    /** Returns whether a ULPDU is being held back. */
    boolean holding() {
        return holding;
    }

    /** A ULPDU was held back: stops reading from the transport. */
    void begin(ChannelConfig config) {
        holding = true;
        if (config.isAutoRead()) {
            autoReadTurnedOff = true;
            config.setAutoRead(false);
        }
    }

    /** The ULPDU is passed again; the transport still stands still. */
    void release() {
        holding = false;
    }

    /** Reads from the transport again as before. */
    void end(ChannelConfig config) {
        holding = false;
        if (autoReadTurnedOff) {
            autoReadTurnedOff = false;
            config.setAutoRead(true);
        }
    }

    /** The peer closed its direction behind bytes that wait. */
    void notePeerClosedHalf() {
        peerClosedHalf = true;
    }

    /** Tells, once, whether the peer closed its direction while bytes waited. */
    boolean takePeerClosedHalf() {
        boolean was = peerClosedHalf;
        peerClosedHalf = false;
        return was;
    }
}
