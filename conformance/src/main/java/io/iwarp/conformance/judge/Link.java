package io.iwarp.conformance.judge;

import java.io.IOException;
import java.net.Socket;
import java.time.Duration;

/** The way to the peer. */
public interface Link extends AutoCloseable {
    /**
     * Returns a new connection with the peer.
     *
     * @param size of the buffer that the peer's client should have
     * @param receiveBuffer bytes that TCP keeps here unread, set before the connection is made, or 0 for the default
     * @throws IOException if there is none in time; the message is one line for the user
     */
    Socket connect(int size, int receiveBuffer, Duration patience) throws IOException;

    /** Ends what was started for the last connection. */
    default void release() {}

    /** Returns whether the program that was started for the last connection ends in some time, if there is one. */
    default boolean ends(Duration patience) {
        return true;
    }

    /** Returns what the peer's program printed for the last connection, or nothing. */
    default String output() {
        return "";
    }

    @Override
    void close();
}
