package io.iwarp.tools.echo;

import io.iwarp.tools.cli.Application;
import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.ConnectionOptions;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.ListenOptions;
import io.iwarp.tools.cli.Shutdown;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.IwarpListener;
import io.netty.buffer.Unpooled;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Sends every message back to its sender. */
@Command(
        name = "echo-server",
        description = "Returns every message to its sender. It serves any number of clients until Ctrl-C.",
        footer = {"%nExample:", "  iwarp echo-server --port 7471"})
public final class EchoServer implements Callable<Integer> {
    private static final long GREATEST_SIZE = 1L << 26;

    @Spec
    private CommandSpec spec;

    @Mixin
    private ListenOptions listen;

    @Option(
            names = "--max-size",
            paramLabel = "SIZE",
            defaultValue = "64K",
            converter = Bytes.Converter.class,
            description = "The longest accepted message, 1 byte to 64 MiB. Each client costs " + EchoSession.DEPTH
                    + " times that much memory.")
    private long maximumSize;

    @Mixin
    private ConnectionOptions connection;

    @Override
    public Integer call() throws Exception {
        if (maximumSize < 1 || maximumSize > GREATEST_SIZE) {
            throw new ParameterException(
                    spec.commandLine(), "--max-size " + Bytes.size(maximumSize) + " is outside 1 byte to 64 MiB");
        }
        PrintWriter out = spec.commandLine().getOut();
        try (Shutdown shutdown = Shutdown.install();
                Endpoint endpoint = connection.openServer();
                IwarpListener listener =
                        endpoint.listen(listen.address(), connection.settings().build(), this::onConnectionRequest)) {
            out.println(ListenOptions.listening(listener));
            shutdown.await();
        }
        return 0;
    }

    private void onConnectionRequest(ConnectionRequest request) {
        if (!Application.ECHO.isRequestedBy(request.privateData())) {
            request.reject(Application.ECHO.rejection());
            return;
        }
        new EchoSession(
                        request.queuePair(),
                        (int) maximumSize,
                        spec.commandLine().getOut())
                .begin();
        request.accept(Application.ECHO.reply(Unpooled.buffer(Integer.BYTES).writeInt((int) maximumSize)));
    }
}
