package io.iwarp.tools.counter;

import io.iwarp.tools.cli.ClientOptions;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.PeerAddress;
import io.iwarp.tools.cli.Story;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Adds to numbers in the memory of a counter server. */
@Command(
        name = "counter-client",
        description = {
            "Changes the numbers of a counter-server over several connections.",
            "It uses FetchAdd, and RDMA Read and RDMA Write under a lock made of CmpSwap, and checks that nothing was lost."
                    + " Several counter-clients may run at the same time. The last one to end checks for all."
        },
        footer = {"%nExample:", "  iwarp counter-client 127.0.0.1:7471 --clients 8 --adds 5000"})
public final class CounterClient implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "HOST:PORT",
            converter = PeerAddress.Converter.class,
            description = "Where the server listens.")
    private PeerAddress server;

    @Mixin
    private CounterOptions options;

    @Mixin
    private ClientOptions connection;

    @Override
    public Integer call() throws Exception {
        CounterDone work = options.work();
        Story story = new Story(spec.commandLine().getOut());
        try (Endpoint endpoint = connection.openClient()) {
            new CounterRun(endpoint, story, options.clients(), work)
                    .run(server.resolve(), connection.settings().build());
        }
        return 0;
    }
}
