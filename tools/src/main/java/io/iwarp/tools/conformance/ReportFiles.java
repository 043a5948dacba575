package io.iwarp.tools.conformance;

import io.iwarp.conformance.judge.Link;
import io.iwarp.conformance.judge.Result;
import io.iwarp.conformance.report.CaseCapture;
import io.iwarp.conformance.report.Html;
import io.iwarp.conformance.report.JUnit;
import io.iwarp.conformance.report.Json;
import io.iwarp.conformance.report.Report;
import io.iwarp.tools.cli.OptionCheck;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The files that a run is asked to write. */
final class ReportFiles {
    private static final Path STANDARD_OUTPUT = Path.of("-");

    @Option(names = "--html", paramLabel = "FILE", description = "Write a report to look at.")
    private @Nullable Path html;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = "Write a report for programs; - is stdout, which then has nothing else.")
    private @Nullable Path json;

    @Option(names = "--junit", paramLabel = "FILE", description = "Write a report as JUnit does.")
    private @Nullable Path junit;

    @Option(
            names = "--pcap-dir",
            paramLabel = "FOLDER",
            description = "Write what each case that failed has sent and received, for Wireshark.")
    private @Nullable Path captures;

    @FunctionalInterface
    private interface Writing {
        void into(Path path) throws IOException;
    }

    /** Returns whether a report is all that stdout shows. */
    boolean toStandardOutput() {
        return STANDARD_OUTPUT.equals(json);
    }

    private @Nullable Path jsonFile() {
        return toStandardOutput() ? null : json;
    }

    /**
     * Writes the report of a run that has no results yet, so that no report of an earlier run is left. Ends the command
     * with an error message if a file is given twice or cannot be written.
     */
    void begin(Report empty) {
        List<Path> files = Stream.of(html, json, junit)
                .filter(Objects::nonNull)
                .map(Objects::requireNonNull)
                .toList();
        for (int i = 1; i < files.size(); i++) {
            Path file = files.get(i);
            OptionCheck.require(
                    files.subList(0, i).stream().noneMatch(other -> isSame(other, file)),
                    file + " is given for two reports: give each report a file of its own");
        }
        List<String> complaints = new ArrayList<>();
        attempt("--html", html, intoRegularFile(file -> Html.write(empty, file)), complaints);
        attempt("--json", jsonFile(), intoRegularFile(file -> Json.write(empty, file)), complaints);
        attempt("--junit", junit, intoRegularFile(file -> JUnit.write(empty, file)), complaints);
        attempt(
                "--pcap-dir",
                captures,
                folder -> {
                    Files.createDirectories(folder);
                    Path probe = Files.createTempFile(folder, "writable", ".tmp");
                    Files.delete(probe);
                    for (String id : empty.missing()) {
                        Files.deleteIfExists(capture(folder, id));
                    }
                },
                complaints);
        OptionCheck.require(complaints.isEmpty(), String.join("; ", complaints));
    }

    private static boolean isSame(Path left, Path right) {
        try {
            return left.toAbsolutePath()
                            .normalize()
                            .equals(right.toAbsolutePath().normalize())
                    || Files.isSameFile(left, right);
        } catch (IOException e) {
            // One of them does not exist.
            return false;
        }
    }

    /** Writes into a regular file. What reads a pipe or a terminal gets the report of the whole run alone. */
    private static Writing intoRegularFile(Writing writing) {
        return file -> {
            if (Files.exists(file) && !Files.isRegularFile(file)) {
                Files.newByteChannel(file, StandardOpenOption.WRITE).close();
            } else {
                writing.into(file);
            }
        };
    }

    private static Path capture(Path folder, String id) {
        return folder.resolve(id + ".pcap");
    }

    /**
     * Returns the record of a run. When it is closed, or when the process ends before that, the reports are written and
     * the link is closed, in this order.
     *
     * @param reporter makes a report of results
     * @param standardOutput gets the report of {@code --json -}
     * @param complaints gets a line for each file that cannot be written
     */
    Recording record(
            Function<List<Result>, Report> reporter, Link link, Writer standardOutput, Consumer<String> complaints) {
        return new Recording(reporter, link, standardOutput, complaints);
    }

    /** The results of a run so far. The thread that runs the cases uses it; at a signal a shutdown hook ends it. */
    final class Recording implements AutoCloseable {
        private final List<Result> results = new ArrayList<>();
        private final Function<List<Result>, Report> reporter;
        private final Link link;
        private final Writer standardOutput;
        private final Consumer<String> complaints;
        private final Thread hook = new Thread(this::end, "conformance-reports");
        private boolean ended;
        private boolean complete = true;

        private Recording(
                Function<List<Result>, Report> reporter,
                Link link,
                Writer standardOutput,
                Consumer<String> complaints) {
            this.reporter = reporter;
            this.link = link;
            this.standardOutput = standardOutput;
            this.complaints = complaints;
            Runtime.getRuntime().addShutdownHook(hook);
        }

        /** Returns whether the run has not ended yet. A case that the end of the process breaks has no result. */
        synchronized boolean add(Result result) {
            if (!ended) {
                results.add(result);
            }
            return !ended;
        }

        synchronized List<Result> results() {
            return List.copyOf(results);
        }

        /** Returns whether all files were written. */
        synchronized boolean complete() {
            return complete;
        }

        private synchronized void end() {
            if (!ended) {
                ended = true;
                List<String> failures = write(reporter.apply(results), results, standardOutput);
                failures.forEach(complaints);
                complete = failures.isEmpty();
                link.close();
            }
        }

        @Override
        public void close() {
            end();
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                // The process is ending, and the hook finds that there is nothing left to do.
            }
        }
    }

    private List<String> write(Report report, List<Result> results, Writer standardOutput) {
        List<String> complaints = new ArrayList<>();
        attempt("--html", html, file -> Html.write(report, file), complaints);
        attempt("--json", jsonFile(), file -> Json.write(report, file), complaints);
        if (toStandardOutput()) {
            attempt(
                    "--json",
                    json,
                    file -> {
                        Json.write(report, standardOutput);
                        standardOutput.append(System.lineSeparator()).flush();
                    },
                    complaints);
        }
        attempt("--junit", junit, file -> JUnit.write(report, file), complaints);
        attempt(
                "--pcap-dir",
                captures,
                folder -> {
                    for (Result result : results) {
                        if (!result.entries().isEmpty()) {
                            CaseCapture.write(
                                    result.entries(),
                                    capture(folder, result.test().id()));
                        }
                    }
                },
                complaints);
        return complaints;
    }

    private static void attempt(String option, @Nullable Path path, Writing writing, List<String> complaints) {
        if (path == null) {
            return;
        }
        try {
            writing.into(path);
        } catch (IOException e) {
            complaints.add(option + " " + path + " cannot be written (" + reason(e) + "): choose another path");
        }
    }

    private static String reason(IOException failure) {
        if (failure instanceof NoSuchFileException) {
            return "its folder does not exist";
        }
        if (failure instanceof AccessDeniedException) {
            return "access is denied";
        }
        if (failure instanceof FileAlreadyExistsException) {
            return "it is a file, not a folder";
        }
        String reason = failure instanceof FileSystemException ofFile ? ofFile.getReason() : failure.getMessage();
        return reason != null ? reason : failure.getClass().getSimpleName();
    }
}
