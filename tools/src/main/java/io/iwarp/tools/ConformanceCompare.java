package io.iwarp.tools;

import io.iwarp.conformance.report.Comparison;
import io.iwarp.conformance.report.Json;
import io.iwarp.conformance.report.Report;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Puts reports of the conformance suite side by side. */
@Command(
        name = "compare",
        mixinStandardHelpOptions = true,
        versionProvider = Iwarp.Version.class,
        description = "Puts reports that --json wrote side by side, on a page.",
        footer = {"%nExample:", "  iwarp conformance compare siw.json card.json --html comparison.html"})
final class ConformanceCompare implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE", arity = "1..*", description = "Reports that --json wrote.")
    private List<Path> files = List.of();

    @Option(names = "--html", paramLabel = "FILE", required = true, description = "The page to write.")
    private Path html;

    @Override
    public Integer call() throws Exception {
        List<Report> reports = new ArrayList<>();
        for (Path file : files) {
            reports.add(Json.read(file));
        }
        Comparison.write(reports, html);
        spec.commandLine().getOut().println(reports.size() + " reports are compared in " + html);
        return 0;
    }
}
