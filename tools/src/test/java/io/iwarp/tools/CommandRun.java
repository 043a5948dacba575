package io.iwarp.tools;

import java.io.PrintWriter;
import java.io.Writer;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine;

/** One run of the {@code iwarp} command in this process, with what it prints. */
public final class CommandRun implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 240;
    private static final Pattern LISTENING = Pattern.compile("listening on (\\S+),.*");

    private final Lines out = new Lines();
    private final Lines err = new Lines();
    private final CompletableFuture<Integer> exitCode = new CompletableFuture<>();
    private final Thread thread;

    private CommandRun(String... arguments) {
        thread = new Thread(() -> execute(arguments), String.join(" ", arguments));
        thread.start();
    }

    private void execute(String... arguments) {
        try {
            CommandLine command = Iwarp.commandLine();
            command.setOut(new PrintWriter(out, true));
            command.setErr(new PrintWriter(err, true));
            exitCode.complete(Iwarp.execute(command, arguments));
        } catch (RuntimeException | Error e) {
            exitCode.completeExceptionally(e);
        }
    }

    /** Starts a command; close it to end it. */
    public static CommandRun start(String... arguments) {
        return new CommandRun(arguments);
    }

    /** Runs a command to its end. */
    public static CommandRun of(String... arguments) {
        CommandRun run = start(arguments);
        run.exitCode();
        return run;
    }

    /** Waits for the end. */
    public int exitCode() {
        try {
            return exitCode.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError(
                    "'" + thread.getName() + "' has not ended within " + PATIENCE_SECONDS + " s; " + printed(), e);
        } catch (InterruptedException | ExecutionException e) {
            throw new AssertionError("'" + thread.getName() + "' was not awaited; " + printed(), e);
        }
    }

    private String printed() {
        return "it printed:\n" + out() + "\nand errors:\n" + err();
    }

    /** What was printed so far. */
    public String out() {
        return out.text();
    }

    /** What was complained of so far. */
    public String err() {
        return err.text();
    }

    /** Returns the error of the command: its only output on stderr, in at most two lines, here in one. */
    public String error() {
        List<String> lines = err().lines().toList();
        if (lines.isEmpty()
                || lines.size() > 2
                || (lines.size() == 2 && !lines.get(1).startsWith("  "))) {
            throw new AssertionError("expected an error in two lines; " + printed());
        }
        return lines.stream().map(String::strip).collect(Collectors.joining(": "));
    }

    /** Waits until a server says where it listens. */
    public String address() throws InterruptedException {
        return awaitLine(LISTENING).group(1);
    }

    /** Waits for the next line that matches; earlier ones are passed over. */
    public Matcher awaitLine(Pattern pattern) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (true) {
            String line = out.queue.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (line == null) {
                throw new AssertionError("no line " + pattern + " of '" + thread.getName() + "'; " + printed());
            }
            Matcher matcher = pattern.matcher(line);
            if (matcher.matches()) {
                return matcher;
            }
        }
    }

    /** Ends the command as Ctrl-C would, and waits for it. */
    public int stop() {
        thread.interrupt();
        return exitCode();
    }

    @Override
    public void close() {
        stop();
    }

    /** Takes lines apart. */
    private static final class Lines extends Writer {
        private final StringBuilder text = new StringBuilder();
        private final StringBuilder line = new StringBuilder();
        private final BlockingQueue<String> queue = new LinkedBlockingQueue<>();

        @Override
        public void write(char[] buffer, int offset, int length) {
            synchronized (text) {
                text.append(buffer, offset, length);
                line.append(buffer, offset, length);
                for (int end = line.indexOf("\n"); end >= 0; end = line.indexOf("\n")) {
                    queue.add(line.substring(0, end).strip());
                    line.delete(0, end + 1);
                }
            }
        }

        String text() {
            synchronized (text) {
                return text.toString();
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
