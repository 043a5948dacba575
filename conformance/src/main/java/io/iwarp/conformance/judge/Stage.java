package io.iwarp.conformance.judge;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/** How far a stack has come. Each stage has the cases of those before it. */
public enum Stage {
    /** Start-up frames and RFC 6581. */
    CONNECTS("mpa.request", "mpa.reply", "setup"),
    /** Whole exchanges. */
    PINGS("ping"),
    /** FPDUs, CRCs and markers. */
    MPA("mpa"),
    /** Segments, queues and memory. */
    DDP("ddp"),
    /** Operations, Terminates, and the end of connections. */
    RDMAP("rdmap", "combined", "connections", "teardown", "abuse", "rule"),
    /** RFC 7306. */
    EXTENSIONS("ext");

    /** A rule that holds for all messages belongs to the stage of the layer that it is about. */
    private static final Map<String, Stage> OF_REQUIREMENTS = Map.of("MPA", MPA, "DDP", DDP);

    @SuppressWarnings("ImmutableEnumChecker") // it is made by List.of
    private final List<String> families;

    Stage(String... families) {
        this.families = List.of(families);
    }

    /** Returns the name as users write it. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns whether a case belongs to this stage or to one before it. */
    public boolean has(Case test) {
        return of(test).compareTo(this) <= 0;
    }

    private static Stage of(Case test) {
        if (test.rule() != null) {
            String layer = test.requirements().get(0).replaceFirst("-.*", "");
            return OF_REQUIREMENTS.getOrDefault(layer, RDMAP);
        }
        for (Stage stage : values()) {
            if (stage.families.stream().anyMatch(family -> test.id().startsWith(family + "."))) {
                return stage;
            }
        }
        throw new IllegalStateException("the family of " + test.id() + " belongs to no stage");
    }
}
