package io.iwarp.tools.file;

import io.iwarp.tools.cli.Application;
import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.ClientOptions;
import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.Conversation;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.PeerAddress;
import io.iwarp.tools.cli.Progress;
import io.iwarp.verbs.QueuePair;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Writes a file into the memory of a write server. */
@Command(
        name = "write-client",
        description = {
            "Writes a file of any size to a write-server.",
            "It uses RDMA Writes, piece by piece, and checks that both ends computed the same SHA-256."
        },
        footer = {"%nExample:", "  iwarp write-client disk.img 127.0.0.1:7471"})
public final class WriteClient implements Callable<Integer> {
    private static final long GREATEST_PIECE = 1L << 29;

    @Spec
    private CommandSpec spec;

    @Parameters(
            index = "0",
            paramLabel = "FILE",
            description = "The file to write. The server stores it under the same name.")
    private Path file;

    @Parameters(
            index = "1",
            paramLabel = "HOST:PORT",
            converter = PeerAddress.Converter.class,
            description = "Where the server listens.")
    private PeerAddress server;

    @Option(
            names = "--piece",
            paramLabel = "SIZE",
            defaultValue = "512M",
            converter = Bytes.Converter.class,
            description =
                    "The largest piece to write at once, 1 byte to 512 MiB. The limit of the server applies as well.")
    private long piece;

    @Option(
            names = "--progress",
            negatable = true,
            description = "Show a progress bar on stderr, or show none. Default: show it on a terminal.",
            showDefaultValue = Visibility.NEVER)
    private @Nullable Boolean showProgress;

    @Mixin
    private ClientOptions connection;

    @Override
    public Integer call() throws Exception {
        if (piece < 1 || piece > GREATEST_PIECE) {
            throw new ParameterException(spec.commandLine(), "--piece must be 1 byte to 512 MiB");
        }
        if (!Files.isRegularFile(file)) {
            throw new CommandFailedException(file + " is not a file that can be read: check the path");
        }
        Conversation conversation = new Conversation();
        try (FileSender sender = FileSender.open(file, conversation);
                Endpoint endpoint = connection.openClient()) {
            QueuePair queuePair = endpoint.connect(
                    server.resolve(), connection.settings().build(), Application.WRITE.request(), conversation::attach);
            Application.WRITE.restOfReply(
                    Objects.requireNonNull(queuePair.parameters()).peerPrivateData(), 0);
            long begin = System.nanoTime();
            String hash;
            try (Progress progress =
                    Progress.begin(spec.commandLine().getErr(), sender.name(), sender.size(), showProgress)) {
                hash = sender.send((int) piece, progress);
            } finally {
                conversation.close();
            }
            report(sender, System.nanoTime() - begin, hash);
        }
        return 0;
    }

    private void report(FileSender sender, long nanos, String hash) {
        PrintWriter out = spec.commandLine().getOut();
        out.println(server + " stored " + sender.name() + ": " + Bytes.exactly(sender.size()) + " in "
                + Bytes.time(nanos) + ", " + Bytes.rate(sender.size(), nanos));
        out.println("SHA-256 " + hash + ", computed by both ends");
    }
}
