package io.iwarp.rdmap;

import io.iwarp.ddp.DdpMessage;

/** What an {@link RdmapStream} can make its connection do. Calls come on the event loop. */
interface RdmapLink {
    /** Hands a message to DDP; it leaves with the next {@link #flush}. */
    void write(DdpMessage message);

    /** Lets everything written so far go out. */
    void flush();

    /** Sends FIN after everything written so far; bytes may still arrive. */
    void closeOutput();

    /** Closes the connection; ends in {@link RdmapStream#onDisconnected}. */
    void close();

    /** Calls {@link RdmapStream#onResponseDeadline} once, after the response timeout. */
    void armResponseDeadline();

    /** Calls {@link RdmapStream#onDeadline} after the close timeout, unless armed again before that. */
    void armDeadline();
}
