package io.iwarp.tools;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The {@code iwarp} command. Without a subcommand, prints the help. */
@Command(
        name = "iwarp",
        mixinStandardHelpOptions = true,
        versionProvider = Iwarp.Version.class,
        description = "RDMA over TCP (iWARP) on the JVM. Start with the demo, which needs only this machine.",
        footer = "%n'iwarp help COMMAND' describes a command.",
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
            Conformance.class,
            CompletionScript.class,
            HelpPages.class
        })
public final class Iwarp implements Runnable {
    @Spec
    private CommandSpec spec;

    private Iwarp() {}

    /** Runs the command and ends the process with its exit code. */
    public static void main(String[] args) {
        System.exit(execute(commandLine(), args));
    }

    /**
     * Returns the exit code of a command. It is not 0 if the output could not be written, so that truncated results are
     * not mistaken for complete ones.
     */
    static int execute(CommandLine command, String... args) {
        int exitCode = command.execute(args);
        // A writer of picocli does not report failures of its stream.
        boolean complete = !command.getOut().checkError() && !System.out.checkError();
        if (!complete && exitCode == ExitCode.OK) {
            command.getErr().println("iwarp: stdout cannot be written: the output is not complete");
            return ExitCode.SOFTWARE;
        }
        return exitCode;
    }

    /** The command with all its subcommands, ready to be executed once. */
    static CommandLine commandLine() {
        CommandLine command = new CommandLine(new Iwarp())
                .setParameterExceptionHandler(ErrorLines::onUsageError)
                .setExecutionExceptionHandler(ErrorLines::onFailure)
                .registerConverter(PerfOperation.class, new Choices<>(PerfOperation.class))
                .registerConverter(PerfMode.class, new Choices<>(PerfMode.class))
                .registerConverter(Transport.class, new Choices<>(Transport.class))
                .registerConverter(ConformanceOptions.PeerKind.class, new Choices<>(ConformanceOptions.PeerKind.class))
                .registerConverter(CompletionScript.Shell.class, new Choices<>(CompletionScript.Shell.class));
        GroupedOptions.applyTo(command);
        return command;
    }

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    /** Returns the version of this command. */
    static String version() {
        String version = Iwarp.class.getPackage().getImplementationVersion();
        return version == null ? "(not run from its jar)" : version;
    }

    /** The version that the build wrote into the jar. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"iwarp " + version()};
        }
    }
}
