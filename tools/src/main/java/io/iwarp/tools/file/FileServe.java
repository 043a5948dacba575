package io.iwarp.tools.file;

import io.iwarp.tools.cli.Application;
import io.iwarp.tools.cli.BlockingService;
import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.Conversation;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.OptionCheck;
import io.iwarp.tools.cli.Output;
import io.iwarp.tools.cli.ServerCommand;
import io.iwarp.tools.cli.Service;
import io.iwarp.tools.cli.Shutdown;
import io.iwarp.verbs.ConnectionRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
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

    @Option(names = "--force", description = "Replace files that exist.")
    private boolean force;

    @Option(
            names = "--once",
            description = "End after one client, with exit code 1 if its file was not stored or fetched.")
    private boolean once;

    @Override
    protected Service begin(Endpoint endpoint, Shutdown shutdown) throws IOException {
        OptionCheck.sizeWithin("--buffer", buffer, MIN_BUFFER, MAX_BUFFER);
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

    private final class Sessions extends BlockingService {
        private final Endpoint endpoint;
        private final Output out = out();
        private final TargetDirectory target =
                new TargetDirectory(directory.toAbsolutePath().normalize(), force);

        Sessions(Endpoint endpoint, Shutdown shutdown) {
            super(limits().limits(DEFAULT_CLIENTS), FileSession.SLOTS * buffer, once, shutdown, PROTOCOL.request());
            this.endpoint = endpoint;
        }

        @Override
        public void onConnectionRequest(ConnectionRequest request) {
            if (!PROTOCOL.rejectsOther(request)) {
                super.onConnectionRequest(request);
            }
        }

        @Override
        protected boolean serve(Conversation client) {
            return new FileSession(client, endpoint.domain(), target, (int) buffer, out).run();
        }
    }
}
