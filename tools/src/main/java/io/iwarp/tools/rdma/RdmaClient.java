package io.iwarp.tools.rdma;

import io.iwarp.tools.cli.ClientOptions;
import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.Conversation;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.PeerAddress;
import io.iwarp.tools.cli.SetupOptions;
import io.netty.buffer.Unpooled;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** rdma-core's rdma_client: one message there, one back. */
@Command(
        name = "rdma-client",
        description = "Sends one message of 16 bytes and receives one, compatible with rdma-core's rdma_client.",
        footer = {"%nExample:", "  iwarp rdma-client 127.0.0.1:7471"})
public final class RdmaClient implements Callable<Integer> {
    /** The length of the message in bytes. */
    static final int MESSAGE_BYTES = 16;

    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "HOST:PORT",
            arity = "0..1",
            defaultValue = "127.0.0.1:7471",
            converter = PeerAddress.Converter.class,
            description = "Where rdma_server, or 'iwarp rdma-server', listens.")
    private PeerAddress server;

    @Mixin
    private ClientOptions connection;

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        out.println("rdma_client: start");
        Conversation conversation = new Conversation();
        try (Endpoint endpoint = connection.openClient()) {
            endpoint.connect(
                    server.resolve(),
                    SetupOptions.forSiw(connection.settings()).build(),
                    new byte[0],
                    conversation::attach);
            conversation.send(Unpooled.buffer(MESSAGE_BYTES).writeZero(MESSAGE_BYTES));
            int received = conversation.receive().readableBytes();
            if (received != MESSAGE_BYTES) {
                throw new CommandFailedException("a message of " + received + " bytes came back, not of "
                        + MESSAGE_BYTES + ": the other side is not an rdma_server");
            }
            conversation.close();
        }
        out.println("rdma_client: end 0");
        return 0;
    }
}
