package io.iwarp.conformance.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Several runs of the same peer, which are told by their common title: do they agree? */
public final class Repeats {
    private Repeats() {}

    /** {@return the reports in their order, those with the same title together} */
    static Map<String, List<Report>> byTitle(List<Report> reports) {
        Map<String, List<Report>> byTitle = new LinkedHashMap<>();
        reports.forEach(report -> byTitle.computeIfAbsent(report.title(), any -> new ArrayList<>())
                .add(report));
        return byTitle;
    }

    /** {@return the ids of cases that did not end the same in each run of a peer} */
    static List<String> different(List<Report> runs) {
        Map<String, Set<String>> results = new TreeMap<>();
        outcomes(runs)
                .forEach(one -> results.computeIfAbsent(one.id(), any -> new TreeSet<>())
                        .add(one.status()));
        return results.entrySet().stream()
                .filter(entry -> entry.getValue().size() > 1)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** {@return a line for each case that differs between runs though no known deviation says that it may} */
    public static List<String> unexplained(List<Report> reports) {
        List<String> lines = new ArrayList<>();
        byTitle(reports)
                .forEach((title, runs) -> different(runs).stream()
                        .filter(id -> outcomes(runs).noneMatch(one -> one.id().equals(id) && one.sometimes()))
                        .forEach(id -> lines.add(
                                title + ": " + id + " is not the same in each run, and no known deviation says"
                                        + " that it depends on the moment")));
        return lines;
    }

    private static Stream<Report.Outcome> outcomes(List<Report> runs) {
        return runs.stream().flatMap(run -> run.outcomes().stream());
    }
}
