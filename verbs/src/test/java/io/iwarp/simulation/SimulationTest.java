package io.iwarp.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Runs seed after seed. {@code -Diwarp.simulation.seeds=} says how many, {@code -Diwarp.simulation.start=} from which one on,
 * {@code -Diwarp.simulation.minutes=} for how long at most, {@code -Diwarp.simulation.seed=} runs one seed and prints all
 * that happened.
 */
class SimulationTest {
    private static final String PROPERTY = "iwarp.simulation.";
    private static final int SEEDS = 10_000;
    private static final int LAST_LINES = 120;
    private static final int ALL_LINES = 1_000_000;

    private static Method run;
    private static Method fingerprint;

    @BeforeAll
    static void weave() throws ReflectiveOperationException {
        Class<?> simulation = Class.forName("io.iwarp.simulation.Simulation", true, new Weaver());
        run = simulation.getMethod("run", long.class, int.class);
        fingerprint = simulation.getMethod("fingerprint", long.class);
    }

    @Test
    void invariantsHoldWithEverySeed() throws ReflectiveOperationException {
        Long only = Long.getLong(PROPERTY + "seed");
        if (only != null) {
            String violation = (String) run.invoke(null, only, ALL_LINES);
            System.out.println(violation);
            assertThat(violation).as("seed %d", only).isNull();
            return;
        }
        long start = Long.getLong(PROPERTY + "start", 1);
        long seeds = Long.getLong(PROPERTY + "seeds", SEEDS);
        long deadline = System.nanoTime() + Long.getLong(PROPERTY + "minutes", 600) * 60_000_000_000L;
        boolean survey = Boolean.getBoolean(PROPERTY + "survey");
        TreeMap<String, List<Long>> found = new TreeMap<>();
        for (long seed = start; seed < start + seeds && System.nanoTime() < deadline; seed++) {
            String violation = (String) run.invoke(null, seed, 0);
            if (violation != null && !survey) {
                fail(describe(seed, violation));
            }
            if (violation != null) {
                found.computeIfAbsent(violation.replaceAll("[0-9]+", "#"), key -> new ArrayList<>())
                        .add(seed);
            }
        }
        found.forEach((violation, seedsOfIt) -> System.out.println(
                seedsOfIt.size() + " x " + violation + " " + seedsOfIt.subList(0, Math.min(5, seedsOfIt.size()))));
    }

    private static String describe(long seed, String violation) throws ReflectiveOperationException {
        String again = (String) run.invoke(null, seed, LAST_LINES);
        return "seed " + seed + ": " + violation + "\n"
                + (again == null ? "(not seen when the seed was run again: something but the seed decides)" : again)
                + "\nTo see all that happened: checks/simulation/run --seed " + seed;
    }

    @Test
    void aSeedDecidesEverything() throws ReflectiveOperationException {
        for (long seed = 1; seed <= 200; seed++) {
            assertThat(fingerprint.invoke(null, seed))
                    .as("what happens with seed %d", seed)
                    .isEqualTo(fingerprint.invoke(null, seed));
        }
    }
}
