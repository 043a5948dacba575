package io.iwarp.conformance.judge;

import io.iwarp.conformance.wire.Dialogue;
import io.iwarp.conformance.wire.Rule;
import io.iwarp.conformance.wire.RuleViolation;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The rules that a run has judged so far, and those that the peer has broken. */
final class RuleBook {
    private final Map<Rule, Broken> broken = new EnumMap<>(Rule.class);
    private final Set<Rule> judged = EnumSet.noneOf(Rule.class);

    /** Where a rule was broken first, and how often. */
    record Broken(String where, RuleViolation first, Dialogue dialogue, int cases) {
        CaseFailed failure() {
            String also = cases == 1 ? "" : " and in " + (cases - 1) + " other cases";
            return new CaseFailed(
                    first.seen() + ", in " + where + also, first.allowed(), first.entry(), first.offset());
        }
    }

    /** Adds what was seen in a case: the rules for which something came, and what broke them. */
    void add(String where, Dialogue dialogue, Set<Rule> ofCase, List<RuleViolation> violations) {
        judged.addAll(ofCase);
        Map<Rule, RuleViolation> once = new HashMap<>();
        violations.forEach(violation -> once.putIfAbsent(violation.rule(), violation));
        once.forEach((rule, violation) -> broken.merge(
                rule,
                new Broken(where, violation, dialogue, 1),
                (old, more) -> new Broken(old.where(), old.first(), old.dialogue(), old.cases() + 1)));
    }

    /** Returns whether anything came that a rule judges. */
    boolean judged(Rule rule) {
        return judged.contains(rule);
    }

    /** Returns where a rule was broken, or null. */
    @Nullable
    Broken broken(Rule rule) {
        return broken.get(rule);
    }
}
