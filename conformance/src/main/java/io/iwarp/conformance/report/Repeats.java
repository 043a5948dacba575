package io.iwarp.conformance.report;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Compares runs of one peer, which have the same title. */
public final class Repeats {
    private Repeats() {}

    /** Returns the runs of each peer that ran more than once. */
    private static List<List<Report>> repeated(List<Report> reports) {
        Map<String, List<Report>> byTitle = new LinkedHashMap<>();
        reports.forEach(report -> byTitle.computeIfAbsent(report.title(), any -> new ArrayList<>())
                .add(report));
        return byTitle.values().stream().filter(runs -> runs.size() > 1).toList();
    }

    /** Returns how many cases have a result in some report of a peer that has several, hence what can be compared. */
    public static long comparable(List<Report> reports) {
        return repeated(reports).stream()
                .mapToLong(runs -> byId(runs).keySet().size())
                .sum();
    }

    /**
     * Returns a line for each difference between the runs of a peer: a partial report, a case that some runs have and
     * others have not, and a case that ends differently though no known deviation says that this may happen.
     */
    public static List<String> differences(List<Report> reports) {
        List<String> lines = new ArrayList<>();
        for (List<Report> runs : repeated(reports)) {
            String title = runs.get(0).title();
            runs.stream()
                    .map(Report::partial)
                    .filter(partial -> !partial.isEmpty())
                    .forEach(partial -> lines.add(title + ": " + partial));
            byId(runs).forEach((id, outcomes) -> {
                Set<String> words = outcomes.stream()
                        .map(one -> one.status().word())
                        .collect(Collectors.toCollection(LinkedHashSet::new));
                if (outcomes.size() < runs.size()) {
                    lines.add(title + ": " + id + " is in " + outcomes.size() + " of " + runs.size() + " reports");
                } else if (words.size() > 1 && outcomes.stream().noneMatch(Report.Outcome::sometimes)) {
                    lines.add(title + ": " + id + " is not the same in each run: " + String.join(", ", words)
                            + "; no known deviation explains this");
                }
            });
        }
        return lines;
    }

    private static Map<String, Collection<Report.Outcome>> byId(List<Report> runs) {
        Map<String, Collection<Report.Outcome>> outcomes = new LinkedHashMap<>();
        runs.forEach(run -> run.outcomes()
                .forEach(one -> outcomes.computeIfAbsent(one.id(), any -> new ArrayList<>())
                        .add(one)));
        return outcomes;
    }
}
