package io.iwarp.tools.file;

import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.ClientCommand;
import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.Conversation;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.Progress;
import io.iwarp.verbs.QueuePair;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Reads a file from the memory of a write server. */
@Command(
        name = "get",
        description = {
            "Reads a file of any size from a file server.",
            "It uses RDMA Reads, piece by piece, and checks that both ends computed the same"
                    + " SHA-256. The file appears when it is complete."
        },
        footer = {"%nExample:", "  iwarp file get 127.0.0.1:7471 disk.img copy.img"})
final class FileGet extends ClientCommand {
    private static final long MAX_CHUNK = 1L << 28;
    private static final int MAX_READS = 64;

    @Parameters(index = "1", paramLabel = "NAME", description = "The name of the file in the server's directory.")
    private String name;

    @Parameters(index = "2", paramLabel = "FILE", description = "Where to store it.")
    private Path file;

    @Option(
            names = "--chunk",
            paramLabel = "SIZE",
            defaultValue = "1M",
            converter = Bytes.Converter.class,
            description = "How much to read in one message, 1 byte to 256 MiB.")
    private long chunk;

    @Option(
            names = "--reads",
            paramLabel = "N",
            defaultValue = "4",
            description = "How many Reads may be on their way, 1 to 64. Each costs as much direct memory as a chunk.")
    private int reads;

    @Option(names = "--force", description = "Replace the file if it exists.", showDefaultValue = Visibility.NEVER)
    private boolean force;

    @Option(
            names = "--progress",
            negatable = true,
            description = "Show a progress bar on stderr, or show none. Default: show it on a terminal.",
            showDefaultValue = Visibility.NEVER)
    private @Nullable Boolean showProgress;

    @Override
    public Integer call() throws Exception {
        require(chunk >= 1 && chunk <= MAX_CHUNK, "--chunk must be 1 byte to 256 MiB");
        require(reads >= 1 && reads <= MAX_READS, "--reads must be 1 to " + MAX_READS);
        TargetFile target = new TargetFile(file, force);
        target.requireUsable();
        try {
            run(target);
        } catch (OutOfMemoryError e) {
            throw new CommandFailedException("there is no direct memory for " + reads + " chunks of "
                    + Bytes.size(chunk) + ": allow more with java -XX:MaxDirectMemorySize=..., or choose smaller ones");
        }
        return 0;
    }

    private void run(TargetFile target) throws Exception {
        Conversation conversation = new Conversation();
        try (Endpoint endpoint = open();
                FileFetcher fetcher = new FileFetcher(name, conversation, endpoint.domain(), (int) chunk, reads)) {
            QueuePair queuePair =
                    endpoint.connect(address(), settings().build(), FileServe.PROTOCOL.request(), conversation::attach);
            FileServe.PROTOCOL.restOfReply(queuePair, 0);
            long begin = System.nanoTime();
            FileFetcher.Fetched fetched;
            try {
                fetched = fetcher.fetch(
                        target, size -> Progress.begin(spec().commandLine().getErr(), name, size, showProgress));
            } finally {
                conversation.close();
            }
            report(fetched, System.nanoTime() - begin);
        }
    }

    private void report(FileFetcher.Fetched fetched, long nanos) {
        out().line(server() + " served " + name + ": " + Bytes.exactly(fetched.size()) + " in " + Bytes.time(nanos)
                + ", " + Bytes.rate(fetched.size(), nanos) + "; stored as " + file);
        out().line("SHA-256 " + fetched.hash() + ", computed by both ends");
    }
}
