package io.iwarp.tools.rdma;

import io.iwarp.tools.cli.BaseCommand;
import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.ClientOptions;
import io.iwarp.tools.cli.ClientWireOptions;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.OptionCheck;
import io.iwarp.verbs.QueuePairSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The ucmatose of rdma-core: sends many messages over many connections. The server sends first. */
@Command(
        name = "cmatose",
        description = {
            "Exchanges messages over many connections, compatible with rdma-core's ucmatose.",
            "The server sends all its messages first, then the client. The client requests the peer-to-peer set-up (RFC"
                    + " 6581), because otherwise a server must not send first."
        },
        footer = {"%nExamples (server, client):", "  iwarp cmatose -c 4", "  iwarp cmatose -c 4 -s 127.0.0.1"})
public final class Cmatose extends BaseCommand {
    private static final int MAX_CONNECTIONS = 1024;
    private static final int MAX_COUNT = 1 << 16;
    private static final int MAX_SIZE = 1 << 24;

    @Option(names = "-s", paramLabel = "ADDR", description = "The server's address; without it this is the server.")
    private @Nullable String server;

    @Option(
            names = "-b",
            paramLabel = "ADDR",
            defaultValue = "127.0.0.1",
            description = "The address at which the server listens; 0.0.0.0 is reached from everywhere.")
    private String bind;

    @Option(names = "-p", paramLabel = "PORT", defaultValue = "7471", description = "The server's TCP port.")
    private int port;

    @Option(
            names = "-c",
            paramLabel = "N",
            defaultValue = "1",
            description = "How many connections, the same at both ends, up to " + MAX_CONNECTIONS + ".")
    private int connections;

    @Option(
            names = "-C",
            paramLabel = "N",
            defaultValue = "10",
            description = "How many messages over each, the same at both ends, up to " + MAX_COUNT + ".")
    private int count;

    @Option(
            names = "-S",
            paramLabel = "SIZE",
            defaultValue = "100",
            converter = Bytes.Converter.class,
            description = "Bytes of each message, the same at both ends, up to 16 MiB.")
    private long size;

    @Mixin
    private ClientOptions connection;

    @Override
    public Integer call() throws Exception {
        OptionCheck.port("-p", port, true);
        OptionCheck.within("-c", connections, 1, MAX_CONNECTIONS);
        OptionCheck.within("-C", count, 0, MAX_COUNT);
        OptionCheck.sizeWithin("-S", size, 0, MAX_SIZE);
        try (Endpoint endpoint = (server != null ? connection.openClient() : connection.openServer())) {
            CmatoseRun run = new CmatoseRun(endpoint, settings(server != null), connections, count, (int) size, out());
            if (server != null) {
                run.client(new InetSocketAddress(InetAddress.getByName(server), port));
            } else {
                run.server(new InetSocketAddress(InetAddress.getByName(bind), port));
            }
        }
        out().line("test complete");
        return 0;
    }

    private QueuePairSettings settings(boolean client) {
        QueuePairSettings.Builder settings = ClientWireOptions.forSiw(connection.settings());
        if (client) {
            settings.mpa(settings.build().mpa().toBuilder().peerToPeer(true).build());
        }
        int depth = Math.max(1, count);
        return settings.sendQueueDepth(depth).receiveQueueDepth(depth).build();
    }
}
