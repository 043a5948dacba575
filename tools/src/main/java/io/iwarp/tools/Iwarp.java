package io.iwarp.tools;

import io.iwarp.tools.cli.CommandGroup;
import io.iwarp.tools.cli.ErrorLines;
import io.iwarp.tools.conformance.Conformance;
import io.iwarp.tools.counter.CounterCommand;
import io.iwarp.tools.demo.Demo;
import io.iwarp.tools.echo.EchoClient;
import io.iwarp.tools.echo.EchoServer;
import io.iwarp.tools.file.FileCommand;
import io.iwarp.tools.perf.Perf;
import io.iwarp.tools.probe.Probe;
import io.iwarp.tools.rdma.Cmatose;
import io.iwarp.tools.rdma.Rping;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.TypeConversionException;

/** The {@code iwarp} command. Without a subcommand, prints the help. */
@Command(
        name = "iwarp",
        description = "RDMA over TCP (iWARP) on the JVM. Start with the demo, which needs only this machine.",
        footer = "%n'iwarp help COMMAND' describes a command.",
        subcommands = {
            Demo.class,
            EchoServer.class,
            EchoClient.class,
            FileCommand.class,
            CounterCommand.class,
            Rping.class,
            Cmatose.class,
            Perf.class,
            Probe.class
        })
public final class Iwarp extends CommandGroup {
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
        int exitCode;
        try {
            exitCode = command.execute(args);
        } catch (OutOfMemoryError e) {
            return ErrorLines.onOutOfMemory(e, command);
        }
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
        return configured(new CommandLine(new Iwarp())
                .addSubcommand(new Conformance(Iwarp::commandLine))
                .addSubcommand(new CompletionScript())
                .addSubcommand(new HelpPages()));
    }

    /**
     * The command with one subcommand alone, ready to be executed once. To make all of them takes more processor time
     * than a case of the conformance suite, which starts a client each time.
     */
    private static CommandLine commandLine(String subcommand) {
        return Stream.of(Iwarp.class.getAnnotation(Command.class).subcommands())
                .filter(type -> type.getAnnotation(Command.class).name().equals(subcommand))
                .findFirst()
                .map(type -> configured(new CommandLine(CommandSpec.create().name("iwarp")).addSubcommand(type)))
                .orElseGet(Iwarp::commandLine);
    }

    private static CommandLine configured(CommandLine command) {
        command.registerConverter(Path.class, Iwarp::path)
                .setParameterExceptionHandler(ErrorLines::onUsageError)
                .setExecutionExceptionHandler(ErrorLines::onFailure);
        layOut(command);
        return command;
    }

    private static Path path(String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new TypeConversionException("'" + text + "' cannot be a path in the encoding of this locale, "
                    + System.getProperty("sun.jnu.encoding") + ": set LC_ALL to a locale with UTF-8");
        }
    }

    /** Gives the help of a command and of all its subcommands the same form. */
    private static void layOut(CommandLine command) {
        command.getCommandSpec()
                .usageMessage()
                .abbreviateSynopsis(true)
                .autoWidth(true)
                .showDefaultValues(true)
                .sortOptions(false)
                .parameterListHeading("%nArguments:%n")
                .optionListHeading("%nOptions:%n")
                .commandListHeading("%nCommands:%n");
        command.getCommandSpec().args().stream()
                .flatMap(argument -> Stream.of(argument.auxiliaryTypes()))
                .filter(Class::isEnum)
                .forEach(type -> registerNames(command, type));
        command.getSubcommands().values().forEach(Iwarp::layOut);
    }

    /** An enum is written as the help shows it. picocli alone would take and list the names of the constants too. */
    private static <E> void registerNames(CommandLine command, Class<E> type) {
        List<E> constants = List.of(type.getEnumConstants());
        command.registerConverter(
                type,
                text -> constants.stream()
                        .filter(constant -> constant.toString().equalsIgnoreCase(text.replace('_', '-'))
                                || constant.toString().equalsIgnoreCase(text))
                        .findFirst()
                        .orElseThrow(() -> new TypeConversionException("'" + text + "' is none of "
                                + constants.stream().map(Object::toString).collect(Collectors.joining(", ")))));
    }
}
