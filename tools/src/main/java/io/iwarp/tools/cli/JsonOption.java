package io.iwarp.tools.cli;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Results as lines of JSON, each one object that also says which run it is of. */
public class JsonOption {
    private static final Path STANDARD_OUTPUT = Path.of("-");

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = "Append each result to this file, in one line of JSON; - is stdout, which then has nothing"
                    + " else.")
    private @Nullable Path file;

    @Option(names = "--label", paramLabel = "TEXT", description = "A name for this run in the JSON.")
    private @Nullable String label;

    /** Returns where the command prints results. */
    final Output out() {
        return new Output(spec.commandLine().getOut());
    }

    /** Returns whether results are all that stdout shows. */
    public final boolean toStandardOutput() {
        return STANDARD_OUTPUT.equals(file);
    }

    /** Returns whether results go to this file. */
    public final boolean writesTo(Path other) {
        return file != null
                && !toStandardOutput()
                && file.toAbsolutePath()
                        .normalize()
                        .equals(other.toAbsolutePath().normalize());
    }

    /** Opens the file, if one is named. The caller closes it. */
    public final ResultFile open() {
        return ResultFile.open("--json", toStandardOutput() ? null : file);
    }

    /**
     * Writes a result.
     *
     * @param target from {@link #open}
     */
    public final void write(ResultFile target, Json.Fields result) throws IOException {
        String line = Json.object(json -> {
            result.write(json);
            json.writeStringField(
                    "time", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
            json.writeStringField("host", host());
            json.writeStringField("version", Version.text());
            json.writeStringField("command", command(spec));
            if (label != null) {
                json.writeStringField("label", label);
            }
        });
        if (toStandardOutput()) {
            out().line(line);
        } else {
            target.append(line + "\n");
        }
    }

    /** Returns the command line of a command. */
    public static String command(CommandSpec spec) {
        return "iwarp "
                + String.join(" ", spec.root().commandLine().getParseResult().originalArgs());
    }

    /** Returns the name of this machine, its system and its JVM. */
    public static String host() {
        String name;
        try {
            name = InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            name = "unknown";
        }
        return name + ": " + System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                + System.getProperty("os.arch") + ", " + Runtime.getRuntime().availableProcessors()
                + " processors, Java " + System.getProperty("java.version");
    }
}
