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
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Runs the seeds that once failed, then seeds that follow from the day, so that each day tries new ones.
 * {@code -Diwarp.simulation.seeds=} says how many, {@code -Diwarp.simulation.start=} from which one on,
 * {@code -Diwarp.simulation.minutes=} for how long at most, {@code -Diwarp.simulation.seed=} runs one seed and prints
 * all that happened, {@code -Diwarp.simulation.threads=} in how many threads.
 */
class SimulationTest {
    private static final String PROPERTY = "iwarp.simulation.";
    private static final int SEEDS = 1_000;
    private static final long SEEDS_OF_A_DAY = 1_000_000;
    private static final int LAST_LINES = 120;
    private static final int ALL_LINES = 1_000_000;

    private final long today = LocalDate.now(ZoneOffset.UTC).toEpochDay() * SEEDS_OF_A_DAY;
    private final long start = Long.getLong(PROPERTY + "start", today);
    private final long seeds = Long.getLong(PROPERTY + "seeds", SEEDS);
    private final long deadline = System.nanoTime() + Long.getLong(PROPERTY + "minutes", 600) * 60_000_000_000L;
    private final boolean survey = Boolean.getBoolean(PROPERTY + "survey");
    private final AtomicLong next = new AtomicLong(start);
    private final AtomicLong ran = new AtomicLong();
    private final Map<String, List<Long>> found = new ConcurrentSkipListMap<>();

    /** The simulation in a class loader of its own. One thread at a time can use it. */
    private record Loaded(Method run, Method fingerprint) {
        static Loaded load() throws ReflectiveOperationException {
            Class<?> simulation = Class.forName("io.iwarp.simulation.Simulation", true, new Weaver());
            return new Loaded(
                    simulation.getMethod("run", long.class, int.class),
                    simulation.getMethod("fingerprint", long.class));
        }

        @Nullable
        String run(long seed, int lines) throws ReflectiveOperationException {
            return (String) run.invoke(null, seed, lines);
        }

        void mustHold(long seed, String more) throws ReflectiveOperationException {
            String violation = run(seed, 0);
            if (violation != null) {
                String again = run(seed, LAST_LINES);
                fail("seed " + seed + ": " + violation + "\n"
                        + (again == null
                                ? "(not seen when the seed was run again: something but the seed decides)"
                                : again)
                        + "\nTo see all that happened: checks/simulation/run --seed " + seed + more);
            }
        }
    }

    @Test
    void invariantsHoldWithEverySeed() throws Exception {
        Loaded simulation = Loaded.load();
        Long only = Long.getLong(PROPERTY + "seed");
        if (only != null) {
            String violation = simulation.run(only, ALL_LINES);
            System.out.println(violation);
            assertThat(violation).as("seed %d", only).isNull();
            return;
        }
        System.out.println("simulation: " + again(start, seeds) + " runs these seeds again");
        for (long seed : failedSeeds()) {
            simulation.mustHold(seed, "");
        }
        int threads = Integer.getInteger(PROPERTY + "threads", 1);
        ExecutorService others = Executors.newCachedThreadPool();
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 1; i < threads; i++) {
                running.add(others.submit(() -> runSeeds(Loaded.load())));
            }
            runSeeds(simulation);
            for (Future<?> each : running) {
                each.get();
            }
        } finally {
            others.shutdown();
        }
        found.forEach((violation, seedsOfIt) -> System.out.println(
                seedsOfIt.size() + " x " + violation + " " + seedsOfIt.subList(0, Math.min(5, seedsOfIt.size()))));
        System.out.println("simulation: ran " + ran + " seeds; again: " + again(start, ran.get()));
    }

    /** Returns null, so that it can throw. */
    private @Nullable Void runSeeds(Loaded simulation) throws ReflectiveOperationException {
        try {
            for (long seed = next.getAndIncrement();
                    seed < start + seeds && System.nanoTime() < deadline;
                    seed = next.getAndIncrement()) {
                if (survey) {
                    survey(simulation, seed);
                } else {
                    simulation.mustHold(seed, "\nAll seeds of this run: " + again(start, seeds));
                }
                ran.incrementAndGet();
            }
            return null;
        } finally {
            // The other threads end, too.
            next.set(start + seeds);
        }
    }

    private void survey(Loaded simulation, long seed) throws ReflectiveOperationException {
        String violation = simulation.run(seed, 0);
        if (violation != null) {
            found.computeIfAbsent(
                            violation.replaceAll("[0-9]+", "#"), key -> Collections.synchronizedList(new ArrayList<>()))
                    .add(seed);
        }
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

    @Test
    void aSeedDecidesEverything() throws ReflectiveOperationException {
        Method fingerprint = Loaded.load().fingerprint();
        for (long seed = 1; seed <= 30; seed++) {
            assertThat(fingerprint.invoke(null, seed))
                    .as("what happens with seed %d", seed)
                    .isEqualTo(fingerprint.invoke(null, seed));
        }
    }
}
