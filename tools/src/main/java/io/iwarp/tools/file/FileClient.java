package io.iwarp.tools.file;

import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.ClientCommand;
import io.iwarp.tools.cli.Conversation;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.Output;
import io.iwarp.tools.cli.Progress;
import io.iwarp.verbs.QueuePair;
import java.io.IOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A client of the file server. */
abstract class FileClient extends ClientCommand {
    /** Stands for stdin or stdout. */
    static final String STANDARD_STREAM = "-";

    @Option(
            names = "--progress",
            negatable = true,
            description = "Show a progress bar on stderr, or show none. Default: show it on a terminal.")
    private @Nullable Boolean showProgress;

    /** Connects; the conversation has the connection. */
    final void connect(Endpoint endpoint, Conversation conversation) throws IOException, InterruptedException {
        QueuePair queuePair =
                endpoint.connect(address(), settings().build(), FileServe.PROTOCOL.request(), conversation::attach);
        FileServe.PROTOCOL.restOfReply(queuePair, 0);
    }

    /** Draws a progress bar, if it is wanted. */
    final Progress progress(String name, long size) {
        return Progress.begin(spec().commandLine().getErr(), name, size, showProgress);
    }

    /**
     * Prints what was done.
     *
     * @param what the server and the file
     * @param place where the file is now
     */
    static void report(Output out, String what, long size, long nanos, String hash, String place) {
        out.line(String.format(
                Locale.ROOT,
                "%s: %s in %s, %s%s",
                what,
                Bytes.exactly(size),
                Bytes.time(nanos),
                Bytes.rate(size, nanos),
                place));
        out.line("SHA-256 " + hash + ", computed by both ends");
    }
}
