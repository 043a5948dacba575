package io.iwarp.rdmap;

import io.iwarp.ddp.DdpMessage;

/** The connection of an {@link RdmapStream}. All calls are made on the event loop. */
interface RdmapLink {
    /** Hands a message to DDP. The next {@link #flush} sends it. */
    void write(DdpMessage message);

    /** Sends everything written so far. */
    void flush();

    /** Sends FIN after everything written so far. Input may still arrive. */
    void closeOutput();

    /** Closes the connection. {@link RdmapStream#onDisconnected} follows. */
    void close();

    /** Calls {@link RdmapStream#onResponseDeadline} once, after the response timeout. */
    void armResponseDeadline();

    /** Calls {@link RdmapStream#onDeadline} after the close timeout. A further call restarts the timeout. */
    void armDeadline();
}
