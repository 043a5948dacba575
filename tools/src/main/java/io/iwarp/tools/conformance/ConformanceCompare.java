package io.iwarp.tools.conformance;

import io.iwarp.conformance.report.Comparison;
import io.iwarp.conformance.report.Json;
import io.iwarp.conformance.report.Repeats;
import io.iwarp.conformance.report.Report;
import io.iwarp.tools.cli.BaseCommand;
import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.Version;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Compares reports of the conformance suite. */
@Command(
        name = "compare",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description = "Says whether runs of the same peer agree, and puts reports side by side on a page.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:reports with the same title agree, but for known deviations that depend on the moment",
            "1:they differ, or nothing can be compared; lines on stderr say what"
        },
        footer = {
            "%nExamples:",
            "  iwarp conformance compare run-1.json run-2.json",
            "  iwarp conformance compare siw.json card.json --html comparison.html"
        })
final class ConformanceCompare extends BaseCommand {
    @Parameters(paramLabel = "FILE", arity = "1..*", description = "Reports that --json wrote.")
    private List<Path> files = List.of();

    @Option(names = "--html", paramLabel = "FILE", description = "The page to write.")
    private @Nullable Path html;

    @Override
    public Integer call() throws Exception {
        List<Report> reports = new ArrayList<>();
        for (Path file : files) {
            reports.add(Json.read(file));
        }
        if (html != null) {
            Comparison.write(reports, html);
            out().line(reports.size() + " reports are compared in " + html);
        }
        long comparable = Repeats.comparable(reports);
        if (comparable == 0) {
            String nothing = "no two reports with cases have the same title (--title), so no runs were compared";
            if (html == null) {
                throw new CommandFailedException(nothing);
            }
            out().line(nothing);
            return 0;
        }
        List<String> differences = Repeats.differences(reports);
        differences.forEach(err()::line);
        if (!differences.isEmpty()) {
            return 1;
        }
        out().line("reports with the same title agree on " + comparable + " cases");
        return 0;
    }
}
