package io.iwarp.conformance.report;

import io.iwarp.conformance.judge.Result.Status;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Several reports side by side. */
public final class Comparison {
    private Comparison() {}

    /** Writes the page. */
    public static void write(List<Report> reports, Path file) throws IOException {
        Page page = new Page("Conformance of " + reports.size() + " peers");
        page.markup("<table><tr><th></th>");
        reports.forEach(report -> page.markup("<th>")
                .text(report.title())
                .markup("<br>")
                .text(report.role() + ", " + report.options())
                .markup("</th>"));
        page.markup("</tr>\n");
        for (Status status : Status.values()) {
            page.markup("<tr>").element("td", status.word());
            reports.forEach(report -> page.cell("n", report.count(status)));
            page.markup("</tr>\n");
        }
        page.markup("<tr>").element("td", "did not run");
        reports.forEach(report -> page.cell("n", report.missing().size()));
        page.markup("</tr>\n</table>\n").element("h2", "Cases with different results");
        Map<String, Report.Outcome[]> rows = rows(reports);
        Map<String, Report.Outcome[]> different = new LinkedHashMap<>(rows);
        different
                .values()
                .removeIf(outcomes -> Arrays.stream(outcomes)
                                .map(Comparison::status)
                                .distinct()
                                .count()
                        == 1);
        table(page, reports, different);
        page.element("h2", "All cases");
        table(page, reports, rows);
        page.write(file);
    }

    /** Returns the outcomes of each case, in the order of the reports; null where a report has none. */
    private static Map<String, Report.Outcome[]> rows(List<Report> reports) {
        Map<String, Report.Outcome[]> rows = new LinkedHashMap<>();
        for (int i = 0; i < reports.size(); i++) {
            for (Report.Outcome one : reports.get(i).outcomes()) {
                rows.computeIfAbsent(one.id(), id -> new Report.Outcome[reports.size()])[i] = one;
            }
        }
        return rows;
    }

    private static void table(Page page, List<Report> reports, Map<String, Report.Outcome[]> rows) {
        page.markup("\n<table><tr><th>case</th><th>what it does</th>");
        reports.forEach(report -> page.element("th", report.title()));
        page.markup("</tr>\n");
        rows.forEach((id, outcomes) -> row(page, id, outcomes));
        page.markup("</table>\n");
    }

    private static String status(Report.@Nullable Outcome one) {
        return one == null ? "" : one.status().name();
    }

    private static void row(Page page, String id, Report.Outcome[] outcomes) {
        String title = Arrays.stream(outcomes)
                .filter(Objects::nonNull)
                .map(Report.Outcome::title)
                .findFirst()
                .orElseThrow();
        page.markup("<tr><td>").element("code", id).markup("</td>").element("td", title);
        for (Report.Outcome one : outcomes) {
            page.markup("<td class=\"" + status(one) + "\">")
                    .text(one == null ? "did not run" : one.status().word())
                    .markup("<br>")
                    .text(one == null ? "" : one.seen())
                    .markup("</td>");
        }
        page.markup("</tr>\n");
    }
}
