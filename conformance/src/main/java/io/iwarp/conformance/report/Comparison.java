package io.iwarp.conformance.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Several reports side by side. */
public final class Comparison {
    private Comparison() {}

    /** Writes the page. */
    public static void write(List<Report> reports, Path file) throws IOException {
        StringBuilder page = new StringBuilder();
        Html.begin(page, "Conformance of " + reports.size() + " peers");
        page.append("<table><tr><th></th>");
        reports.forEach(report -> page.append("<th>")
                .append(Html.escape(report.title()))
                .append("<br>")
                .append(Html.escape(report.role() + ", " + report.options()))
                .append("</th>"));
        page.append("</tr>\n");
        for (String status : List.of("PASSED", "FAILED", "KNOWN", "SKIPPED")) {
            page.append("<tr><td>").append(Html.word(status)).append("</td>");
            reports.forEach(report ->
                    page.append("<td class=\"n\">").append(report.count(status)).append("</td>"));
            page.append("</tr>\n");
        }
        page.append("</table>\n<h2>Cases with different results</h2>\n");
        cases(page, reports, true);
        page.append("<h2>All cases</h2>\n");
        cases(page, reports, false);
        Files.writeString(file, page.append("</body></html>\n"));
    }

    private static void cases(StringBuilder page, List<Report> reports, boolean differentOnly) {
        Map<String, Report.Outcome[]> rows = new LinkedHashMap<>();
        for (int i = 0; i < reports.size(); i++) {
            for (Report.Outcome one : reports.get(i).outcomes()) {
                rows.computeIfAbsent(one.id(), id -> new Report.Outcome[reports.size()])[i] = one;
            }
        }
        page.append("<table><tr><th>case</th><th>what it does</th>");
        reports.forEach(report ->
                page.append("<th>").append(Html.escape(report.title())).append("</th>"));
        page.append("</tr>\n");
        rows.forEach((id, outcomes) -> {
            if (!differentOnly || differ(outcomes)) {
                row(page, id, outcomes);
            }
        });
        page.append("</table>\n");
    }

    private static boolean differ(Report.Outcome[] outcomes) {
        for (Report.Outcome one : outcomes) {
            if (!status(one).equals(status(outcomes[0]))) {
                return true;
            }
        }
        return false;
    }

    private static String status(Report.@Nullable Outcome one) {
        return one == null ? "" : one.status();
    }

    private static void row(StringBuilder page, String id, Report.Outcome[] outcomes) {
        String title = "";
        for (Report.Outcome one : outcomes) {
            title = one == null ? title : one.title();
        }
        page.append("<tr><td><code>").append(Html.escape(id)).append("</code></td><td>");
        page.append(Html.escape(title)).append("</td>");
        for (Report.Outcome one : outcomes) {
            page.append("<td class=\"").append(status(one)).append("\">");
            page.append(Html.word(status(one))).append("<br>");
            page.append(Html.escape(one == null ? "" : one.seen())).append("</td>");
        }
        page.append("</tr>\n");
    }
}
