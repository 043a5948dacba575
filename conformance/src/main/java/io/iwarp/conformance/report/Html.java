package io.iwarp.conformance.report;

import io.iwarp.conformance.judge.Result.Status;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A report to look at: a table by RFC section, and the dialogue of each failure. */
public final class Html {
    private Html() {}

    /** Writes a report. */
    public static void write(Report report, Path file) throws IOException {
        Page page = new Page("Conformance of " + report.title());
        if (!report.missing().isEmpty()) {
            page.markup("<p class=\"FAILED\">").element("b", report.partial()).markup("</p>\n");
        }
        page.markup("<p>The peer is a ").text(report.role()).markup(": ").element("code", report.title());
        page.markup(". Set-up: ").text(report.options()).markup(".");
        if (!report.peer().isEmpty()) {
            page.markup(" Known deviations: ").text(report.peer()).markup(".");
        }
        page.markup("</p>\n");
        totals(page, report);
        causes(page, report);
        sections(page, report);
        failures(page, report, Status.FAILED, "Failures");
        failures(page, report, Status.KNOWN, "Known deviations");
        all(page, report);
        page.write(file);
    }

    private static void totals(Page page, Report report) {
        page.markup("<table><tr>");
        for (Status status : Status.values()) {
            page.markup("<th class=\"" + status + "\">").text(status.word()).markup("</th>");
        }
        page.markup("</tr><tr>");
        for (Status status : Status.values()) {
            page.cell("n", report.count(status));
        }
        page.markup("</tr></table>\n");
    }

    private static void causes(Page page, Report report) {
        List<String> causes = Causes.lines(report);
        if (!causes.isEmpty()) {
            page.element("h2", "What to mend first").markup("\n<ol>");
            causes.forEach(cause -> page.element("li", cause));
            page.markup("</ol>\n");
        }
    }

    /** Returns the cases of each section, in the order of the sections. */
    static Map<String, List<Report.Outcome>> bySection(Report report) {
        Map<String, List<Report.Outcome>> sections = new TreeMap<>(SectionOrder.INSTANCE);
        for (Report.Outcome one : report.outcomes()) {
            for (String section : one.sections()) {
                sections.computeIfAbsent(section, any -> new ArrayList<>()).add(one);
            }
        }
        return sections;
    }

    private static void sections(Page page, Report report) {
        page.element("h2", "By section").markup("\n<table><tr><th>section</th>");
        for (Status status : Status.values()) {
            page.element("th", status.word());
        }
        page.markup("<th>not passed</th></tr>\n");
        bySection(report).forEach((section, outcomes) -> {
            page.markup("<tr>").element("td", section);
            for (Status status : Status.values()) {
                long count =
                        outcomes.stream().filter(one -> one.status() == status).count();
                page.cell(count == 0 ? "n" : "n " + status, count == 0 ? "" : count);
            }
            page.markup("<td>");
            outcomes.stream()
                    .filter(Report.Outcome::deviated)
                    .forEach(one -> page.markup("<a href=\"#")
                            .text(one.id())
                            .markup("\">")
                            .text(one.id())
                            .markup("</a> "));
            page.markup("</td></tr>\n");
        });
        page.markup("</table>\n");
    }

    private static void failures(Page page, Report report, Status status, String heading) {
        if (report.count(status) == 0) {
            return;
        }
        page.element("h2", heading).markup("\n");
        report.outcomes().stream().filter(one -> one.status() == status).forEach(one -> {
            page.markup("<h3 id=\"").text(one.id()).markup("\">").text(one.id()).markup("</h3>\n");
            page.element(
                            "p",
                            one.title() + " (" + one.level() + "; " + String.join(", ", one.requirements()) + "; "
                                    + String.join(", ", one.sections()) + ")")
                    .markup("\n");
            if (!one.explanation().isEmpty()) {
                page.markup("<p>").text(one.explanation());
                page.markup(one.sometimes() ? " <b>Not in each run.</b></p>\n" : "</p>\n");
            }
            page.markup("<p><b>Seen:</b> ").text(one.seen());
            page.markup("<br><b>Allowed:</b> ").text(one.allowed()).markup("</p>\n");
            page.element("pre", String.join("\n", one.dialogue())).markup("\n");
        });
    }

    private static void all(Page page, Report report) {
        page.element("h2", "All cases")
                .markup("\n<table><tr><th>case</th><th>what it does</th><th>level</th>")
                .markup("<th>requirements</th><th>result</th><th>why</th></tr>\n");
        for (Report.Outcome one : report.outcomes()) {
            page.markup("<tr><td>").element("code", one.id()).markup("</td>");
            page.element("td", one.title()).element("td", one.level());
            page.element("td", String.join(", ", one.requirements()));
            page.cell(one.status().name(), one.status().word());
            page.element("td", one.seen()).markup("</tr>\n");
        }
        page.markup("</table>\n");
    }
}
