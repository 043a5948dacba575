package io.iwarp.tools;

import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.EventLoops;
import io.iwarp.tools.cli.Transport;
import io.iwarp.tools.cli.TransportHandlers;

/** Endpoints of tests: on two event loops of the JDK's transport. */
public final class PlainEndpoint {
    public static final EventLoops LOOPS = new EventLoops(Transport.NIO, 2, false);

    private PlainEndpoint() {}

    /** Opens an endpoint with nothing between the socket and MPA. */
    public static Endpoint open() {
        return new Endpoint(LOOPS, TransportHandlers.NONE, () -> {});
    }
}
