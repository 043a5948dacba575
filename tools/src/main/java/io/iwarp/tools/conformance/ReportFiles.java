package io.iwarp.tools.conformance;

import io.iwarp.conformance.judge.Result;
import io.iwarp.conformance.report.CaseCapture;
import io.iwarp.conformance.report.Html;
import io.iwarp.conformance.report.JUnit;
import io.iwarp.conformance.report.Json;
import io.iwarp.conformance.report.Report;
import io.iwarp.tools.cli.OptionCheck;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The files that a run is asked to write. */
final class ReportFiles {
    @Option(names = "--html", paramLabel = "FILE", description = "Write a report to look at.")
    private @Nullable Path html;

    @Option(names = "--json", paramLabel = "FILE", description = "Write a report for programs.")
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

    /** Ends the command with an error message if one of them cannot be written. */
    void requireWritable() {
        List<String> complaints = new ArrayList<>();
        attempt("--html", html, ReportFiles::open, complaints);
        attempt("--json", json, ReportFiles::open, complaints);
        attempt("--junit", junit, ReportFiles::open, complaints);
        attempt(
                "--pcap-dir",
                captures,
                folder -> {
                    Files.createDirectories(folder);
                    open(folder.resolve("writable.pcap"));
                },
                complaints);
        OptionCheck.require(complaints.isEmpty(), String.join("; ", complaints));
    }

    /** Opens a file for writing and leaves it as it was. */
    private static void open(Path file) throws IOException {
        boolean existed = Files.exists(file);
        Files.newByteChannel(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)
                .close();
        if (!existed) {
            Files.delete(file);
        }
    }

    /**
     * {@return the record of a run, which is written when it is closed, or when the process is told to end before that}
     *
     * @param reporter makes a report of results
     * @param complaints is told what cannot be written, in lines
     */
    Recording record(Function<List<Result>, Report> reporter, Consumer<String> complaints) {
        return new Recording(reporter, complaints);
    }

    /** The results of a run so far. The thread that runs the cases uses it. */
    final class Recording implements AutoCloseable {
        private final List<Result> results = Collections.synchronizedList(new ArrayList<>());
        private final Function<List<Result>, Report> reporter;
        private final Consumer<String> complaints;
        private final Thread hook = new Thread(this::write, "conformance-reports");
        private boolean complete = true;

        private Recording(Function<List<Result>, Report> reporter, Consumer<String> complaints) {
            this.reporter = reporter;
            this.complaints = complaints;
            Runtime.getRuntime().addShutdownHook(hook);
        }

        void add(Result result) {
            results.add(result);
        }

        List<Result> results() {
            return List.copyOf(results);
        }

        Report report() {
            return reporter.apply(results());
        }

        /** {@return whether all files were written} */
        boolean complete() {
            return complete;
        }

        private void write() {
            List<Result> soFar = results();
            if (!soFar.isEmpty()) {
                List<String> failures = ReportFiles.this.write(reporter.apply(soFar), soFar);
                failures.forEach(complaints);
                complete = failures.isEmpty();
            }
        }

        @Override
        public void close() {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                // The process is ending: the hook writes, and nobody reads what this thread returns.
                return;
            }
            write();
        }
    }

    private List<String> write(Report report, List<Result> results) {
        List<String> complaints = new ArrayList<>();
        attempt("--html", html, file -> Html.write(report, file), complaints);
        attempt("--json", json, file -> Json.write(report, file), complaints);
        attempt("--junit", junit, file -> JUnit.write(report, file), complaints);
        attempt(
                "--pcap-dir",
                captures,
                folder -> {
                    for (Result result : results) {
                        if (!result.entries().isEmpty()) {
                            CaseCapture.write(
                                    result.entries(),
                                    folder.resolve(result.test().id() + ".pcap"));
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
