package io.iwarp.conformance.judge;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A program of the user, in which {@code {port}}, {@code {size}} and {@code {count}} are filled in. */
public final class Command implements ClientLink.Starter {
    /** How many pings the client should make. */
    public static final int COUNT = 3;

    private static final int LONGEST_OUTPUT = 2000;
    private static final long END_SECONDS = 5;

    private final List<String> words;

    /** @param words the program and its arguments */
    public Command(List<String> words) {
        this.words = List.copyOf(words);
    }

    /** {@return the words with the values filled in} */
    public static List<String> fill(List<String> words, int port, int size) {
        return words.stream()
                .map(word -> word.replace("{port}", Integer.toString(port))
                        .replace("{size}", Integer.toString(size))
                        .replace("{count}", Integer.toString(COUNT)))
                .toList();
    }

    @Override
    public ClientLink.Program start(int port, int size) throws IOException {
        File output = Files.createTempFile("conformance", ".log").toFile();
        try {
            Process process = new ProcessBuilder(fill(words, port, size))
                    .redirectErrorStream(true)
                    .redirectOutput(output)
                    .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                    .start();
            return new Running(process, output);
        } catch (IOException e) {
            Files.delete(output.toPath());
            throw new IOException("the COMMAND '" + words.get(0) + "' does not start: " + e.getMessage(), e);
        }
    }

    private record Running(Process process, File file) implements ClientLink.Program {
        @Override
        public boolean running() {
            return process.isAlive();
        }

        @Override
        public String output() {
            try {
                String all = Files.readString(file.toPath(), StandardCharsets.ISO_8859_1);
                return all.substring(Math.max(0, all.length() - LONGEST_OUTPUT)).replaceAll("\\p{Cntrl}+", " ");
            } catch (IOException e) {
                return "";
            }
        }

        @Override
        public void end() {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            try {
                process.waitFor(END_SECONDS, TimeUnit.SECONDS);
                Files.deleteIfExists(file.toPath());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
