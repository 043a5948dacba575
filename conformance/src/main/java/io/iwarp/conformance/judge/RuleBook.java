package io.iwarp.conformance.judge;

import io.iwarp.conformance.wire.Dialogue;
import io.iwarp.conformance.wire.Rule;
import io.iwarp.conformance.wire.RuleViolation;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Which rules the peer has broken in a run so far, in whatever case. */
final class RuleBook {
    private final Map<Rule, Broken> broken = new EnumMap<>(Rule.class);

    /** Where a rule was broken first, and how often. */
    record Broken(String where, RuleViolation first, Dialogue dialogue, int cases) {
        CaseFailed failure() {
            String also = cases == 1 ? "" : " and in " + (cases - 1) + " other cases";
            return new CaseFailed(
                    first.seen() + ", in " + where + also, first.allowed(), first.entry(), first.offset());
        }
    }

    /** Adds what was seen in a case. */
    void add(String where, Dialogue dialogue, List<RuleViolation> violations) {
        Map<Rule, RuleViolation> once = new HashMap<>();
        violations.forEach(violation -> once.putIfAbsent(violation.rule(), violation));
        once.forEach((rule, violation) -> broken.merge(
                rule,
                new Broken(where, violation, dialogue, 1),
                (old, more) -> new Broken(old.where(), old.first(), old.dialogue(), old.cases() + 1)));
    }

    /** {@return where a rule was broken, or null} */
    @Nullable
    Broken broken(Rule rule) {
        return broken.get(rule);
    }
}
