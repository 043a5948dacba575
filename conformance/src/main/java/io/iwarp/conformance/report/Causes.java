package io.iwarp.conformance.report;

import io.iwarp.conformance.judge.Result.Status;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Sums the failures of a run up: one line for each cause that several cases share, and how many of each family are
 * left. The causes come first, that with the most cases at the top, which tells the author of a stack what to mend
 * first.
 */
public final class Causes {
    private static final int MAX_LINES = 8;
    private static final int MAX_FAMILIES = 6;
    private static final String TERMINATE = "a Terminate";
    private static final String RULES = "messages of the peer break a rule";
    private static final String OTHERWISE = "the peer does otherwise: ";

    private Causes() {}

    /** Returns the lines: none if no case failed. */
    public static List<String> lines(Report report) {
        Map<String, List<Report.Outcome>> causes = new LinkedHashMap<>();
        boolean terminates = report.outcomes().stream().anyMatch(Causes::showsTerminate);
        report.outcomes().stream()
                .filter(one -> one.status() == Status.FAILED)
                .forEach(one -> causes.computeIfAbsent(cause(one, terminates), any -> new ArrayList<>())
                        .add(one));
        List<Map.Entry<String, List<Report.Outcome>>> sorted = causes.entrySet().stream()
                // A rule counts for all messages of the peer.
                .sorted(Comparator.comparing((Map.Entry<String, List<Report.Outcome>> entry) ->
                                !isRule(entry.getValue().get(0)))
                        .thenComparing(entry -> -entry.getValue().size()))
                .toList();
        List<String> lines = sorted.stream()
                .limit(MAX_LINES)
                .map(entry -> entry.getKey() + ": " + cases(entry.getValue()) + titles(entry))
                .collect(Collectors.toCollection(ArrayList::new));
        if (sorted.size() > MAX_LINES) {
            lines.add("other causes: "
                    + cases(sorted.stream()
                            .skip(MAX_LINES)
                            .map(Map.Entry::getValue)
                            .flatMap(Collection::stream)
                            .toList()));
        }
        return lines;
    }

    private static boolean isRule(Report.Outcome one) {
        return one.id().startsWith("rule.") && !one.id().startsWith("rule.error.");
    }

    private static boolean showsTerminate(Report.Outcome one) {
        return one.dialogue().stream().anyMatch(line -> line.startsWith("< Terminate"))
                // An error of MPA, 2/0/xx, may end the connection without one.
                || (one.status() == Status.PASSED && one.title().matches(".*refused with [01]/.*"));
    }

    private static String cause(Report.Outcome one, boolean terminates) {
        String seen = one.seen();
        if (isRule(one)) {
            return RULES;
        }
        if (seen.contains("after it the peer serves no ping")) {
            return "the peer serves no connection any more after it";
        }
        if (seen.contains("with layer and type swapped") && seen.endsWith("which is allowed")) {
            return "the peer's Terminates have layer and error type swapped";
        }
        if (!one.allowed().startsWith(TERMINATE)) {
            return OTHERWISE + what(seen) + " instead of " + one.allowed();
        }
        if (seen.startsWith(TERMINATE)) {
            return "a Terminate has another error than the RFC asks for";
        }
        if (seen.startsWith("the end of the connection") || seen.startsWith("a reset")) {
            return terminates
                    ? "the peer ends the connection without the Terminate that is due"
                    : "the peer never sends a Terminate: it only ends the connection";
        }
        return seen.startsWith("nothing")
                ? "the peer does not react to what it has to refuse"
                : "the peer takes what it has to refuse";
    }

    /** Returns what the peer has to do: which rules it breaks, and the first case of a cause that has no name. */
    private static String titles(Map.Entry<String, List<Report.Outcome>> cause) {
        if (cause.getKey().startsWith(OTHERWISE)) {
            return ": " + cause.getValue().get(0).title();
        }
        return !cause.getKey().equals(RULES)
                ? ""
                : cause.getValue().stream()
                        .limit(MAX_FAMILIES)
                        .map(one -> one.title().replaceFirst("^in all cases ", ""))
                        .collect(Collectors.joining("; ", ": ", ""));
    }

    /** Returns what came, without the numbers in which one case differs from another. */
    private static String what(String seen) {
        return seen.replaceFirst("[,;:].*", "");
    }

    private static String cases(List<Report.Outcome> outcomes) {
        Map<String, Long> families = outcomes.stream()
                .collect(Collectors.groupingBy(
                        one -> one.id().replaceFirst("^([^.]*\\.[^.]*)\\..*", "$1.*"),
                        TreeMap::new,
                        Collectors.counting()));
        int count = outcomes.size();
        return count
                + (count == 1 ? " case, " : " cases, as ")
                + outcomes.get(0).id()
                + (families.size() == 1
                        ? ""
                        : families.entrySet().stream()
                                .sorted(Map.Entry.<String, Long>comparingByValue()
                                        .reversed())
                                .limit(MAX_FAMILIES)
                                .map(entry -> (entry.getValue() == 1 ? "" : entry.getValue() + " of ") + entry.getKey())
                                .collect(Collectors.joining(
                                        ", ", " (", families.size() > MAX_FAMILIES ? ", ...)" : ")")));
    }
}
