package io.iwarp.tools.file;

import io.iwarp.tools.cli.Application;
import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.ClientLimits;
import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.Conversation;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.Output;
import io.iwarp.tools.cli.ServerCommand;
import io.iwarp.tools.cli.Service;
import io.iwarp.tools.cli.Shutdown;
import io.iwarp.verbs.ConnectionRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Option;

/** Stores the files that clients write into its memory, and lets clients read them from there. */
@Command(
        name = "serve",
        description = {
            "Stores files that clients write into its memory, and lets them read its files.",
            "A file appears in the directory when it is complete and has the SHA-256 that the client"
                    + " computed. Clients may list and read the files of the directory whose names do not"
                    + " begin with a dot. By default there may be " + FileServe.DEFAULT_CLIENTS + " clients."
        },
        footer = {"%nExample:", "  iwarp file serve --port 7471 --directory inbox"})
final class FileServe extends ServerCommand {
    static final Application PROTOCOL = new Application(
            "iwarp write 1", "a server of 'iwarp file serve', to be used by 'iwarp file put' and 'file get'");

    /** Each has a thread. */
    static final int DEFAULT_CLIENTS = 16;

    private static final int MIN_BUFFER = 1 << 12;
    private static final int MAX_BUFFER = 1 << 29;
    private static final long SESSION_END_SECONDS = 10;

    @Option(
            names = "--directory",
            paramLabel = "DIR",
            required = true,
            description = "The directory of the files, which must exist.")
    private Path directory;

    @Option(
            names = "--buffer",
            paramLabel = "SIZE",
            defaultValue = "8M",
            converter = Bytes.Converter.class,
            description = "The largest piece of a file, 4 KiB to 512 MiB. Each client at work costs "
                    + FileSession.SLOTS + " times that much direct memory.")
    private long buffer;

    @Option(names = "--force", description = "Replace files that exist.", showDefaultValue = Visibility.NEVER)
    private boolean force;

    @Option(
            names = "--once",
            description = "End after one client, with exit code 1 if its file was not stored or fetched.",
            showDefaultValue = Visibility.NEVER)
    private boolean once;

    @Override
    protected Service begin(Endpoint endpoint, Shutdown shutdown) throws IOException {
        require(buffer >= MIN_BUFFER && buffer <= MAX_BUFFER, "--buffer must be 4 KiB to 512 MiB");
        if (!Files.isDirectory(directory)) {
            throw new CommandFailedException(directory + " is not a directory: create it first");
        }
        int abandoned = PartialFile.deleteAbandoned(directory);
        if (abandoned > 0) {
            out().line("deleted what an earlier server left when it was killed: "
                    + Bytes.count(abandoned, "partial file"));
        }
        return new Sessions(endpoint, shutdown);
    }

    /** The sessions, each on a thread of its own, because they wait for the disk. */
    private final class Sessions implements Service {
        private final Endpoint endpoint;
        private final Shutdown shutdown;
        private final Output out = out();
        private final TargetDirectory target =
                new TargetDirectory(directory.toAbsolutePath().normalize(), force);
        private final ExecutorService threads = Executors.newCachedThreadPool();
        private final ClientLimits limits = limits().limits(DEFAULT_CLIENTS);
        private final AtomicBoolean served = new AtomicBoolean();
        private final AtomicReference<@Nullable Boolean> last = new AtomicReference<>();

        Sessions(Endpoint endpoint, Shutdown shutdown) {
            this.endpoint = endpoint;
            this.shutdown = shutdown;
        }

        /** On the event loop: decides by what can be known without waiting. */
        @Override
        public void onConnectionRequest(ConnectionRequest request) {
            if (PROTOCOL.rejectsOther(request)) {
                return;
            }
            if (once && served.getAndSet(true)) {
                request.reject("the server serves one client, and has it: start another one");
            } else if (limits.admits(request, FileSession.SLOTS * buffer)) {
                Conversation conversation = new Conversation();
                conversation.attach(request.queuePair());
                FileSession session = new FileSession(conversation, endpoint.domain(), target, (int) buffer, out);
                threads.execute(() -> serve(session));
                request.accept(PROTOCOL.request());
            }
        }

        private void serve(FileSession session) {
            try {
                last.set(session.run());
            } finally {
                if (once) {
                    shutdown.want();
                }
            }
        }

        /** Returns 1 if the only client failed. */
        @Override
        public int exitCode() {
            return once && !Boolean.TRUE.equals(last.get()) ? 1 : 0;
        }

        @Override
        public void close() {
            threads.shutdownNow();
            try {
                threads.awaitTermination(SESSION_END_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
