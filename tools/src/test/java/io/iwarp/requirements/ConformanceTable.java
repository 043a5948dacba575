package io.iwarp.requirements;

import io.iwarp.conformance.Requirements;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The requirements in a Markdown document, the tests it says they have, and the excuses of those that have none.
 *
 * <p>Requirements stand in tables with the columns {@value #REQUIREMENTS}, excuses in tables with the columns
 * {@value #EXCUSES}, below whatever headings. Other lines are prose. What is excused has no test, unless the heading is
 * "{@value #UNFINISHED}": parts of a feature can be tested before the whole is there.
 */
final class ConformanceTable {
    private static final String REQUIREMENTS = "id | level | RFC | requirement | tests";
    private static final String EXCUSES = "id | reason";
    private static final String UNFINISHED = "Not yet built";
    private static final Pattern HEADING = Pattern.compile("#+ +(.*?) *");
    /** Everything up to the last cell, and that cell. */
    private static final Pattern ROW = Pattern.compile("(\\|.*(?<!\\\\)\\|)(.*)(?<!\\\\)\\|\\s*");

    private final List<String> lines;
    private final Map<String, Integer> rows = new LinkedHashMap<>();
    private final Map<String, String> excuses = new LinkedHashMap<>();
    private final List<String> flaws = new ArrayList<>();

    ConformanceTable(String document) {
        lines = Arrays.asList(document.split("\n", -1));
        String heading = "";
        String columns = "";
        for (int i = 0; i < lines.size(); i++) {
            Matcher title = HEADING.matcher(lines.get(i));
            List<String> cells = cells(lines.get(i));
            if (title.matches()) {
                heading = title.group(1);
            }
            if (cells.isEmpty()) {
                columns = "";
            } else if (columns.isEmpty()) {
                columns = String.join(" | ", cells);
            } else if (!cells.get(0).matches(":?-+:?")) {
                row(i, cells, columns, heading);
            }
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
                .filter(id -> !rows.containsKey(id))
                .forEach(id -> found.add(id + " is cited by " + tests(citations, id) + " but is in no table"));
        excuses.keySet().stream()
                .filter(id -> !rows.containsKey(id))
                .forEach(id -> found.add(id + " is excused but is in no table"));
        for (String id : rows.keySet()) {
            boolean tested = !citations.tests(id).isEmpty();
            String excuse = excuses.get(id);
            if (tested && excuse != null && !excuse.equals(UNFINISHED)) {
                found.add(id + " stands under \"" + excuse + "\" but is tested by " + tests(citations, id));
            } else if (!tested && excuse == null) {
                found.add(id + " has neither a test nor an excuse");
            } else if (tested && proofs.tests(id).isEmpty()) {
                found.add(id + " is proven by nothing that ran and passed: " + tests(citations, id));
            }
        }
        return found;
    }

    /** The document with the tests that cite each requirement in the last column, and otherwise untouched. */
    String withTests(Citations citations) {
        List<String> updated = new ArrayList<>(lines);
        rows.forEach((id, line) -> {
            Matcher row = ROW.matcher(lines.get(line));
            String tests = tests(citations, id);
            if (row.matches() && !row.group(2).strip().equals(tests)) {
                updated.set(line, row.group(1) + " " + tests + " |");
            }
        });
        return String.join("\n", updated);
    }

    /**
     * The document with the level, the sections and the text of each requirement as the list of the conformance suite
     * has them.
     *
     * @throws IllegalStateException if the document and the list do not have the same requirements
     */
    String withRequirements(Requirements requirements) {
        List<String> updated = new ArrayList<>(lines);
        Set<String> listed = new TreeSet<>();
        for (Requirements.Requirement requirement : requirements.all()) {
            String id = requirement.id();
            listed.add(id);
            Integer line = rows.get(id);
            if (line == null) {
                throw new IllegalStateException(id + " is in requirements.tsv but in no table of the document");
            }
            List<String> cells = cells(lines.get(line));
            updated.set(
                    line,
                    String.format(
                            "| %s | %s | %s | %s | %s |",
                            id,
                            requirement.level(),
                            requirement.sections(),
                            requirement.text(),
                            cells.get(cells.size() - 1)));
        }
        Set<String> unlisted = new TreeSet<>(rows.keySet());
        unlisted.removeAll(listed);
        if (!unlisted.isEmpty()) {
            throw new IllegalStateException(unlisted + " are in the document but not in requirements.tsv");
        }
        return String.join("\n", updated);
    }

    private void row(int line, List<String> cells, String columns, String heading) {
        String id = cells.get(0);
        if (columns.equals(REQUIREMENTS)) {
            if (cells.size() != 5) {
                flaws.add(id + " has " + cells.size() + " cells instead of 5");
            } else if (rows.put(id, line) != null) {
                flaws.add(id + " is in the tables twice");
            }
        } else if (columns.equals(EXCUSES)) {
            if (cells.size() != 2 || cells.get(1).isEmpty()) {
                flaws.add(id + " is excused without a reason");
            }
            if (excuses.put(id, heading) != null) {
                flaws.add(id + " is excused twice");
            }
        }
    }

    private static String tests(Citations citations, String id) {
        return String.join(", ", citations.tests(id));
    }

    /** The cells of a line; none if it belongs to no table. */
    private static List<String> cells(String line) {
        if (!ROW.matcher(line).matches()) {
            return List.of();
        }
        String inner = line.strip();
        return Arrays.stream(inner.substring(1, inner.length() - 1).split("(?<!\\\\)\\|", -1))
                .map(String::strip)
                .toList();
    }
}
