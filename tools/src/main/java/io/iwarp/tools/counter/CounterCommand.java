package io.iwarp.tools.counter;

import io.iwarp.tools.cli.BaseCommand;
import io.iwarp.tools.cli.ClientOptions;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.ListenOptions;
import io.iwarp.tools.cli.MeasureOptions;
import io.iwarp.tools.cli.OptionCheck;
import io.iwarp.tools.cli.PeerAddress;
import io.iwarp.tools.cli.ResultFile;
import io.iwarp.tools.cli.Shutdown;
import io.iwarp.tools.cli.Story;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePairSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shared numbers: a server, its clients, or both in one process. */
@Command(
        name = "counter",
        description = {
            "Counts in shared memory, by several clients at the same time.",
            "The clients add to one counter by FetchAdd, and to a number by RDMA Read and RDMA Write"
                    + " under a lock made of"
                    + " CmpSwap. Then both are checked. Several processes may count in one server. The last"
                    + " client to end checks for all.",
            "Without --listen and HOST both sides run in one process."
        },
        footer = {
            "%nExamples:",
            "  iwarp counter --clients 8 --adds 5000",
            "  iwarp counter --listen --port 7471",
            "  iwarp counter 127.0.0.1:7471 --clients 8 --adds 5000"
        })
public final class CounterCommand extends BaseCommand {
    private static final int MAX_CLIENTS = 256;

    @Parameters(
            paramLabel = PeerAddress.LABEL,
            arity = "0..1",
            converter = PeerAddress.Converter.class,
            description = "Count in the memory of a server that listens there." + PeerAddress.HELP)
    private @Nullable PeerAddress server;

    @Option(names = "--listen", description = "Serve any number of clients until Ctrl-C.")
    private boolean listening;

    @Mixin
    private ListenOptions listen;

    @Option(
            names = "--clients",
            paramLabel = "N",
            defaultValue = "4",
            description = "How many clients count at the same time, each on a connection of its own.")
    private int clients;

    @Option(
            names = "--adds",
            paramLabel = "N",
            defaultValue = "100000",
            description = "How often each client adds 1 to the counter, by FetchAdd.")
    private long adds;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "1000",
            description =
                    "How often each client takes the lock by CmpSwap, and adds 1 to the number under it by an RDMA"
                            + " Read and an RDMA Write.")
    private long rounds;

    @Mixin
    private MeasureOptions measuring;

    @Mixin
    private ClientOptions connection;

    @Override
    @SuppressWarnings("try") // the shutdown is only closed
    public Integer call() throws Exception {
        OptionCheck.require(server == null || !listening, "--listen takes no HOST");
        OptionCheck.within("--clients", clients, 1, MAX_CLIENTS);
        OptionCheck.require(adds >= 0, "--adds " + adds + " is negative");
        OptionCheck.require(rounds >= 0, "--rounds " + rounds + " is negative");
        QueuePairSettings settings = connection.settings().build();
        if (listening) {
            return serve(settings);
        }
        measuring.check();
        try (Shutdown shutdown = Shutdown.interruptingThisThread();
                ResultFile file = measuring.open();
                Endpoint endpoint = connection.openClient()) {
            Story story = new Story(measuring.toStandardOutput() ? err() : out());
            CounterRun run = new CounterRun(endpoint, story, measuring, file, clients, new CounterDone(adds, rounds));
            if (server != null) {
                run.run(server.resolve(), settings);
                return 0;
            }
            story.title("iWARP counter: one memory, several clients, over TCP loopback");
            // The two sides share only the process. One capture contains the traffic of both.
            try (Endpoint serverEnd = connection.openLocalServer();
                    CounterService service =
                            new CounterService(serverEnd, listen.limits().limits(), line -> {});
                    IwarpListener listener = serverEnd.listen(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), settings, service)) {
                run.run(listener.localAddress(), settings);
            }
        }
        return 0;
    }

    private int serve(QueuePairSettings settings) throws IOException, InterruptedException {
        try (Shutdown shutdown = Shutdown.install();
                Endpoint endpoint = connection.openServer()) {
            CounterService service =
                    new CounterService(endpoint, listen.limits().limits(), out()::line);
            return endpoint.serve(listen.address(), settings, service, shutdown, out());
        }
    }
}
