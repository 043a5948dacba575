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
public record Flaw(Rule rule, int entry, int offset, String seen, String allowed) {
    /** {@return a flaw of which only the place in the FPDU is known} */
    static Flaw at(Rule rule, int offset, String seen, String allowed) {
        return new Flaw(rule, -1, offset, seen, allowed);
    }

    static Flaw at(Rule rule, int offset, long seen, long allowed) {
        return at(rule, offset, String.format(Locale.ROOT, "%x", seen), String.format(Locale.ROOT, "%x", allowed));
    }

    Flaw in(int number) {
        return new Flaw(rule, number, offset, seen, allowed);
    }

    /** {@return the flaw in one line} */
    public String describe() {
        return rule.text() + ": seen " + seen + ", allowed " + allowed;
    }
}
