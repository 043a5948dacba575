package io.iwarp.requirements;

import io.iwarp.conformance.Requirements;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The requirements, the tests that prove them, and the excuses of those that have none. Excuses stand in a Markdown
 * document, in tables with the columns {@value #EXCUSES}.
 */
final class ConformanceTable {
    private static final String EXCUSES = "| id | reason |";
    private static final String COLUMNS = "| id | level | RFC | requirement | tests |\n|---|---|---|---|---|\n";

    private final Map<String, Requirements.Requirement> requirements = new LinkedHashMap<>();
    private final Map<String, String> excuses = new LinkedHashMap<>();
    private final List<String> flaws = new ArrayList<>();

    ConformanceTable(Collection<Requirements.Requirement> requirements, String document) {
        requirements.forEach(requirement -> this.requirements.put(requirement.id(), requirement));
        boolean inside = false;
        for (String line : document.lines().toList()) {
            if (line.equals(EXCUSES)) {
                inside = true;
            } else if (!line.startsWith("|")) {
                inside = false;
            } else if (inside && !line.startsWith("|--")) {
                excuse(line);
            }
        }
    }

    private void excuse(String line) {
        List<String> cells =
                Arrays.stream(line.split("\\|", -1)).map(String::strip).toList();
        String id = cells.get(1);
        if (cells.size() < 4 || cells.get(2).isEmpty()) {
            flaws.add(id + " is excused without a reason");
        }
        if (excuses.put(id, line) != null) {
            flaws.add(id + " is excused twice");
        }
    }

    /**
     * What is wrong, each with the id it is about; empty when every requirement is proven or excused.
     *
     * @param citations by all tests
     * @param proofs the citations by tests that ran and passed
     */
    List<String> flaws(Citations citations, Citations proofs) {
        List<String> found = new ArrayList<>(flaws);
        citations.ids().stream()
                .filter(id -> !requirements.containsKey(id))
                .forEach(id -> found.add(id + " is cited by " + tests(citations, id) + " but is no requirement"));
        excuses.keySet().stream()
                .filter(id -> !requirements.containsKey(id))
                .forEach(id -> found.add(id + " is excused but is no requirement"));
        for (String id : requirements.keySet()) {
            boolean tested = !citations.tests(id).isEmpty();
            if (tested && excuses.containsKey(id)) {
                found.add(id + " is excused but is tested by " + tests(citations, id));
            } else if (!tested && !excuses.containsKey(id)) {
                found.add(id + " has neither a test nor an excuse");
            } else if (tested && proofs.tests(id).isEmpty()) {
                found.add(id + " is proven by nothing that ran and passed: " + tests(citations, id));
            }
        }
        return found;
    }

    /** Returns a row for each part: how many requirements it has, and how many of them are excused. */
    List<String> counts() {
        Map<String, int[]> counts = new LinkedHashMap<>();
        for (Requirements.Requirement requirement : requirements.values()) {
            int[] count = counts.computeIfAbsent(requirement.part(), part -> new int[2]);
            count[0]++;
            count[1] += excuses.containsKey(requirement.id()) ? 1 : 0;
        }
        return counts.entrySet().stream()
                .map(entry -> "| " + entry.getKey() + " | " + entry.getValue()[0] + " | " + entry.getValue()[1] + " |")
                .toList();
    }

    /** Returns a Markdown document with all requirements and the tests that cite them. */
    String page(Citations citations) {
        StringBuilder page = new StringBuilder("# The requirements and their tests\n");
        String part = "";
        String section = "";
        for (Requirements.Requirement requirement : requirements.values()) {
            boolean newPart = !requirement.part().equals(part);
            if (newPart) {
                part = requirement.part();
                page.append("\n## ").append(part).append('\n');
            }
            if (newPart || !requirement.section().equals(section)) {
                section = requirement.section();
                page.append(section.isEmpty() ? "" : "\n### " + section + "\n")
                        .append('\n')
                        .append(COLUMNS);
            }
            page.append(String.format(
                    "| %s | %s | %s | %s | %s |%n",
                    requirement.id(),
                    requirement.level(),
                    requirement.sections(),
                    requirement.text(),
                    tests(citations, requirement.id())));
        }
        return page.toString();
    }

    private static String tests(Citations citations, String id) {
        return String.join(", ", citations.tests(id));
    }
}
