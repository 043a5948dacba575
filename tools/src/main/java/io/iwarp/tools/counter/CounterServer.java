package io.iwarp.tools.counter;

import io.iwarp.tools.cli.ConnectionOptions;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.ListenOptions;
import io.iwarp.tools.cli.Shutdown;
import io.iwarp.verbs.IwarpListener;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Serves numbers that any number of clients change. */
@Command(
        name = "counter-server",
        description = {
            "Offers a counter, and a number under a lock, to any number of clients.",
            "The clients change them by RDMA alone. The server checks that nothing was lost. It runs until Ctrl-C."
        },
        footer = {"%nExample:", "  iwarp counter-server --port 7471"})
public final class CounterServer implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private ListenOptions listen;

    @Mixin
    private ConnectionOptions connection;

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        try (Shutdown shutdown = Shutdown.install();
                Endpoint endpoint = connection.openServer();
                CounterService service = new CounterService(endpoint.domain(), out::println);
                IwarpListener listener =
                        endpoint.listen(listen.address(), connection.settings().build(), service)) {
            out.println(ListenOptions.listening(listener));
            shutdown.await();
            // Close the connections before the memory. Otherwise clients would see errors about invalid STags.
            endpoint.closeConnections();
        }
        return 0;
    }
}
