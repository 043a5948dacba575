package io.iwarp.tools.conformance;

import io.iwarp.conformance.judge.ClientLink;
import io.iwarp.conformance.judge.Command;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine;

/** A command of this program that runs on a thread of this process. */
final class CommandInProcess implements ClientLink.Starter {
    private static final Duration END = Duration.ofSeconds(15);

    private final Function<String, CommandLine> iwarp;
    private final List<String> words;

    /** @param iwarp returns the command for a subcommand, ready to be executed once */
    CommandInProcess(Function<String, CommandLine> iwarp, List<String> words) {
        this.iwarp = iwarp;
        this.words = List.copyOf(words);
    }

    @Override
    public ClientLink.Program start(int port, int size) {
        String[] arguments = Command.fill(words, port, size).toArray(String[]::new);
        StringWriter output = new StringWriter();
        PrintWriter printer = new PrintWriter(output, true);
        CommandLine command = iwarp.apply(arguments[0]).setOut(printer).setErr(printer);
        Thread thread = new Thread(() -> command.execute(arguments), "conformance-client");
        thread.setDaemon(true);
        thread.start();
        return new Running(thread, output);
    }

    private record Running(Thread thread, StringWriter printed) implements ClientLink.Program {
        @Override
        public boolean ends(Duration patience) {
            try {
                // A join without a limit is one of 0 ms.
                thread.join(Math.max(1, patience.toMillis()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return !thread.isAlive();
        }

        @Override
        public String output() {
            return printed.toString();
        }

        @Override
        public void end() {
            thread.interrupt();
            ends(END);
        }
    }
}
