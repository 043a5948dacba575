package io.iwarp.tools.file;

import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.ClientCommand;
import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.Conversation;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.Progress;
import io.iwarp.verbs.QueuePair;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Writes a file into the memory of a write server. */
@Command(
        name = "put",
        description = {
            "Writes a file of any size to a file server.",
            "It uses RDMA Writes, piece by piece, and checks that both ends computed the same SHA-256."
        },
        footer = {"%nExample:", "  iwarp file put 127.0.0.1:7471 disk.img"})
final class FilePut extends ClientCommand {
    private static final long MAX_PIECE = 1L << 29;

    @Parameters(
            index = "1",
            paramLabel = "FILE",
            description = "The file to write. The server stores it under the same name.")
    private Path file;

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

    @Override
    public Integer call() throws Exception {
        require(piece >= 1 && piece <= MAX_PIECE, "--piece must be 1 byte to 512 MiB");
        if (!Files.isRegularFile(file)) {
            throw new CommandFailedException(file + " is not a file that can be read: check the path");
        }
        Conversation conversation = new Conversation();
        try (FileSender sender = FileSender.open(file, conversation);
                Endpoint endpoint = open()) {
            QueuePair queuePair =
                    endpoint.connect(address(), settings().build(), FileServe.PROTOCOL.request(), conversation::attach);
            FileServe.PROTOCOL.restOfReply(queuePair, 0);
            long begin = System.nanoTime();
            String hash;
            try (Progress progress =
                    Progress.begin(spec().commandLine().getErr(), sender.name(), sender.size(), showProgress)) {
                hash = sender.send((int) piece, progress);
            } finally {
                conversation.close();
            }
            report(sender, System.nanoTime() - begin, hash);
        }
        return 0;
    }

    private void report(FileSender sender, long nanos, String hash) {
        out().line(server() + " stored " + sender.name() + ": " + Bytes.exactly(sender.size()) + " in "
                + Bytes.time(nanos) + ", " + Bytes.rate(sender.size(), nanos));
        out().line("SHA-256 " + hash + ", computed by both ends");
    }
}
