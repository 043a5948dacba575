package io.iwarp.tools.rdma;

import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.ConnectionOptions;
import io.iwarp.tools.cli.Conversation;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.ListenOptions;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.IwarpListener;
import io.netty.buffer.Unpooled;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** rdma-core's rdma_server: one message comes, one goes back. */
@Command(
        name = "rdma-server",
        description = "Receives one message of 16 bytes and returns one, compatible with rdma-core's rdma_server.",
        footer = {"%nExample:", "  iwarp rdma-server --port 7471"})
public final class RdmaServer implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private ListenOptions listen;

    @Mixin
    private ConnectionOptions connection;

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        out.println("rdma_server: start");
        CompletableFuture<Conversation> first = new CompletableFuture<>();
        try (Endpoint endpoint = connection.openServer();
                IwarpListener listener = endpoint.listen(
                        listen.address(), connection.settings().build(), request -> decide(request, first))) {
            out.println(ListenOptions.listening(listener));
            Conversation conversation = first.get();
            int received = conversation.receive().readableBytes();
            if (received != RdmaClient.MESSAGE_BYTES) {
                throw new CommandFailedException("a message of " + received + " bytes came, not of "
                        + RdmaClient.MESSAGE_BYTES + ": the other side is not an rdma_client");
            }
            conversation.send(Unpooled.buffer(received).writeZero(received));
            Endpoint.await(conversation.queuePair().closed());
        }
        out.println("rdma_server: end 0");
        return 0;
    }

    private static void decide(ConnectionRequest request, CompletableFuture<Conversation> first) {
        Conversation conversation = new Conversation();
        if (!first.complete(conversation)) {
            request.reject("rdma-server serves one client".getBytes(StandardCharsets.US_ASCII));
            return;
        }
        conversation.attach(request.queuePair());
        request.accept();
    }
}
