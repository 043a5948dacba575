package io.iwarp.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Runs the seeds that once failed, then seeds that follow from the day, so that each day tries new ones.
 * {@code -Diwarp.simulation.seeds=} says how many, {@code -Diwarp.simulation.start=} from which one on,
 * {@code -Diwarp.simulation.minutes=} for how long at most, {@code -Diwarp.simulation.seed=} runs one seed and prints
 * all that happened.
 */
class SimulationTest {
    private static final String PROPERTY = "iwarp.simulation.";
    private static final int SEEDS = 6_500;
    private static final long SEEDS_OF_A_DAY = 1_000_000;
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
    void invariantsHoldWithEverySeed() throws ReflectiveOperationException, IOException {
        Long only = Long.getLong(PROPERTY + "seed");
        if (only != null) {
            String violation = (String) run.invoke(null, only, ALL_LINES);
            System.out.println(violation);
            assertThat(violation).as("seed %d", only).isNull();
            return;
        }
        long today = LocalDate.now(ZoneOffset.UTC).toEpochDay() * SEEDS_OF_A_DAY;
        long start = Long.getLong(PROPERTY + "start", today);
        long seeds = Long.getLong(PROPERTY + "seeds", SEEDS);
        long deadline = System.nanoTime() + Long.getLong(PROPERTY + "minutes", 600) * 60_000_000_000L;
        boolean survey = Boolean.getBoolean(PROPERTY + "survey");
        System.out.println("simulation: " + again(start, seeds) + " runs these seeds again");
        for (long seed : failedSeeds()) {
            String violation = (String) run.invoke(null, seed, 0);
            if (violation != null) {
                fail(describe(seed, violation));
            }
        }
        TreeMap<String, List<Long>> found = new TreeMap<>();
        long seed = start;
        for (; seed < start + seeds && System.nanoTime() < deadline; seed++) {
            String violation = (String) run.invoke(null, seed, 0);
            if (violation != null && !survey) {
                fail(describe(seed, violation) + "\nAll seeds of this run: " + again(start, seeds));
            }
            if (violation != null) {
                found.computeIfAbsent(violation.replaceAll("[0-9]+", "#"), key -> new ArrayList<>())
                        .add(seed);
            }
        }
        found.forEach((violation, seedsOfIt) -> System.out.println(
                seedsOfIt.size() + " x " + violation + " " + seedsOfIt.subList(0, Math.min(5, seedsOfIt.size()))));
        System.out.println("simulation: ran " + (seed - start) + " seeds; again: " + again(start, seed - start));
    }

    private static String again(long start, long seeds) {
        return "checks/simulation/run --start " + start + " --seeds " + seeds;
    }

    private static List<Long> failedSeeds() throws IOException {
        try (InputStream in = SimulationTest.class.getResourceAsStream("failed-seeds.txt")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> Long.valueOf(line.split(" ", 2)[0]))
                    .toList();
        }
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
