package io.iwarp.tools.rdma;

import io.iwarp.mpa.MpaSettings;
import io.iwarp.tools.cli.BaseCommand;
import io.iwarp.tools.cli.BlockingService;
import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.ClientWireOptions;
import io.iwarp.tools.cli.Conversation;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.LimitOptions;
import io.iwarp.tools.cli.MeasureOptions;
import io.iwarp.tools.cli.Measurement;
import io.iwarp.tools.cli.Meter;
import io.iwarp.tools.cli.OptionCheck;
import io.iwarp.tools.cli.ResultFile;
import io.iwarp.tools.cli.Service;
import io.iwarp.tools.cli.Shutdown;
import io.iwarp.tools.cli.TlsOptions;
import io.iwarp.tools.cli.TransportHandlers;
import io.iwarp.tools.cli.TransportOptions;
import io.iwarp.verbs.QueuePairSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

/** The ping of rdma-core, to be used with it or with itself. */
@Command(
        name = "rping",
        description = {
            "Pings by RDMA, compatible with rdma-core's rping.",
            "The server reads a text from the client's memory and writes it to another place there. The client compares"
                    + " both."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:done", "1:failed; stderr says why", "2:the command line is wrong"},
        footer = {
            "%nExamples:",
            "  iwarp rping -s -P",
            "  iwarp rping -c -a 127.0.0.1 -C 10 -v -V",
        })
public final class Rping extends BaseCommand {
    /** How many clients of one address a persistent server serves at the same time. */
    static final int MAX_CLIENTS = 256;

    private static final int DEFAULT_SIZE = 64;
    private static final int DEFAULT_MAX_SIZE = 1 << 16;
    private static final int MAX_SIZE = 1 << 24;
    /** What each side of rdma-core's rping requests: one Read at a time. */
    private static final int DEPTH = 1;

    @ArgGroup(multiplicity = "1")
    private Side side = new Side();

    /** Which one it is. */
    private static final class Side {
        @SuppressWarnings("UnusedVariable") // one of the two is given, so looking at the other is enough
        @Option(names = "-s", description = "Run as server.", required = true)
        private boolean server;

        @Option(names = "-c", description = "Run as client.", required = true)
        private boolean client;
    }

    @Option(
            names = "-a",
            paramLabel = "ADDR",
            defaultValue = "127.0.0.1",
            description = "The server's address. A server is reached from this machine only, unless -a 0.0.0.0 or an"
                    + " address of a network says otherwise; there is no authentication.")
    private String address;

    @Option(
            names = "-p",
            paramLabel = "PORT",
            defaultValue = "7174",
            description = "The server's TCP port. With 0 a server lets the system choose one.")
    private int port;

    @Option(
            names = "-C",
            paramLabel = "COUNT",
            defaultValue = "0",
            description = "How many times the client pings, 0 for no limit.")
    private long count;

    @Option(
            names = "-S",
            paramLabel = "SIZE",
            converter = Bytes.Converter.class,
            description = "Bytes that go back and forth, 1 byte to 16 MiB; rdma-core's rping takes 23 to 65,535. By"
                    + " default " + DEFAULT_SIZE + "; a server takes up to SIZE, by default 64 KiB.")
    private @Nullable Long size;

    @Option(names = "-v", description = "Print the data of each ping.")
    private boolean printData;

    @Option(names = "-V", description = "Compare what comes back.")
    private boolean validate;

    @Option(
            names = "-P",
            description = "Keep serving after the first client, by default up to " + 2 * MAX_CLIENTS
                    + " at the same time, until Ctrl-C.")
    private boolean persistent;

    @Mixin
    private LimitOptions limits;

    @Option(names = "-d", description = "Print each step.")
    private boolean debug;

    @Option(
            names = "--plain",
            description =
                    "As client request the set-up of MPA revision 1. By default it is --enhanced, with --ird 1 and"
                            + " --ord 1.")
    private boolean plain;

    @Option(
            names = "--all-rights",
            description =
                    "Let the other side read and write all memory, as rdma-core's rping does, and execute atomics on"
                            + " it. By default it may do only what the pings need.")
    private boolean allRights;

    @Option(
            names = "--measure",
            description = "As client print the rate and the latency of the pings while it runs, and at the end.")
    private boolean measure;

    @Mixin
    private MeasureOptions measuring;

    @ArgGroup(validate = false, order = 1, heading = "%niWARP options:%n")
    private ClientWireOptions wire = new ClientWireOptions();

    @ArgGroup(validate = false, order = 2, heading = "%nTransport options:%n")
    private TransportOptions transport = new TransportOptions();

    @ArgGroup(validate = false, order = 3, heading = "%nTLS options:%n")
    private TlsOptions tls = new TlsOptions();

    @Option(names = "--verbose", description = "Log what the stack does to stderr.")
    private boolean verbose;

    @SuppressWarnings("UnusedVariable") // picocli sets it, and shows the help
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    private boolean help;

    @Override
    public Integer call() throws Exception {
        long bytes = size != null ? size : side.client ? DEFAULT_SIZE : DEFAULT_MAX_SIZE;
        OptionCheck.sizeWithin("-S", bytes, 1, MAX_SIZE);
        OptionCheck.port("-p", port, !side.client);
        OptionCheck.require(count >= 0, "-C " + count + " is negative");
        RpingOutput output = new RpingOutput(out(), err(), printData, debug);
        InetSocketAddress where = new InetSocketAddress(InetAddress.getByName(address), port);
        return side.client ? ping(where, (int) bytes, output) : serve(where, (int) bytes, output);
    }

    private Endpoint open() throws Exception {
        TransportHandlers security = side.client ? tls.ofClient() : tls.ofServer();
        return wire.open(verbose, transport.loops(), security.then(transport.socketOptions()));
    }

    private int ping(InetSocketAddress server, int bytes, RpingOutput output) throws Exception {
        QueuePairSettings.Builder settings = ClientWireOptions.forSiw(wire.settings());
        MpaSettings.Builder mpa = settings.build().mpa().toBuilder().enhanced(!plain);
        ParseResult parsed = spec().commandLine().getParseResult();
        if (!parsed.hasMatchedOption("--ird")) {
            mpa.ird(DEPTH);
        }
        if (!parsed.hasMatchedOption("--ord")) {
            mpa.ord(DEPTH);
        }
        Conversation conversation = new Conversation();
        try (Endpoint endpoint = open()) {
            endpoint.connect(server, settings.mpa(mpa.build()).build(), new byte[0], conversation::attach);
            output.step("ESTABLISHED");
            RpingClient client = new RpingClient(conversation, bytes, allRights, output);
            if (measure) {
                measure(client, conversation, bytes);
            } else {
                client.run(count, validate, new Meter());
            }
        }
        return 0;
    }

    @SuppressWarnings("try") // the shutdown is only closed
    private void measure(RpingClient client, Conversation conversation, int bytes) throws Exception {
        measuring.check();
        try (Shutdown shutdown = Shutdown.interruptingThisThread();
                ResultFile file = measuring.open()) {
            Measurement measured = measuring.measure(
                    "pings of " + Bytes.size(bytes), bytes, List.of(meter -> client.run(count, validate, meter)));
            measuring.report(file, measured.total(), "rping", "ping", bytes);
            measured.requireNoFailure();
        } finally {
            conversation.queuePair().abort();
        }
    }

    private int serve(InetSocketAddress address, int maxSize, RpingOutput output) throws Exception {
        try (Shutdown shutdown = Shutdown.install();
                Endpoint endpoint = open()) {
            Service server =
                    new BlockingService(limits.limits(2 * MAX_CLIENTS), maxSize, !persistent, shutdown, new byte[0]) {
                        @Override
                        protected boolean serve(Conversation client) throws InterruptedException {
                            return new RpingSession(client, maxSize, allRights, output).run();
                        }
                    };
            return endpoint.serve(address, wire.settings().build(), server, shutdown, out());
        }
    }
}
