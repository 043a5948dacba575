package io.iwarp.tools;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The {@code iwarp} command; alone it prints its help. */
@Command(
        name = "iwarp",
        mixinStandardHelpOptions = true,
        versionProvider = Iwarp.Version.class,
        description = "RDMA over TCP (iWARP) on the JVM. Begin with the demo; it needs nothing but this machine.",
        footer = "%n'iwarp COMMAND --help' tells more about a command.",
        subcommands = {
            Demo.class,
            Counting.class,
            EchoServer.class,
            EchoClient.class,
            WriteServer.class,
            WriteClient.class,
            ReadClient.class,
            CounterServer.class,
            CounterClient.class,
            KvServer.class,
            KvClient.class,
            Rping.class,
            Cmatose.class,
            RdmaServer.class,
            RdmaClient.class,
            Perf.class,
            CompletionScript.class
        })
public final class Iwarp implements Runnable {
    @Spec
    private CommandSpec spec;

    private Iwarp() {}

    /** Runs the command and ends the process with its exit code. */
    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    /** The command with all its subcommands, ready to be executed once. */
    static CommandLine commandLine() {
        return new CommandLine(new Iwarp())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler(ErrorLines::onUsageError)
                .setExecutionExceptionHandler(ErrorLines::onFailure);
    }

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    /** The version that the build wrote into the jar. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Iwarp.class.getPackage().getImplementationVersion();
            return new String[] {"iwarp " + (version == null ? "(not run from its jar)" : version)};
        }
    }
}
