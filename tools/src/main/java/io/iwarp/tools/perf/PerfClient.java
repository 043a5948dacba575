package io.iwarp.tools.perf;

import io.iwarp.mpa.MpaSettings;
import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.ClientCommand;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.Progress;
import io.iwarp.verbs.QueuePairSettings;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures against a {@link PerfServer}. */
@Command(
        name = "client",
        description = "Measures one operation against a perf server, for one size or many.",
        footer = {
            "%nExamples:",
            "  iwarp perf client 127.0.0.1:7471 --op write --size 1M",
            "  iwarp perf client 127.0.0.1:7471 --op send --mode latency --busy-poll",
            "  iwarp perf client 127.0.0.1:7471 --op read --sweep 64..4M --report r.html"
        })
final class PerfClient extends ClientCommand {
    @Mixin
    private PerfPlanOptions plans;

    @Option(names = "--json", paramLabel = "FILE", description = "Append a line of JSON for each size to this file.")
    private @Nullable Path json;

    @Option(
            names = "--report",
            paramLabel = "FILE",
            description = "Write a page with curves over the size to this file, in HTML, which needs no other file.")
    private @Nullable Path report;

    @Option(
            names = "--progress",
            negatable = true,
            description = "Show a progress bar on stderr, or show none. Default: show it on a terminal.",
            showDefaultValue = Visibility.NEVER)
    private @Nullable Boolean progress;

    @Option(
            names = "--mulpdu",
            paramLabel = "SIZE",
            converter = Bytes.Converter.class,
            description = "Send FPDUs with at most that many bytes of ULPDU, " + MpaSettings.MIN_MULPDU + " to "
                    + MpaSettings.MAX_MULPDU + ". By default as many as the transport takes.",
            showDefaultValue = Visibility.NEVER)
    private @Nullable Long mulpdu;

    @Override
    protected void run() throws Exception {
        List<PerfPlan> chosen = plans.plans(connection());
        QueuePairSettings.Builder settings = withMulpdu(settings());
        try (ResultFile lines = ResultFile.open("--json", json);
                ResultFile page = ResultFile.open("--report", report);
                Endpoint endpoint = open()) {
            List<PerfResult> results = measure(endpoint, address(), settings, chosen, lines);
            out().line(results.get(0).conditions());
            out().lines(PerfColumn.table(results));
            out().lines(PerfColumn.explanations(results.get(0)));
            results.stream()
                    .filter(result -> !result.intervals().isEmpty())
                    .forEach(result -> out().lines(PerfInterval.table(result)));
            if (page.wanted()) {
                page.replace(PerfReport.html(
                        results, spec().root().commandLine().getParseResult().originalArgs()));
            }
        }
    }

    private QueuePairSettings.Builder withMulpdu(QueuePairSettings.Builder settings) {
        if (mulpdu == null) {
            return settings;
        }
        require(
                mulpdu >= MpaSettings.MIN_MULPDU && mulpdu <= MpaSettings.MAX_MULPDU,
                "--mulpdu " + mulpdu + " is outside " + MpaSettings.MIN_MULPDU + " to " + MpaSettings.MAX_MULPDU
                        + " bytes");
        return settings.mpa(
                settings.build().mpa().toBuilder().mulpdu(mulpdu.intValue()).build());
    }

    private List<PerfResult> measure(
            Endpoint endpoint,
            SocketAddress address,
            QueuePairSettings.Builder settings,
            List<PerfPlan> chosen,
            ResultFile lines)
            throws IOException, InterruptedException {
        Duration total = chosen.stream().map(PerfPlan::total).reduce(Duration.ZERO, Duration::plus);
        List<PerfResult> results = new ArrayList<>();
        try (Progress bar = Progress.beginTimed(spec().commandLine().getErr(), "measuring", total, progress)) {
            for (PerfPlan plan : chosen) {
                PerfResult result = new PerfRun(endpoint, plan, bar).run(address, settings);
                results.add(result);
                lines.append(result.json() + "\n");
            }
        }
        return results;
    }
}
