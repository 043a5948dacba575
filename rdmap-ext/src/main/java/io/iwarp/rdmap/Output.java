package io.iwarp.rdmap;

import io.iwarp.ddp.DdpMessage;

/** What a stream sends: messages are written, and leave with the next flush. Bounds how long the peer may take nothing. */
final class Output {
    private final RdmapLink link;
    private final Deadline transmit;
    private boolean unflushed;

    /** @param transmit runs from the first message on */
    Output(RdmapLink link, Deadline transmit) {
        this.link = link;
        this.transmit = transmit;
    }

    void write(DdpMessage message) {
        unflushed = true;
        link.write(message);
        transmit.arm();
    }

    /** Sends what was written, if anything. */
    void flush() {
        if (unflushed) {
            unflushed = false;
            link.flush();
        }
    }
}
