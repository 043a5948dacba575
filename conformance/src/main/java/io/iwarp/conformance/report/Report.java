package io.iwarp.conformance.report;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * All that a run found, as it is kept in a file.
 *
 * @param title what the peer was, in the words of the user
 * @param role of the peer
 * @param peer the kind of peer whose known deviations were applied, or nothing
 * @param options of the run, in words
 * @param outcomes of the cases, in their order
 */
public record Report(String title, String role, String peer, String options, List<Outcome> outcomes) {
    /**
     * What came of a case.
     *
     * @param id of the case
     * @param title what it does
     * @param level MUST or SHOULD
     * @param requirements ids
     * @param sections of the RFCs, each once
     * @param status PASSED, FAILED, KNOWN or SKIPPED
     * @param seen what the peer did, or why the case was skipped
     * @param allowed what it may do
     * @param explanation of a known deviation
     * @param sometimes whether the known deviation shows in some runs only
     * @param dialogue as lines
     * @param millis how long it took
     */
    public record Outcome(
            String id,
            String title,
            String level,
            List<String> requirements,
            List<String> sections,
            String status,
            String seen,
            String allowed,
            String explanation,
            boolean sometimes,
            List<String> dialogue,
            long millis) {}

    /** {@return how many cases have each status} */
    public Map<String, Long> counts() {
        Map<String, Long> counts = new TreeMap<>();
        for (String status : List.of("PASSED", "FAILED", "KNOWN", "SKIPPED")) {
            counts.put(
                    status,
                    outcomes.stream().filter(one -> one.status().equals(status)).count());
        }
        return counts;
    }

    /** {@return how many cases have this status} */
    public long count(String status) {
        return counts().getOrDefault(status, 0L);
    }
}
