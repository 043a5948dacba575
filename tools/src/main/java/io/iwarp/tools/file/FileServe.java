package io.iwarp.tools.file;

import io.iwarp.tools.cli.Application;
import io.iwarp.tools.cli.Bytes;
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
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Option;

/** Stores the files that clients write into its memory, and lets clients read them from there. */
@Command(
        name = "serve",
        description = {
            "Stores files that clients write into its memory.",
            "A file appears in the directory when it is complete and has the SHA-256 that the client"
                    + " computed. Clients may also read the files of the directory whose names do not begin with a dot."
        },
        footer = {"%nExample:", "  iwarp file serve --port 7471 --directory inbox"})
final class FileServe extends ServerCommand {
    static final Application PROTOCOL = new Application(
            "iwarp write 1", "a server of 'iwarp file serve', to be used by 'iwarp file put' and 'file get'");

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

    @Option(
            names = "--clients",
            paramLabel = "N",
            defaultValue = "8",
            description = "How many clients may be connected at the same time. Others are rejected.")
    private int clients;

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
        require(clients >= 1, "--clients must be at least 1");
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
        private final Semaphore free = new Semaphore(once ? 1 : clients);
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
            if (!free.tryAcquire()) {
                request.reject("the server has as many clients as --clients allows: try again later");
            } else {
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
                // Free the place for the next client, however the session ends.
                if (once) {
                    shutdown.want();
                } else {
                    free.release();
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
