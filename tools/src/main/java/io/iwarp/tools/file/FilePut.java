package io.iwarp.tools.file;

import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.Conversation;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.OptionCheck;
import io.iwarp.tools.cli.Progress;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Writes a file into the memory of a file server. */
@Command(
        name = "put",
        description = {
            "Writes a file of any size to a file server.",
            "It uses RDMA Writes, piece by piece, and checks that both ends computed the same SHA-256."
        },
        footer = {
            "%nExamples:",
            "  iwarp file put 127.0.0.1:7471 disk.img",
            "  iwarp file put 127.0.0.1:7471 disk.img backup.img",
            "  tar c src | iwarp file put 127.0.0.1:7471 - src.tar"
        })
final class FilePut extends FileClient {
    private static final long MAX_PIECE = 1L << 29;

    @Parameters(index = "1", paramLabel = "FILE", description = "The file to write; - is stdin.")
    private Path file;

    @Parameters(
            index = "2",
            arity = "0..1",
            paramLabel = "NAME",
            description = "The name of the file at the server. Default: that of FILE")
    private @Nullable String name;

    @Option(
            names = "--piece",
            paramLabel = "SIZE",
            defaultValue = "512M",
            converter = Bytes.Converter.class,
            description =
                    "The largest piece to write at once, 1 byte to 512 MiB. The limit of the server applies as well.")
    private long piece;

    @Override
    protected void run() throws Exception {
        OptionCheck.sizeWithin("--piece", piece, 1, MAX_PIECE);
        Conversation conversation = new Conversation();
        SourceFile source = open(file);
        String target = name == null ? source.name() : name;
        try (FileSender sender = new FileSender(target, source, conversation);
                Endpoint endpoint = open()) {
            connect(endpoint, conversation);
            long begin = System.nanoTime();
            String hash;
            try (Progress progress = progress(target, source.size())) {
                hash = sender.send((int) piece, progress);
            }
            report(out(), server() + " stored " + target, sender.sent(), System.nanoTime() - begin, hash, "");
        }
    }

    private SourceFile open(Path path) throws IOException {
        boolean standardInput = path.toString().equals(STANDARD_STREAM);
        OptionCheck.require(!standardInput || name != null, "FILE - needs the NAME of the file at the server");
        return standardInput ? SourceFile.of(STANDARD_STREAM, System.in) : SourceFile.ofClient(path);
    }
}
