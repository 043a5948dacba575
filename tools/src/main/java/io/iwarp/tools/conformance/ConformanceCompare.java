package io.iwarp.tools.conformance;

import io.iwarp.conformance.report.Comparison;
import io.iwarp.conformance.report.Json;
import io.iwarp.conformance.report.Repeats;
import io.iwarp.conformance.report.Report;
import io.iwarp.conformance.report.ResultsTable;
import io.iwarp.tools.cli.BaseCommand;
import io.iwarp.tools.cli.OptionCheck;
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
        description = "Puts reports that --json wrote side by side, on a page.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:reports with the same title agree, but for known deviations that depend on the moment",
            "1:they differ; a line on stderr for each case, or one that says what failed"
        },
        footer = {"%nExample:", "  iwarp conformance compare siw.json card.json --html comparison.html"})
final class ConformanceCompare extends BaseCommand {
    @Parameters(paramLabel = "FILE", arity = "1..*", description = "Reports that --json wrote.")
    private List<Path> files = List.of();

    @Option(names = "--html", paramLabel = "FILE", description = "The page to write.")
    private @Nullable Path html;

    @Option(
            names = "--into",
            paramLabel = "FILE",
            description = "A Markdown document that gets the results as tables, between the lines <!-- results --> and"
                    + " <!-- end of results -->.")
    private @Nullable Path document;

    @Override
    public Integer call() throws Exception {
        List<Report> reports = new ArrayList<>();
        for (Path file : files) {
            reports.add(Json.read(file));
        }
        OptionCheck.require(html != null || document != null, "--html or --into has to say where to write");
        if (html != null) {
            Comparison.write(reports, html);
            out().line(reports.size() + " reports are compared in " + html);
        }
        if (document != null) {
            ResultsTable.replace(reports, document);
            out().line("the results are in " + document);
        }
        List<String> unexplained = Repeats.unexplained(reports);
        unexplained.forEach(err()::line);
        return unexplained.isEmpty() ? 0 : 1;
    }
}
