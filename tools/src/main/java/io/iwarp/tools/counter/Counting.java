package io.iwarp.tools.counter;

import io.iwarp.tools.cli.ClientOptions;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.Story;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePairSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A counter server and its clients in one process. */
@Command(
        name = "counter",
        description = {
            "Counts in shared memory over TCP on this machine, all in one process.",
            "Several clients add to one counter by FetchAdd, and to a number by RDMA Read and RDMA Write under a lock made"
                    + " of CmpSwap. Then both are checked."
        },
        footer = {"%nExample:", "  iwarp counter --clients 8 --adds 5000"})
public final class Counting implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private CounterOptions options;

    @Mixin
    private ClientOptions connection;

    @Override
    public Integer call() throws Exception {
        CounterDone work = options.work();
        QueuePairSettings settings = connection.settings().build();
        Story story = new Story(spec.commandLine().getOut());
        story.title("iWARP counter: one memory, several clients, over TCP loopback");
        // The two sides share only the process. One capture contains the traffic of both.
        try (Endpoint clientEnd = connection.openClient();
                Endpoint serverEnd = connection.openLocalServer();
                CounterService service = new CounterService(serverEnd.domain(), line -> {});
                IwarpListener listener = serverEnd.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), settings, service)) {
            new CounterRun(clientEnd, story, options.clients(), work).run(listener.localAddress(), settings);
        }
        return 0;
    }
}
