package io.iwarp.conformance.judge;

import io.iwarp.conformance.wire.Dialogue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What came of a case.
 *
 * @param test the case
 * @param status in a word
 * @param detail what the peer did, why the case was skipped, or nothing
 * @param allowed what the peer may do, or nothing
 * @param known what is known about the deviation, or null
 * @param dialogue as lines of text; only of a case that did not pass
 * @param entries of the dialogue, for a capture; only of a case that did not pass
 * @param millis how long it took
 */
public record Result(
        Case test,
        Status status,
        String detail,
        String allowed,
        KnownDeviations.@Nullable Known known,
        List<String> dialogue,
        List<Dialogue.Entry> entries,
        long millis) {
    /** How a case ends. */
    public enum Status {
        /** The peer did what it has to. */
        PASSED("passed"),
        /** It did not. */
        FAILED("failed"),
        /** It did not, as is known of this kind of peer. */
        KNOWN("failed as known"),
        /** The case does not apply to this peer or this run. */
        SKIPPED("skipped");

        private final String word;

        Status(String word) {
            this.word = word;
        }

        /** Returns how reports call it. */
        public String word() {
            return word;
        }
    }

    static Result passed(Case test, long millis) {
        return new Result(test, Status.PASSED, "", "", null, List.of(), List.of(), millis);
    }

    static Result skipped(Case test, String reason) {
        return new Result(test, Status.SKIPPED, reason, "", null, List.of(), List.of(), 0);
    }

    static Result failed(Case test, CaseFailed failure, Dialogue dialogue, long millis) {
        return new Result(
                test,
                Status.FAILED,
                failure.seen(),
                failure.allowed(),
                null,
                dialogue.lines(failure.entry(), failure.offset()),
                dialogue.entries(),
                millis);
    }

    /** Returns this failure, or if the peer is known for it, the same as a known one. */
    Result orKnown(KnownDeviations deviations, Role role) {
        return deviations
                .find(role, test.id())
                .map(why -> new Result(test, Status.KNOWN, detail, allowed, why, dialogue, entries, millis))
                .orElse(this);
    }

    /** Returns the failure that the peer serves no ping after this case. */
    Result killed() {
        return new Result(
                test,
                Status.FAILED,
                (detail.isEmpty() ? "" : detail + "; ") + "after it the peer serves no ping",
                allowed.isEmpty() ? "further connections are served" : allowed,
                null,
                dialogue,
                entries,
                millis);
    }

    boolean failed() {
        return status == Status.FAILED || status == Status.KNOWN;
    }
}
