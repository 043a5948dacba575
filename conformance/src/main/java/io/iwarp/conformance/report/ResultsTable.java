package io.iwarp.conformance.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Results as tables of a Markdown document, between two lines that mark their place. */
public final class ResultsTable {
    private static final String BEGIN = "<!-- results -->";
    private static final String END = "<!-- end of results -->";
    private static final int FAMILY = 3;

    private ResultsTable() {}

    /**
     * Replaces what stands between the marks of a document.
     *
     * @param reports of the same peer more than once, if it was judged more than once
     * @throws IOException if the document cannot be written, or has no marks
     */
    public static void replace(List<Report> reports, Path document) throws IOException {
        String text = Files.readString(document);
        int begin = text.indexOf(BEGIN);
        int end = text.indexOf(END);
        if (begin < 0 || end < begin) {
            throw new IOException(document + " has no lines '" + BEGIN + "' and '" + END + "' for the results");
        }
        Files.writeString(
                document, text.substring(0, begin) + BEGIN + "\n\n" + tables(reports) + "\n" + text.substring(end));
    }

    static String tables(List<Report> reports) {
        Map<String, List<Report>> byTitle = Repeats.byTitle(reports);
        StringBuilder text =
                new StringBuilder("| peer | runs | passed | failed as known | failed otherwise | skipped |\n");
        text.append("|---|---|---|---|---|---|\n");
        byTitle.forEach((title, runs) -> {
            Report last = runs.get(runs.size() - 1);
            text.append("| ").append(title).append(" | ").append(runs.size()).append(" | ");
            text.append(last.count("PASSED"))
                    .append(" | ")
                    .append(last.count("KNOWN"))
                    .append(" | ");
            text.append(last.count("FAILED"))
                    .append(" | ")
                    .append(last.count("SKIPPED"))
                    .append(" |\n");
        });
        byTitle.forEach((title, runs) -> deviations(text, title, runs));
        return text.toString();
    }

    private static void deviations(StringBuilder text, String title, List<Report> runs) {
        Map<String, Set<String>> byReason = new LinkedHashMap<>();
        for (Report report : runs) {
            for (Report.Outcome one : report.outcomes()) {
                if (one.status().equals("KNOWN") || one.status().equals("FAILED")) {
                    String reason = one.explanation().isEmpty()
                            ? "Not explained: " + one.seen() + " instead of " + one.allowed()
                            : one.explanation() + (one.sometimes() ? " **Not in each run.**" : "");
                    byReason.computeIfAbsent(reason, any -> new TreeSet<>()).add(one.id());
                }
            }
        }
        text.append("\n### ").append(title).append("\n\n| deviation | cases |\n|---|---|\n");
        byReason.forEach((reason, ids) -> text.append("| ")
                .append(reason.replace("|", "\\|"))
                .append(" | ")
                .append(families(ids))
                .append(" |\n"));
        if (runs.size() > 1) {
            List<String> different =
                    Repeats.different(runs).stream().map(id -> "`" + id + "`").toList();
            text.append("\nNot the same in each run: ")
                    .append(different.isEmpty() ? "none" : String.join(", ", different))
                    .append(".\n");
        }
    }

    /** Cases whose ids differ in the last part only are told by one pattern. */
    private static String families(Set<String> ids) {
        Map<String, List<String>> byPrefix = new TreeMap<>();
        for (String id : ids) {
            byPrefix.computeIfAbsent(id.substring(0, Math.max(0, id.lastIndexOf('.'))), any -> new ArrayList<>())
                    .add(id);
        }
        List<String> words = new ArrayList<>();
        byPrefix.forEach((prefix, members) -> {
            if (members.size() >= FAMILY) {
                words.add("`" + prefix + ".*` (" + members.size() + ")");
            } else {
                members.forEach(id -> words.add("`" + id + "`"));
            }
        });
        return String.join(", ", words);
    }
}
