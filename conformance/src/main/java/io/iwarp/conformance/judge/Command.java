package io.iwarp.conformance.judge;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** A program of the user, in which {@code {port}}, {@code {size}} and {@code {count}} are filled in. */
public final class Command implements ClientLink.Starter {
    /** How many pings the client should make. */
    public static final int COUNT = 400;

    /** The variable in the environment of a program and of all that it starts. */
    private static final String MARK = "IWARP_CONFORMANCE_COMMAND";

    private static final int MAX_OUTPUT = 2000;
    private static final int CHUNK = 1 << 13;
    private static final Duration END = Duration.ofSeconds(5);

    private final List<String> words;

    /** @param words the program and its arguments */
    public Command(List<String> words) {
        this.words = List.copyOf(words);
    }

    /** Returns the words with the values filled in. */
    public static List<String> fill(List<String> words, int port, int size) {
        return words.stream()
                .map(word -> word.replace("{port}", Integer.toString(port))
                        .replace("{size}", Integer.toString(size))
                        .replace("{count}", Integer.toString(COUNT)))
                .toList();
    }

    @Override
    public ClientLink.Program start(int port, int size) throws IOException {
        try {
            ProcessBuilder builder = new ProcessBuilder(fill(words, port, size))
                    .redirectErrorStream(true)
                    .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
            String mark = UUID.randomUUID().toString();
            builder.environment().put(MARK, mark);
            Process process = builder.start();
            return new Running(process, mark, Output.of(process.getInputStream()));
        } catch (IOException e) {
            throw new IOException(
                    "the COMMAND '" + words.get(0) + "' does not start: " + e.getMessage() + ": check its path", e);
        }
    }

    /** The last of what a program printed, however much it is. */
    private static final class Output implements Runnable {
        private final InputStream in;
        private final StringBuilder last = new StringBuilder();
        private final Thread thread = new Thread(this, "conformance-output");

        private Output(InputStream in) {
            this.in = in;
        }

        /** Returns what a thread of its own reads, until all that have the stream open are gone. */
        static Output of(InputStream in) {
            Output output = new Output(in);
            output.thread.setDaemon(true);
            output.thread.start();
            return output;
        }

        @Override
        public void run() {
            byte[] chunk = new byte[CHUNK];
            try (in) {
                for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
                    add(new String(chunk, 0, count, StandardCharsets.ISO_8859_1));
                }
            } catch (IOException e) {
                add("; its output cannot be read: " + e.getMessage());
            }
        }

        private synchronized void add(String text) {
            last.append(text);
            last.delete(0, Math.max(0, last.length() - MAX_OUTPUT));
        }

        /** Waits until all is read. A program that has detached may keep the stream open: then only for some time. */
        void awaitEnd() {
            try {
                thread.join(END.toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        synchronized String text() {
            return last.toString().replaceAll("\\p{Cntrl}+", " ");
        }
    }

    private record Running(Process process, String mark, Output printed) implements ClientLink.Program {
        @Override
        public boolean ends(Duration patience) {
            try {
                return process.waitFor(patience.toNanos(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }

        @Override
        public String output() {
            if (!process.isAlive()) {
                printed.awaitEnd();
            }
            return printed.text();
        }

        @Override
        public void end() {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            ends(END);
            ProcessHandle.allProcesses().filter(this::isMarked).forEach(ProcessHandle::destroyForcibly);
        }

        /**
         * Returns whether a process was started by this program, though it may have detached from it. A process
         * inherits its environment, which Linux shows; elsewhere nothing is found here.
         */
        private boolean isMarked(ProcessHandle other) {
            try {
                Path environment = Path.of("/proc", Long.toString(other.pid()), "environ");
                return Files.readString(environment, StandardCharsets.ISO_8859_1)
                        .contains(MARK + "=" + mark);
            } catch (IOException e) {
                // It has ended, or belongs to another user.
                return false;
            }
        }
    }
}
