package io.iwarp.mpa;

import io.netty.channel.ChannelConfig;

/** Stops and resumes the input of {@link MpaFramingHandler} when a ULPDU is held back. */
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

    /** The ULPDU is passed again. The transport is not read yet. */
    void release() {
        holding = false;
    }

    /** Resumes reading from the transport. */
    void end(ChannelConfig config) {
        holding = false;
        if (autoReadTurnedOff) {
            autoReadTurnedOff = false;
            config.setAutoRead(true);
        }
    }

    /** The peer closed its direction, and bytes before that still wait. */
    void notePeerClosedHalf() {
        peerClosedHalf = true;
    }

    /** Returns, once, whether the peer closed its direction while bytes waited. */
    boolean takePeerClosedHalf() {
        boolean was = peerClosedHalf;
        peerClosedHalf = false;
        return was;
    }
}
