package io.iwarp.tools.conformance;

import io.iwarp.conformance.ConformanceSuite;
import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.KnownDeviations;
import io.iwarp.conformance.judge.Link;
import io.iwarp.conformance.judge.Result;
import io.iwarp.conformance.judge.Role;
import io.iwarp.conformance.judge.Runner;
import io.iwarp.conformance.judge.Stage;
import io.iwarp.conformance.judge.SuiteOptions;
import io.iwarp.conformance.judge.Support;
import io.iwarp.conformance.report.Causes;
import io.iwarp.conformance.report.Report;
import io.iwarp.conformance.wire.Arrival;
import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.ErrorLines;
import io.iwarp.tools.cli.OptionCheck;
import io.iwarp.tools.cli.Output;
import io.iwarp.tools.cli.Seconds;
import io.iwarp.tools.cli.Version;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The options and output that both roles of the conformance suite share. */
@Command(
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        usageHelpAutoWidth = true,
        optionListHeading = "%nOptions:%n",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:no case failed, but for known deviations",
            "1:a case failed",
            "2:the suite could not run; stderr says why",
            "3:no case failed, but the bounds of the peer's memory were not seen, and --waive bounds is missing"
        })
final class ConformanceOptions {
    private static final Duration DELAY_FOR_SIW = Duration.ofMillis(20);
    private static final int MAX_SIZE = 1 << 24;
    private static final int CANNOT_RUN = 2;
    private static final int NOT_WHOLE = 3;
    private static final long RESTART_SECONDS = 120;
    /** With what both start-up frames begin. */
    private static final String KEY = "MPA ID Re";

    private static final int SHOWN = 40;

    /** Kinds of peers with known deviations. */
    enum PeerKind {
        SIW,
        IRDMA,
        CXGB4;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = "--only",
            paramLabel = "PATTERN",
            split = ",",
            description = "Run cases whose id, or one of whose requirements, matches; * stands for anything. May"
                    + " be repeated.")
    private @Nullable List<String> only;

    @Option(
            names = "--except",
            paramLabel = "PATTERN",
            split = ",",
            description = "Leave out cases whose id, or one of whose requirements, matches. May be repeated.")
    private @Nullable List<String> except;

    @Option(
            names = "--level",
            paramLabel = "LEVEL",
            description = "Run the cases up to a level, for a stack that claims no more: ${COMPLETION-CANDIDATES}.")
    private Stage level = Stage.EXTENSIONS;

    /** What a run does not have to see. */
    enum Waiver {
        BOUNDS;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Option(
            names = "--waive",
            paramLabel = "NAME",
            split = ",",
            description = "What need not be seen: bounds, for a peer that registers more memory than it names.")
    private Set<Waiver> waived = Set.of();

    @Option(names = "--list", description = "List the cases instead of running them.")
    private boolean list;

    @Option(
            names = "--peer",
            paramLabel = "KIND",
            description = "What the peer is: siw, irdma or cxgb4. Its known deviations are listed, and are not"
                    + " counted as failures.")
    private @Nullable PeerKind peer;

    @Option(names = "--markers", description = "Ask the peer for markers.")
    private boolean markers;

    @Option(names = "--no-crc", description = "Do not ask the peer for CRCs.")
    private boolean withoutCrc;

    @Option(
            names = "--revision",
            paramLabel = "N",
            defaultValue = "2",
            description = "The highest revision of MPA to use, 1 or 2.")
    private int revision;

    @Option(names = "--peer-to-peer", description = "As initiator ask for the peer-to-peer set-up (RFC 6581).")
    private boolean peerToPeer;

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            converter = Bytes.Converter.class,
            description =
                    "The largest buffer that the peer takes: the option -S of a server, by default 64, or the most"
                            + " that {size} in the COMMAND of a client becomes, by default 1M.")
    private @Nullable Long size;

    @Option(
            names = "--require",
            paramLabel = "NAME",
            split = ",",
            description = "What the peer has to support: ${COMPLETION-CANDIDATES}. Without it, cases that need it are"
                    + " skipped; with it, a case fails if the support is missing. May be repeated.")
    private Set<Support> required = Set.of();

    @Option(names = "--slow", description = "Run cases that take many seconds, too.")
    private boolean slow;

    @Option(
            names = "--patience",
            paramLabel = "TIME",
            converter = Seconds.class,
            defaultValue = "5s",
            description = "How long the peer may take for what it has to do. A client has 15 s to start, or this"
                    + " time if it is longer.")
    private Duration patience;

    @Option(
            names = "--quiet-time",
            paramLabel = "TIME",
            converter = Seconds.class,
            defaultValue = "100ms",
            description = "How long to wait for what must not come.")
    private Duration quiet;

    @Option(
            names = "--restart",
            paramLabel = "COMMAND",
            description = "A shell command that starts the peer again when it is dead.")
    private @Nullable String restart;

    @Option(names = "--title", paramLabel = "TEXT", description = "What the report calls the peer.")
    private @Nullable String title;

    @Mixin
    private ReportFiles files = new ReportFiles();

    /** Opens the connection to the peer. */
    @FunctionalInterface
    interface Opener {
        /** Returns it. */
        Link open() throws IOException;
    }

    /** Returns the exit code after the cases were listed or run. */
    @SuppressWarnings("try") // the recording knows whether it is complete when it is closed
    int run(Role role, String peerText, Opener opener) throws IOException {
        ConformanceSuite suite = new ConformanceSuite();
        List<Case> cases = chosen(suite, suite.cases(role));
        OptionCheck.require(revision == 1 || revision == 2, "--revision " + revision + " is neither 1 nor 2");
        if (size != null) {
            OptionCheck.sizeWithin("--size", size, 1, MAX_SIZE);
        }
        OptionCheck.require(patience.toMillis() > 0, "--patience is less than 1 ms");
        OptionCheck.require(quiet.toMillis() > 0, "--quiet-time is less than 1 ms");
        Output err = new Output(command.commandLine().getErr());
        Output out = files.toStandardOutput()
                ? err
                : new Output(command.commandLine().getOut());
        if (list) {
            cases.forEach(test -> out.line(line(suite, test)));
            out.line(cases.size() + " cases");
            return 0;
        }
        SuiteOptions options = options(role);
        String kind = peer == null ? null : peer.toString();
        String name = title == null ? peerText : title;
        Function<List<Result>, Report> reporter = results -> suite.report(name, options, kind, cases, results);
        files.begin(reporter.apply(List.of()));
        KnownDeviations known = suite.known(kind);
        known.basis().forEach(line -> out.line(kind + ": " + line));
        boolean complete = true;
        List<Result> results = List.of();
        String failure = null;
        try (Link link = opener.open();
                ReportFiles.Recording recording =
                        files.record(reporter, link, command.commandLine().getOut(), err::line)) {
            try {
                suite.run(options, link, cases, required, known, restarter(), result -> {
                    if (recording.add(result)) {
                        print(out, result);
                    }
                });
            } catch (IOException e) {
                failure = ErrorLines.describe(e);
            }
            recording.close();
            complete = recording.complete();
            results = recording.results();
        } catch (IOException e) {
            failure = ErrorLines.describe(e);
        }
        if (!results.isEmpty()) {
            if (results.get(0).test().id().equals(Runner.FIRST_PING)) {
                failure = noPing(role, results.get(0));
            }
            summarize(out, reporter.apply(results));
        }
        if (failure != null) {
            ErrorLines.print(command.commandLine(), failure);
        }
        if (failure != null || !complete) {
            return CANNOT_RUN;
        }
        int exitCode = exitCode(results, waived);
        if (exitCode == NOT_WHOLE) {
            err.line(command.qualifiedName() + ": " + Runner.NO_BOUNDS
                    + ". If it registers more than it names, as it may, say so with --waive bounds");
        }
        return exitCode;
    }

    static int exitCode(List<Result> results, Set<Waiver> waived) {
        if (results.stream().anyMatch(result -> result.status() == Result.Status.FAILED)) {
            return 1;
        }
        boolean whole = waived.contains(Waiver.BOUNDS)
                || results.stream().noneMatch(result -> result.detail().equals(Runner.NO_BOUNDS));
        return whole ? 0 : NOT_WHOLE;
    }

    /** Returns the cases that --only and --except leave. */
    private List<Case> chosen(ConformanceSuite suite, List<Case> all) {
        List<Case> cases = all.stream().filter(level::has).toList();
        if (only != null) {
            requirePatterns("--only", only);
            cases = suite.only(cases, only);
            OptionCheck.require(
                    !cases.isEmpty(),
                    "--only " + String.join(",", only) + " matches no case"
                            + (level == Stage.EXTENSIONS ? "" : " of --level " + level));
        }
        if (except != null) {
            requirePatterns("--except", except);
            int before = cases.size();
            cases = suite.except(cases, except);
            OptionCheck.require(
                    !cases.isEmpty(),
                    "--except " + String.join(",", except) + " matches all " + before + " cases, so that none is left");
        }
        return cases;
    }

    private static void requirePatterns(String option, List<String> patterns) {
        OptionCheck.require(
                !patterns.isEmpty() && patterns.stream().noneMatch(String::isBlank),
                option + " has an empty pattern: give patterns of case ids or requirements, such as ddp.* or MPA-12");
    }

    private static void summarize(Output out, Report report) {
        List<String> causes = Causes.lines(report);
        if (!causes.isEmpty()) {
            out.line("what to mend first:");
            causes.forEach(cause -> out.line("  " + cause));
        }
        skipped(report).forEach((cause, count) -> out.line("skipped " + count + ": " + cause));
        out.line(Arrays.stream(Result.Status.values())
                .map(status -> report.count(status) + " " + status.word())
                .collect(Collectors.joining(", ")));
    }

    /** Returns why no case can run, and what to do. */
    private String noPing(Role role, Result first) {
        String came = first.entries().stream()
                .filter(entry -> entry.from() == '<' && entry.bytes().length > 0)
                .findFirst()
                .map(entry -> beginning(entry.bytes()))
                .filter(text -> !text.startsWith(KEY) && !KEY.startsWith(text))
                .map(text -> "it sent '" + text + "', which is no start-up frame of MPA")
                .orElse(
                        first.detail().equals(Arrival.Kind.SILENCE.text())
                                ? "nothing more came within " + Bytes.time(patience.toNanos())
                                : first.detail());
        return "the peer does not complete a ping, so that no case can run: " + came + ". Check that "
                + (role == Role.SERVER ? "a server of rping listens there" : "COMMAND starts a client of rping")
                + ", or give it more time with --patience, or --revision 1 if it has no RFC 6581. All that came is on"
                + " stdout.";
    }

    private static String beginning(byte[] bytes) {
        String text = new String(bytes, 0, Math.min(bytes.length, SHOWN), StandardCharsets.ISO_8859_1);
        return text.replaceAll("[^ -~]", ".");
    }

    /** Returns how many cases were skipped for each cause, the most frequent one first. */
    private static Map<String, Long> skipped(Report report) {
        Map<String, Long> causes = report.outcomes().stream()
                .filter(one -> one.status() == Result.Status.SKIPPED)
                .collect(Collectors.groupingBy(Report.Outcome::seen, TreeMap::new, Collectors.counting()));
        return causes.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, (a, b) -> a, LinkedHashMap::new));
    }

    SuiteOptions options(Role role) {
        SuiteOptions plain = SuiteOptions.of(role);
        return new SuiteOptions(
                role,
                markers,
                !withoutCrc,
                revision,
                peerToPeer || peer == PeerKind.IRDMA,
                size == null ? plain.maxSize() : Math.toIntExact(size),
                slow,
                patience,
                quiet,
                plain.gap(),
                peer == PeerKind.SIW ? DELAY_FOR_SIW : plain.firstFpduDelay());
    }

    private static String line(ConformanceSuite suite, Case test) {
        return String.format(
                Locale.ROOT,
                "%-36s %-6s %s [%s; %s]",
                test.id(),
                test.level(),
                test.title(),
                String.join(", ", test.requirements()),
                String.join(", ", suite.sections(test)));
    }

    private static void print(Output out, Result result) {
        Case test = result.test();
        switch (result.status()) {
            case PASSED -> out.line("ok      %s", test.id());
            case SKIPPED -> out.line("skipped %s: %s", test.id(), result.detail());
            case KNOWN -> out.line("known   %s: %s", test.id(), result.detail());
            default -> {
                out.line("FAILED  %s: %s (%s)", test.id(), test.title(), test.level());
                out.line("        seen:    " + result.detail());
                out.line("        allowed: " + result.allowed());
                result.dialogue().forEach(line -> out.line("        " + line));
            }
        }
    }

    private Runner.@Nullable Restart restarter() {
        String shell = restart;
        if (shell == null) {
            return null;
        }
        return () -> {
            Process process = new ProcessBuilder("/bin/sh", "-c", shell)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try {
                if (!process.waitFor(RESTART_SECONDS, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                    throw new IOException("the command of --restart does not end within " + RESTART_SECONDS + " s");
                }
                if (process.exitValue() != 0) {
                    throw new IOException("the command of --restart ended with status " + process.exitValue());
                }
            } catch (InterruptedException e) {
                process.destroyForcibly();
                Thread.currentThread().interrupt();
            }
        };
    }
}
