package io.iwarp.tools.echo;

import io.iwarp.tools.cli.Application;
import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.ClientLimits;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.OptionCheck;
import io.iwarp.tools.cli.ServerCommand;
import io.iwarp.tools.cli.Service;
import io.iwarp.tools.cli.Shutdown;
import io.iwarp.verbs.ConnectionRequest;
import io.netty.buffer.Unpooled;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Sends every message back to its sender. */
@Command(
        name = "echo-server",
        description = "Returns every message to its sender. It serves any number of clients until Ctrl-C.",
        footer = {"%nExample:", "  iwarp echo-server --port 7471"})
public final class EchoServer extends ServerCommand {
    static final Application PROTOCOL =
            new Application("iwarp echo 1", "an echo-server, to be used by 'iwarp echo-client'");

    private static final long MAX_SIZE = 1L << 26;

    @Option(
            names = "--max-size",
            paramLabel = "SIZE",
            defaultValue = "64K",
            converter = Bytes.Converter.class,
            description = "The longest accepted message, 1 byte to 64 MiB. Each client costs " + EchoSession.DEPTH
                    + " times that much memory.")
    private long maximumSize;

    @Override
    protected Service begin(Endpoint endpoint, Shutdown shutdown) {
        OptionCheck.sizeWithin("--max-size", maximumSize, 1, MAX_SIZE);
        ClientLimits limits = limits().limits();
        return request -> onConnectionRequest(request, limits);
    }

    /** The reply continues with the length of the longest message, 4 bytes. */
    private void onConnectionRequest(ConnectionRequest request, ClientLimits limits) {
        if (PROTOCOL.rejectsOther(request) || !limits.admits(request, EchoSession.DEPTH * maximumSize)) {
            return;
        }
        new EchoSession(request.queuePair(), (int) maximumSize, out()).begin();
        request.accept(PROTOCOL.followedBy(Unpooled.buffer(Integer.BYTES).writeInt((int) maximumSize)));
    }
}
