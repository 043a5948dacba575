package io.iwarp.tools;

import io.iwarp.ConnectionRejectedException;
import io.iwarp.IwarpException;
import io.netty.channel.ConnectTimeoutException;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Says in one line what went wrong and what to do; the stack trace is for {@code --verbose}. */
final class ErrorLines {
    private static final Logger LOGGER = LoggerFactory.getLogger(ErrorLines.class);

    private ErrorLines() {}

    /** The command line was wrong: one line, and where the help is. */
    static int onUsageError(ParameterException failure, String[] args) {
        CommandLine command = failure.getCommandLine();
        String name = command.getCommandSpec().qualifiedName();
        if (failure instanceof UnmatchedArgumentException unmatched
                && !command.getSubcommands().isEmpty()
                && !unmatched.getUnmatched().get(0).startsWith("-")) {
            command.getErr()
                    .println(name + " has no command '"
                            + unmatched.getUnmatched().get(0) + "': '" + name + " --help' lists those that it has");
            return ExitCode.USAGE;
        }
        command.getErr().println(failure.getMessage());
        command.getErr().println("'" + name + " --help' tells how it is used.");
        return ExitCode.USAGE;
    }

    /** The command failed: one line. */
    static int onFailure(Exception failure, CommandLine command, ParseResult parsed) {
        LOGGER.debug("{} failed", command.getCommandSpec().qualifiedName(), failure);
        command.getErr().println(command.getCommandSpec().qualifiedName() + ": " + describe(failure));
        return ExitCode.SOFTWARE;
    }

    /** What went wrong and what to do, in one line. */
    static String describe(Throwable failure) {
        String message = String.valueOf(failure.getMessage());
        if (failure instanceof ConnectionRejectedException rejected) {
            return "the other side refused the connection: " + reasonOf(rejected);
        }
        if (failure instanceof CommandFailedException || failure instanceof IwarpException) {
            return oneLine(message);
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

    private static String describeRest(Throwable failure, String message) {
        if (failure instanceof NoSuchFileException) {
            return "there is no " + message + ": check the path";
        }
        if (failure instanceof AccessDeniedException) {
            return "access to " + message + " is denied: check the permissions";
        }
        if (failure instanceof InterruptedException) {
            return "interrupted before it was done";
        }
        if (failure instanceof IOException) {
            return oneLine(message);
        }
        return oneLine(failure + ": this is a fault of the program; --verbose shows where");
    }

    /** Servers of this package say why in the private data; those of others may say nothing, or nothing legible. */
    private static String reasonOf(ConnectionRejectedException rejected) {
        byte[] privateData = rejected.privateData();
        return privateData.length == 0 ? "it gave no reason" : oneLine(new String(privateData, StandardCharsets.UTF_8));
    }

    /** What a peer sent is shown, but cannot add lines or move the cursor. */
    static String oneLine(String text) {
        return text.replaceAll("\\p{Cntrl}+", " ");
    }
}
