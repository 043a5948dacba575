package io.iwarp.tools.cli;

import io.iwarp.ConnectionClosedException;
import io.iwarp.ConnectionRejectedException;
import io.iwarp.EndedBy;
import io.iwarp.IwarpException;
import io.netty.channel.ConnectTimeoutException;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.Collection;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Formats errors as one line: the problem and what to do. {@code --verbose} adds the stack trace. */
public final class ErrorLines {
    private static final Logger LOGGER = LoggerFactory.getLogger(ErrorLines.class);

    private ErrorLines() {}

    /** The command line was wrong: one line, and where the help is. */
    public static int onUsageError(ParameterException failure, String[] args) {
        CommandLine command = failure.getCommandLine();
        if (failure instanceof UnmatchedArgumentException unmatched
                && !command.getSubcommands().isEmpty()
                && !unmatched.getUnmatched().get(0).startsWith("-")) {
            String word = unmatched.getUnmatched().get(0);
            new Output(command.getErr())
                    .line(command.getCommandSpec().qualifiedName() + " has no command '" + word + "':"
                            + didYouMean(word, command.getSubcommands().keySet()) + " '" + helpOf(command)
                            + "' lists all commands");
            return ExitCode.USAGE;
        }
        String guess = failure instanceof UnmatchedArgumentException unmatched
                ? didYouMean(
                        unmatched.getUnmatched().get(0),
                        command.getCommandSpec().optionsMap().keySet())
                : "";
        new Output(command.getErr()).line(failure.getMessage() + (guess.isEmpty() ? "" : ":" + guess));
        new Output(command.getErr()).line("'" + helpOf(command) + "' tells how it is used.");
        return ExitCode.USAGE;
    }

    private static String didYouMean(String word, Collection<String> candidates) {
        return Spelling.closest(word, candidates)
                .map(closest -> " did you mean " + closest + "?")
                .orElse("");
    }

    private static String helpOf(CommandLine command) {
        return command.getCommandSpec().qualifiedName() + " --help";
    }

    /** The command failed: one line. */
    public static int onFailure(Exception failure, CommandLine command, ParseResult parsed) {
        if (failure instanceof OptionCheck.BadOptionException) {
            return onUsageError(new ParameterException(command, failure.getMessage()), new String[0]);
        }
        LOGGER.debug("{} failed", command.getCommandSpec().qualifiedName(), failure);
        new Output(command.getErr()).line(command.getCommandSpec().qualifiedName() + ": " + describe(failure));
        return ExitCode.SOFTWARE;
    }

    /** The memory of the JVM does not suffice: one line. */
    public static int onOutOfMemory(OutOfMemoryError failure, CommandLine command) {
        new Output(command.getErr()).line(command.getCommandSpec().qualifiedName() + ": " + describe(failure));
        return ExitCode.SOFTWARE;
    }

    /** Why a connection was not set up, and what to do, in one line. */
    public static String describeSetup(ConnectionClosedException failure) {
        return describe(failure) + (tlsFailure(failure) == null ? "; both sides need --tls, or neither" : "");
    }

    /** What went wrong and what to do, in one line. */
    public static String describe(Throwable failure) {
        String message = String.valueOf(failure.getMessage());
        IOException unconnected = connectFailure(failure);
        if (unconnected != null) {
            return describe(unconnected);
        }
        if (failure instanceof ConnectionRejectedException rejected) {
            return "the other side refused the connection: " + reasonOf(rejected);
        }
        Throwable tls = tlsFailure(failure);
        if (tls != null) {
            return "TLS failed: " + tls.getMessage() + ": check --tls, --cert, --key and --ca on both sides";
        }
        if (failure instanceof CommandFailedException || failure instanceof IwarpException) {
            return message;
        }
        if (failure instanceof ConnectTimeoutException) {
            return message + ": check the address, and whether a firewall is in between";
        }
        if (failure instanceof ConnectException) {
            return message + ": start the server there first, or check the address";
        }
        if (failure instanceof BindException) {
            return message + ": choose another --port, or an address of this machine for --bind";
        }
        if (failure instanceof UnknownHostException) {
            return "no host is known by the name " + message + ": check the address";
        }
        return describeRest(failure, message);
    }

    /** Returns what TCP reported if it could not connect, null if something else failed. */
    static @Nullable IOException connectFailure(Throwable failure) {
        return failure instanceof ConnectionClosedException closed
                        && closed.reason().endedBy() == EndedBy.TRANSPORT
                        && closed.reason().error() == null
                        && closed.reason().cause() instanceof IOException io
                        && !(io instanceof SSLException)
                ? io
                : null;
    }

    /** Returns why TLS ended a connection, null if it did not. */
    private static @Nullable Throwable tlsFailure(Throwable failure) {
        Throwable cause = failure instanceof ConnectionClosedException ended
                ? ended.reason().cause()
                : failure;
        while (cause != null && !(cause instanceof SSLException)) {
            cause = cause.getCause();
        }
        while (cause != null && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    private static String describeRest(Throwable failure, String message) {
        if (failure instanceof OutOfMemoryError) {
            return "out of memory (" + message + "): ask for less, or start java with a greater -Xmx or"
                    + " -XX:MaxDirectMemorySize, for example by IWARP_OPTS";
        }
        if (failure instanceof NoSuchFileException) {
            return "there is no " + message + ": check the path";
        }
        if (failure instanceof AccessDeniedException) {
            return "access to " + message + " is denied: check the permissions";
        }
        if (failure instanceof InterruptedException || failure instanceof ClosedByInterruptException) {
            return "interrupted before it was done";
        }
        if (failure instanceof IOException) {
            return message;
        }
        return failure + ": this is a fault of the program; --verbose shows where";
    }

    /** Servers of this package send the reason in the private data. Other servers may send nothing, or binary data. */
    private static String reasonOf(ConnectionRejectedException rejected) {
        byte[] privateData = rejected.privateData();
        return privateData.length == 0 ? "it gave no reason" : new String(privateData, StandardCharsets.UTF_8);
    }
}
