package io.iwarp.conformance.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A report to look at: a table by RFC section, and the dialogue of each failure. */
public final class Html {
    /** How statuses look, on each page. */
    static final String STYLE = """
            body { font-family: sans-serif; margin: 2em; max-width: 90em; }
            table { border-collapse: collapse; }
            th, td { border: 1px solid #bbb; padding: .25em .5em; text-align: left; vertical-align: top; }
            td.n { text-align: right; }
            .PASSED { background: #e3f5e1; } .FAILED { background: #f9d4d0; }
            .KNOWN { background: #fbeecb; } .SKIPPED { background: #eee; }
            pre { background: #f6f6f6; padding: .5em; overflow-x: auto; font-size: 85%; }
            code { font-size: 95%; }
            """;

    private static final List<String> STATUSES = List.of("PASSED", "FAILED", "KNOWN", "SKIPPED");

    private Html() {}

    /** Writes a report. */
    public static void write(Report report, Path file) throws IOException {
        StringBuilder page = new StringBuilder();
        begin(page, "Conformance of " + report.title());
        page.append("<p>The peer is a ").append(escape(report.role())).append(": <code>");
        page.append(escape(report.title()))
                .append("</code>. Set-up: ")
                .append(escape(report.options()))
                .append(".");
        if (!report.peer().isEmpty()) {
            page.append(" Known deviations: ").append(escape(report.peer())).append('.');
        }
        page.append("</p>\n");
        totals(page, report);
        sections(page, report);
        failures(page, report, "FAILED", "Failures");
        failures(page, report, "KNOWN", "Known deviations");
        all(page, report);
        Files.writeString(file, page.append("</body></html>\n"));
    }

    static void begin(StringBuilder page, String title) {
        page.append("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>")
                .append(escape(title))
                .append("</title><style>\n")
                .append(STYLE)
                .append("</style></head><body>\n<h1>")
                .append(escape(title))
                .append("</h1>\n");
    }

    private static void totals(StringBuilder page, Report report) {
        page.append("<table><tr>");
        for (String status : STATUSES) {
            page.append("<th class=\"")
                    .append(status)
                    .append("\">")
                    .append(word(status))
                    .append("</th>");
        }
        page.append("</tr><tr>");
        for (String status : STATUSES) {
            page.append("<td class=\"n\">").append(report.count(status)).append("</td>");
        }
        page.append("</tr></table>\n");
    }

    /** {@return the cases of each section, in the order of the sections} */
    static Map<String, List<Report.Outcome>> bySection(Report report) {
        Map<String, List<Report.Outcome>> sections = new TreeMap<>(SectionOrder.INSTANCE);
        for (Report.Outcome one : report.outcomes()) {
            for (String section : one.sections()) {
                sections.computeIfAbsent(section, any -> new ArrayList<>()).add(one);
            }
        }
        return sections;
    }

    private static void sections(StringBuilder page, Report report) {
        page.append("<h2>By section</h2>\n<table><tr><th>section</th>");
        STATUSES.forEach(status -> page.append("<th>").append(word(status)).append("</th>"));
        page.append("<th>not passed</th></tr>\n");
        bySection(report).forEach((section, outcomes) -> {
            page.append("<tr><td>").append(escape(section)).append("</td>");
            for (String status : STATUSES) {
                long count = outcomes.stream()
                        .filter(one -> one.status().equals(status))
                        .count();
                page.append("<td class=\"n ").append(count == 0 ? "" : status).append("\">");
                page.append(count == 0 ? "" : Long.toString(count)).append("</td>");
            }
            page.append("<td>");
            outcomes.stream()
                    .filter(one -> one.status().equals("FAILED") || one.status().equals("KNOWN"))
                    .forEach(one -> page.append("<a href=\"#")
                            .append(escape(one.id()))
                            .append("\">")
                            .append(escape(one.id()))
                            .append("</a> "));
            page.append("</td></tr>\n");
        });
        page.append("</table>\n");
    }

    private static void failures(StringBuilder page, Report report, String status, String heading) {
        List<Report.Outcome> outcomes = report.outcomes().stream()
                .filter(one -> one.status().equals(status))
                .toList();
        if (outcomes.isEmpty()) {
            return;
        }
        page.append("<h2>").append(heading).append("</h2>\n");
        for (Report.Outcome one : outcomes) {
            page.append("<h3 id=\"")
                    .append(escape(one.id()))
                    .append("\">")
                    .append(escape(one.id()))
                    .append("</h3>\n");
            page.append("<p>")
                    .append(escape(one.title()))
                    .append(" (")
                    .append(one.level())
                    .append("; ");
            page.append(escape(String.join(", ", one.requirements()))).append("; ");
            page.append(escape(String.join(", ", one.sections()))).append(")</p>\n");
            if (!one.explanation().isEmpty()) {
                page.append("<p>").append(escape(one.explanation()));
                page.append(one.sometimes() ? " <b>Not in each run.</b></p>\n" : "</p>\n");
            }
            page.append("<p><b>Seen:</b> ").append(escape(one.seen()));
            page.append("<br><b>Allowed:</b> ").append(escape(one.allowed())).append("</p>\n<pre>");
            one.dialogue().forEach(line -> page.append(escape(line)).append('\n'));
            page.append("</pre>\n");
        }
    }

    private static void all(StringBuilder page, Report report) {
        page.append("<h2>All cases</h2>\n<table><tr><th>case</th><th>what it does</th><th>level</th>")
                .append("<th>requirements</th><th>result</th><th>why</th></tr>\n");
        for (Report.Outcome one : report.outcomes()) {
            page.append("<tr><td><code>").append(escape(one.id())).append("</code></td><td>");
            page.append(escape(one.title()))
                    .append("</td><td>")
                    .append(one.level())
                    .append("</td><td>");
            page.append(escape(String.join(", ", one.requirements()))).append("</td><td class=\"");
            page.append(one.status()).append("\">").append(word(one.status())).append("</td><td>");
            page.append(escape(one.seen())).append("</td></tr>\n");
        }
        page.append("</table>\n");
    }

    /** {@return a status for people} */
    static String word(String status) {
        return switch (status) {
            case "PASSED" -> "passed";
            case "FAILED" -> "failed";
            case "KNOWN" -> "failed as known";
            case "SKIPPED" -> "skipped";
            default -> status;
        };
    }

    /** {@return text as it stands in a page} */
    static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
