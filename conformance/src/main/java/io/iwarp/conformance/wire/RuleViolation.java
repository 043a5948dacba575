package io.iwarp.conformance.wire;

import java.util.Locale;

/**
 * Where something that a peer sent breaks a rule.
 *
 * @param rule that is broken
 * @param entry the number of the entry in the dialogue
 * @param offset of the first wrong byte in the entry
 * @param seen what is there
 * @param allowed what may be there
 */
public record RuleViolation(Rule rule, int entry, int offset, String seen, String allowed) {
    /** Returns a violation of which only the place in the FPDU is known. */
    static RuleViolation at(Rule rule, int offset, String seen, String allowed) {
        return new RuleViolation(rule, -1, offset, seen, allowed);
    }

    static RuleViolation at(Rule rule, int offset, long seen, long allowed) {
        return at(rule, offset, String.format(Locale.ROOT, "%x", seen), String.format(Locale.ROOT, "%x", allowed));
    }

    RuleViolation in(int number) {
        return new RuleViolation(rule, number, offset, seen, allowed);
    }

    /** Returns the violation in one line. */
    public String describe() {
        return rule.text() + ": seen " + seen + ", allowed " + allowed;
    }
}
