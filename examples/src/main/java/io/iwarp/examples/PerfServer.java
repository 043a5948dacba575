package io.iwarp.examples;

import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePairSettings;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Is measured by {@link PerfClient}. */
@Command(
        name = "server",
        description = "Does what its clients want to measure: they tell it with each connection. Until Ctrl-C.",
        footer = {"%nExample:", "  iwarp perf server --port 7471 --transport epoll"})
final class PerfServer implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private ListenOptions listen;

    @Mixin
    private TransportOptions transport;

    @Mixin
    private ConnectionOptions connection;

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        QueuePairSettings settings = connection
                .settings()
                .sendQueueDepth(PerfTask.GREATEST_WINDOW)
                .receiveQueueDepth(PerfTask.GREATEST_WINDOW)
                .build();
        try (Shutdown shutdown = Shutdown.install();
                Endpoint endpoint = connection.open(transport.loops());
                IwarpListener listener =
                        endpoint.listen(listen.address(), settings, new PerfService(endpoint.domain(), out::println))) {
            out.println(ListenOptions.listening(listener));
            shutdown.await();
            // Before the memory goes: a client is not at fault, and shall not be told that its STag is invalid.
            endpoint.closeConnections();
        }
        return 0;
    }
}
