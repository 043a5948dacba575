package io.iwarp.tools.file;

import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.Conversation;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.OptionCheck;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Reads a file from the memory of a file server. */
@Command(
        name = "get",
        description = {
            "Reads a file of any size from a file server.",
            "It uses RDMA Reads, piece by piece, and checks that both ends computed the same SHA-256."
                    + " The file appears when it is complete. What is written to stdout, a device or a"
                    + " pipe appears as it arrives: only exit code 0 says that it is whole."
        },
        footer = {
            "%nExamples:",
            "  iwarp file get 127.0.0.1:7471 disk.img copy.img",
            "  iwarp file get 127.0.0.1:7471 disk.img - | sha256sum"
        })
final class FileGet extends FileClient {
    private static final long MAX_CHUNK = 1L << 28;
    private static final int MAX_READS = 64;

    @Parameters(index = "1", paramLabel = "NAME", description = "The name of the file in the server's directory.")
    private String name;

    @Parameters(
            index = "2",
            arity = "0..1",
            paramLabel = "FILE",
            description = "Where to store it; - is stdout. Default: NAME in the current directory")
    private @Nullable Path file;

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
            description = "How many Reads may be in flight, 1 to 64. Each costs as much direct memory as a chunk.")
    private int reads;

    @Option(
            names = "--force",
            description = "Replace FILE if it exists. A link is followed: its target is replaced. A device or a pipe is"
                    + " written to.")
    private boolean force;

    @Override
    protected void run() throws Exception {
        OptionCheck.sizeWithin("--chunk", chunk, 1, MAX_CHUNK);
        OptionCheck.within("--reads", reads, 1, MAX_READS);
        Path path = file == null ? PlainName.resolve(Path.of("").toAbsolutePath(), name) : file;
        boolean standardOutput = path.toString().equals(STANDARD_STREAM);
        TargetFile target = new TargetFile(path, force);
        if (!standardOutput) {
            target.requireUsable();
        }
        Conversation conversation = new Conversation();
        try (Endpoint endpoint = open();
                FileFetcher fetcher = new FileFetcher(name, conversation, endpoint.domain(), (int) chunk, reads)) {
            connect(endpoint, conversation);
            long begin = System.nanoTime();
            FileFetcher.Fetched fetched = fetcher.fetch(
                    standardOutput ? size -> StreamSink.to(System.out) : target, size -> progress(name, size));
            report(
                    standardOutput ? err() : out(),
                    server() + " served " + name,
                    fetched.size(),
                    System.nanoTime() - begin,
                    fetched.hash(),
                    standardOutput ? "" : "; stored as " + path);
        }
    }
}
