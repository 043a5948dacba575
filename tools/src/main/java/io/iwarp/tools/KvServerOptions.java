package io.iwarp.tools;

import io.iwarp.memory.ProtectionDomain;
import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.OptionCheck;
import io.iwarp.tools.kv.KvLimits;
import io.iwarp.tools.kv.KvStore;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The options for the initial content of a cache, its size, and the address of its web pages. */
final class KvServerOptions {
    private static final int GREATEST_PORT = 65_535;
    private static final long LEAST_MEMORY = 1 << 12;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = "--http-port",
            paramLabel = "PORT",
            defaultValue = "7476",
            description =
                    "The TCP port of the pages over HTTP; 0 lets the system choose one. Default: ${DEFAULT-VALUE}",
            showDefaultValue = Visibility.NEVER)
    private int httpPort;

    @Option(
            names = "--load",
            paramLabel = "FILE",
            description =
                    "Load this file in UTF-8. A line has a key, a tab and a value, or is a comment that begins with #. In a"
                            + " file without tabs each line is a value, and its number is the key.")
    private @Nullable Path file;

    @Option(
            names = "--skip-bad-lines",
            description = "Skip lines of the file that cannot be used, and print how many.",
            showDefaultValue = Visibility.NEVER)
    private boolean skipping;

    @Option(
            names = "--entries",
            paramLabel = "N",
            defaultValue = "65536",
            description = "The greatest number of keys. Those of the file always fit. Each takes 160 bytes.")
    private int entries;

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            defaultValue = "64M",
            converter = Bytes.Converter.class,
            description = "The greatest size of all keys and values together.")
    private long memory;

    /** Returns the files to load. */
    KvFile file() throws IOException, CommandFailedException {
        OptionCheck.require(
                command,
                entries >= 1 && entries <= KvLimits.MOST_ENTRIES,
                "--entries " + entries + " is outside 1 to " + KvLimits.MOST_ENTRIES);
        OptionCheck.require(command, memory >= LEAST_MEMORY, "--memory must be at least " + LEAST_MEMORY + " bytes");
        return file == null ? KvFile.NONE : KvFile.read(file, skipping);
    }

    /** Returns an empty cache with room for the entries to load. The caller closes it. */
    KvStore store(ProtectionDomain domain, KvFile loaded) throws CommandFailedException {
        try {
            return new KvStore(domain, ByteBufAllocator.DEFAULT, Math.max(entries, loaded.size()), memory);
        } catch (OutOfMemoryError e) {
            throw new CommandFailedException("there is not that much memory (" + e.getMessage()
                    + "): choose less --memory and --entries, or start java with a greater -XX:MaxDirectMemorySize");
        }
    }

    /** Returns the address of the web pages. */
    InetSocketAddress httpAddress(InetSocketAddress listen) {
        OptionCheck.require(
                command,
                httpPort >= 0 && httpPort <= GREATEST_PORT,
                "--http-port " + httpPort + " is not a TCP port: choose 0 to " + GREATEST_PORT);
        return new InetSocketAddress(listen.getAddress(), httpPort);
    }
}
