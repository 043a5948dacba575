package io.iwarp.tools.perf;

import io.iwarp.mpa.MpaSettings;
import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.ClientCommand;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.JsonOption;
import io.iwarp.tools.cli.MeasureOptions;
import io.iwarp.tools.cli.OptionCheck;
import io.iwarp.tools.cli.ResultFile;
import io.iwarp.verbs.QueuePairSettings;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
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
            "  iwarp perf client 127.0.0.1:7471 --op send --bidir --clients 2",
            "  iwarp perf client 127.0.0.1:7471 --op send --mode latency --rate 1000"
        })
final class PerfClient extends ClientCommand {
    @Mixin
    private PerfPlanOptions plans;

    @Mixin
    private MeasureOptions measuring;

    @Option(
            names = "--report",
            paramLabel = "FILE",
            description = "Write a page with curves over the size to this file, in HTML, which needs no other file.")
    private @Nullable Path report;

    @Option(
            names = "--mulpdu",
            paramLabel = "SIZE",
            converter = Bytes.Converter.class,
            description = "Send FPDUs with at most that many bytes of ULPDU, " + MpaSettings.MIN_MULPDU + " to "
                    + MpaSettings.MAX_MULPDU + ". By default as many as the transport takes.")
    private @Nullable Long mulpdu;

    @Override
    protected void run() throws Exception {
        List<PerfPlan> chosen = plans.plans(connection());
        measuring.check();
        OptionCheck.require(
                report == null || !measuring.writesTo(report),
                "--json and --report name the same file " + report + ": give each a file of its own");
        QueuePairSettings.Builder settings = withMulpdu(settings());
        List<PerfResult> results = new ArrayList<>();
        try (ResultFile lines = measuring.open();
                ResultFile page = ResultFile.open("--report", report);
                Endpoint endpoint = open()) {
            try {
                measure(endpoint, address(), settings, chosen, result -> {
                    results.add(result);
                    measuring.write(lines, result::write);
                });
            } finally {
                // Also if a later size fails.
                if (!results.isEmpty() && !measuring.toStandardOutput()) {
                    out().line(results.get(0).conditions());
                    out().lines(PerfColumn.table(results));
                    out().lines(PerfColumn.explanations(chosen.get(0)));
                    results.forEach(result -> out().lines(result.remarks()));
                }
                if (!results.isEmpty() && page.wanted()) {
                    page.replace(PerfReport.html(results, JsonOption.command(spec())));
                }
            }
        }
    }

    private QueuePairSettings.Builder withMulpdu(QueuePairSettings.Builder settings) {
        if (mulpdu == null) {
            return settings;
        }
        OptionCheck.within("--mulpdu", mulpdu, MpaSettings.MIN_MULPDU, MpaSettings.MAX_MULPDU);
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
        for (PerfPlan plan : chosen) {
            if (plan.count() > 0 && !plan.warmup().isZero()) {
                new PerfRun(endpoint, plan.warmingUp(), measuring, false)
                        .run(address, settings, usage)
                        .measurement()
                        .requireWhole();
            }
            PerfResult result = new PerfRun(endpoint, plan, measuring, true).run(address, settings, usage);
            results.add(result);
            result.measurement().requireNoFailure();
            if (result.measurement().cutShort()) {
                break;
            }
        }
        usage.close();
    }
}
