package io.iwarp.tools.perf;

import io.iwarp.mpa.MpaSettings;
import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.ClientCommand;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.Interval;
import io.iwarp.tools.cli.JsonOption;
import io.iwarp.tools.cli.ResultFile;
import io.iwarp.verbs.QueuePairSettings;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.file.Path;
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
            "  iwarp perf client 127.0.0.1:7471 --op read --sweep 64..4M --report r.html",
            "  iwarp perf client 127.0.0.1:7471 --op send --rate 1000 --count 500"
        })
final class PerfClient extends ClientCommand {
    @Mixin
    private PerfPlanOptions plans;

    @Mixin
    private JsonOption json;

    @Option(
            names = "--report",
            paramLabel = "FILE",
            description = "Write a page with curves over the size to this file, in HTML, which needs no other file.")
    private @Nullable Path report;

    @Option(
            names = "--quiet",
            description = "Print no lines while it runs, only the results.",
            showDefaultValue = Visibility.NEVER)
    private boolean quiet;

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
        List<PerfResult> results = new ArrayList<>();
        try (ResultFile lines = json.open();
                ResultFile page = ResultFile.open("--report", report);
                Endpoint endpoint = open()) {
            try {
                measure(endpoint, address(), settings, chosen, result -> {
                    results.add(result);
                    json.write(lines, result::write);
                });
            } finally {
                // Also if a later size fails.
                if (!results.isEmpty() && !json.toStandardOutput()) {
                    out().line(results.get(0).conditions());
                    out().lines(PerfColumn.table(results));
                    out().lines(PerfColumn.explanations(results.get(0)));
                }
            }
            if (page.wanted()) {
                page.replace(PerfReport.html(results, JsonOption.command(spec())));
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

    /** Takes each result when it is there. */
    private interface Results {
        void add(PerfResult result) throws IOException;
    }

    private void measure(
            Endpoint endpoint,
            SocketAddress address,
            QueuePairSettings.Builder settings,
            List<PerfPlan> chosen,
            Results results)
            throws IOException, InterruptedException {
        // It lasts for all sizes, so that 'perf server --once' ends after the last one.
        ServerUsage usage = ServerUsage.connect(endpoint, address, settings);
        boolean lines = !quiet && !json.toStandardOutput();
        for (PerfPlan plan : chosen) {
            if (plan.count() > 0 && !plan.warmup().isZero()) {
                new PerfRun(endpoint, plan.warmingUp(), interval -> {}).run(address, settings, usage);
            }
            int size = plan.task().size();
            if (lines) {
                out().line("%s of %s", plan.task().operation(), Bytes.size(size));
                out().line(Interval.titles());
            }
            PerfRun run =
                    new PerfRun(endpoint, plan, lines ? interval -> out().line(interval.line(size)) : interval -> {});
            results.add(run.run(address, settings, usage));
            if (run.interrupted()) {
                break;
            }
        }
        usage.close();
    }
}
