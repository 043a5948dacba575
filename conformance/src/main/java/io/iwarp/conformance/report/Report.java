package io.iwarp.conformance.report;

import io.iwarp.conformance.judge.Level;
import io.iwarp.conformance.judge.Result;
import java.util.List;
import java.util.regex.Pattern;

/**
 * What a run found, as a file keeps it. Its texts come from the user and from the peer: each character that XML does
 * not allow, or that reorders the text around it, is replaced here by its escape, such as {@code \}{@code u001b}.
 *
 * @param title what the peer was, in the words of the user
 * @param role of the peer
 * @param peer the kind of peer whose known deviations were applied, or nothing
 * @param options of the run, in words
 * @param missing ids of the cases that were chosen and did not run; not empty if the report is partial
 * @param outcomes of the cases, in their order
 */
public record Report(
        String title, String role, String peer, String options, List<String> missing, List<Outcome> outcomes) {
    private static final Pattern UNSAFE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}\\u2028\\u2029\\ufffe\\uffff]");

    /** Escapes the texts. */
    public Report {
        title = plain(title);
        role = plain(role);
        peer = plain(peer);
        options = plain(options);
        missing = missing.stream().map(Report::plain).toList();
        outcomes = List.copyOf(outcomes);
    }

    /**
     * What came of a case.
     *
     * @param id of the case
     * @param title what it does
     * @param level of its strongest requirement
     * @param requirements ids
     * @param sections of the RFCs, each once
     * @param status how the case ended
     * @param seen what the peer did, or why the case was skipped
     * @param allowed what the peer may do
     * @param explanation of a known deviation
     * @param sometimes whether the known deviation shows in some runs only
     * @param dialogue as lines
     * @param millis how long the case took, in milliseconds
     */
    public record Outcome(
            String id,
            String title,
            Level level,
            List<String> requirements,
            List<String> sections,
            Result.Status status,
            String seen,
            String allowed,
            String explanation,
            boolean sometimes,
            List<String> dialogue,
            long millis) {
        /** Escapes the texts. */
        public Outcome {
            id = plain(id);
            title = plain(title);
            requirements = requirements.stream().map(Report::plain).toList();
            sections = sections.stream().map(Report::plain).toList();
            seen = plain(seen);
            allowed = plain(allowed);
            explanation = plain(explanation);
            dialogue = dialogue.stream().map(Report::plain).toList();
        }

        /** Returns whether the peer deviated, known for it or not. */
        boolean deviated() {
            return status == Result.Status.FAILED || status == Result.Status.KNOWN;
        }
    }

    private static String plain(String text) {
        return UNSAFE.matcher(text)
                .replaceAll(
                        match -> String.format("\\\\u%04x", (int) match.group().charAt(0)));
    }

    /** Returns how many cases have this status. */
    public long count(Result.Status status) {
        return outcomes.stream().filter(one -> one.status() == status).count();
    }

    /** Returns that the report is partial, and which cases did not run, or nothing. */
    String partial() {
        return missing.isEmpty()
                ? ""
                : "This report is partial: " + missing.size() + " of " + (missing.size() + outcomes.size())
                        + " cases did not run: " + String.join(", ", missing);
    }
}
