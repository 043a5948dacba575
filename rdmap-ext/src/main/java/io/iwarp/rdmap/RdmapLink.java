package io.iwarp.rdmap;

import io.iwarp.ddp.DdpMessage;
import java.util.concurrent.ScheduledFuture;

/** The connection of an {@link RdmapStream}. All calls are made on the event loop. */
interface RdmapLink {
    /** Hands a message to DDP. The next {@link #flush} sends it. */
    void write(DdpMessage message);

    /** Sends everything written so far, if there is anything. */
    void flush();

    /** Sends FIN after everything written so far. Input may still arrive. */
    void closeOutput();

    /** Closes the connection. {@link RdmapStream#onDisconnected} follows. */
    void close();

    /** Runs a task on the event loop after a time in nanoseconds. */
    ScheduledFuture<?> schedule(Runnable task, long nanos);

    /** Returns how many bytes were given to the transport and are not taken by it. */
    long untakenBytes();
}
