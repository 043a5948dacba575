package io.iwarp.tools.cli;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.ConnectionRejectedException;
import io.iwarp.EndedBy;
import io.iwarp.IwarpException;
import io.iwarp.ProtocolError;
import io.netty.channel.ConnectTimeoutException;
import io.netty.handler.ssl.NotSslRecordException;
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

/**
 * Formats errors: what happened, and after a colon the value, the limit, what to do, and the numbers of the RFCs. A
 * command prints what happened in one line and the rest in a second one. {@code --verbose} adds the stack trace.
 */
public final class ErrorLines {
    private static final Logger LOGGER = LoggerFactory.getLogger(ErrorLines.class);

    private static final String FAULT = ": this is a fault of the program: please report it";

    private ErrorLines() {}

    /** The command line was wrong: one line, and where the help is. */
    public static int onUsageError(ParameterException failure, String[] args) {
        CommandLine command = failure.getCommandLine();
        Output err = new Output(command.getErr());
        String guess = "";
        if (failure instanceof UnmatchedArgumentException unmatched) {
            String word = unmatched.getUnmatched().get(0);
            if (!command.getSubcommands().isEmpty() && !word.startsWith("-")) {
                err.line(command.getCommandSpec().qualifiedName() + " has no command '" + word + "':"
                        + didYouMean(word, command.getSubcommands().keySet()) + " '" + helpOf(command)
                        + "' lists all commands");
                return ExitCode.USAGE;
            }
            guess = didYouMean(word, command.getCommandSpec().optionsMap().keySet());
        }
        String message = String.valueOf(failure.getMessage())
                .replaceFirst("is not an? (?:int|long)$", "is not a whole number")
                .replaceFirst("is not a double$", "is not a number");
        err.line(message + (guess.isEmpty() ? "" : ":" + guess));
        err.line("See '" + helpOf(command) + "'.");
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

    /** The command failed: two lines. */
    public static int onFailure(Exception failure, CommandLine command, ParseResult parsed) {
        if (failure instanceof OptionCheck.BadOptionException) {
            return onUsageError(new ParameterException(command, failure.getMessage()), new String[0]);
        }
        LOGGER.debug("{} failed", command.getCommandSpec().qualifiedName(), failure);
        String error = describe(failure);
        boolean shows = error.endsWith(FAULT) && command.getCommandSpec().findOption("--verbose") != null;
        print(command, shows ? error + "; --verbose shows where" : error);
        return ExitCode.SOFTWARE;
    }

    /** The memory of the JVM does not suffice: two lines. */
    public static int onOutOfMemory(OutOfMemoryError failure, CommandLine command) {
        print(command, describe(failure));
        return ExitCode.SOFTWARE;
    }

    /** Prints an error of a command in two lines. */
    public static void print(CommandLine command, String error) {
        int end = error.indexOf(": ");
        Output err = new Output(command.getErr());
        err.line(command.getCommandSpec().qualifiedName() + ": " + (end < 0 ? error : error.substring(0, end)));
        if (end >= 0) {
            err.line("  " + error.substring(end + 2));
        }
    }

    /** Returns why a connection was not set up, and what to do. */
    public static String describeSetup(ConnectionClosedException failure) {
        boolean known = failure.reason().endedBy() == EndedBy.LOCAL_APPLICATION || tlsFailure(failure) != null;
        return describe(failure)
                + (known ? "" : "; both sides need --tls, or neither: iwarp probe shows what the other side is");
    }

    /** Returns why a stream has ended, and what to do. */
    public static String describe(CloseReason reason) {
        return describe(new ConnectionClosedException(reason));
    }

    private static String describeEnd(CloseReason reason) {
        String happened = switch (reason.endedBy()) {
            case LOCAL_APPLICATION -> "this side closed the connection";
            case LOCAL_FAULT -> "the other side broke the protocol";
            case PEER_TERMINATE -> "the other side ended the connection with an error";
            case PEER_CLOSED -> "the other side closed the connection";
            case PEER_REJECTED -> "the other side refused the connection";
            case TIMEOUT -> "the other side did not answer in time";
            case TRANSPORT -> "the connection was lost";
        };
        ProtocolError error = reason.error();
        String detail = reason.detail()
                + (error == null
                        ? ""
                        : (reason.detail().isEmpty() ? "" : "; ") + error.explanation() + " (" + error + ")");
        return detail.isEmpty() ? happened : happened + ": " + detail;
    }

    /** Returns what went wrong and what to do, in one line. */
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
            // Netty adds the bytes that are no record.
            String reason = tls instanceof NotSslRecordException ? "the other side does not use TLS" : tls.getMessage();
            return "TLS failed: " + reason + ": check --tls, --cert, --key and --ca on both sides";
        }
        if (failure instanceof ConnectionClosedException closed) {
            return closed.reason().cause() instanceof OutOfMemoryError memory
                    ? describe(memory)
                    : describeEnd(closed.reason());
        }
        if (failure instanceof CommandFailedException || failure instanceof IwarpException) {
            return message;
        }
        if (failure instanceof ConnectTimeoutException) {
            return message + ": check the address, and whether a firewall is in between";
        }
        if (failure instanceof ConnectException) {
            return plainAddress(message) + ": start the server there first, or check the address";
        }
        if (failure instanceof BindException) {
            return plainAddress(message) + ": choose another --port, or an address of this machine for --bind";
        }
        if (failure instanceof UnknownHostException) {
            return "no host is known by the name " + message + ": check the address";
        }
        return describeRest(failure, message);
    }

    /** The text of an address without a name begins with a slash. */
    private static String plainAddress(String message) {
        return message.replace(" /", " ");
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
        return cause == null ? null : innermost(cause);
    }

    /** Returns the cause that has no cause itself. */
    static Throwable innermost(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
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
        return failure + FAULT;
    }

    /** Servers of this package send the reason in the private data. Other servers may send nothing, or binary data. */
    private static String reasonOf(ConnectionRejectedException rejected) {
        byte[] privateData = rejected.privateData();
        return privateData.length == 0 ? "it gave no reason" : new String(privateData, StandardCharsets.UTF_8);
    }
}
