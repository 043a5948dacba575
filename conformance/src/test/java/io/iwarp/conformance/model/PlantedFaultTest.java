package io.iwarp.conformance.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.conformance.ConformanceSuite;
import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.KnownDeviations;
import io.iwarp.conformance.judge.Link;
import io.iwarp.conformance.judge.Result;
import io.iwarp.conformance.judge.Role;
import io.iwarp.conformance.judge.SuiteOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The suite can fail: each fault that is planted into a peer is found by the cases that own it, and by few others. A
 * peer without faults passes all cases.
 */
@Execution(ExecutionMode.CONCURRENT)
class PlantedFaultTest {
    private static final int MAX_OTHERS = 4;
    /** Besides the owner, one case in that many is run for each fault; for the next fault it is another one. */
    private static final int THINNED = 24;
    /** Time is virtual: no thread waits that long. The time of a write, which takes no time, is real. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final int MAX_SIZE = 65_535;

    private final ConformanceSuite suite = new ConformanceSuite();

    @ParameterizedTest
    @CsvSource({"SERVER,true,true", "CLIENT,false,false"})
    void aPeerWithoutFaultsPasses(Role role, boolean markers, boolean open) throws IOException {
        List<Result> results = run(Set.of(), role, markers, open, suite.cases(role));
        assertThat(results)
                .allSatisfy(result -> assertThat(result.status())
                        .as(describe(result))
                        .isIn(Result.Status.PASSED, Result.Status.SKIPPED));
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void aFaultIsFoundByTheCaseThatOwnsIt(Fault fault) throws IOException {
        Pattern owner = KnownDeviations.glob(fault.owner());
        List<Case> chosen = suite.cases(fault.role()).stream()
                .filter(test -> owner.matcher(test.id()).matches()
                        || test.id().equals("rule.pings")
                        || test.id().startsWith("rule.error.")
                        || Math.floorMod(test.id().hashCode() - fault.name().hashCode(), THINNED) == 0)
                .toList();
        List<Result> results = run(EnumSet.of(fault), fault.role(), fault.needsMarkers(), false, chosen);
        List<Result> failed = results.stream()
                .filter(result -> result.status() == Result.Status.FAILED)
                .toList();
        assertThat(failed).as("%s is found", fault).isNotEmpty();
        assertThat(failed)
                .as("%s is found by its owner", fault)
                .anyMatch(result -> owner.matcher(result.test().id()).matches());
        assertThat(failed.stream()
                        .filter(result -> !owner.matcher(result.test().id()).matches())
                        .map(PlantedFaultTest::describe))
                .as("others that find %s", fault)
                .hasSizeLessThanOrEqualTo(MAX_OTHERS);
    }

    @Test
    void thereAreFortyFaultsAndMore() {
        assertThat(Fault.values()).hasSizeGreaterThan(40);
        assertThat(Stream.of(Fault.values()).map(Fault::role)).contains(Role.SERVER, Role.CLIENT);
    }

    private List<Result> run(Set<Fault> faults, Role role, boolean markers, boolean open, List<Case> cases)
            throws IOException {
        SuiteOptions plain = SuiteOptions.of(role);
        SuiteOptions options = new SuiteOptions(
                role,
                markers,
                faults.stream().noneMatch(Fault::needsNoCrc),
                plain.revision(),
                false,
                MAX_SIZE,
                false,
                PATIENCE,
                plain.quiet(),
                Duration.ZERO,
                plain.firstFpduDelay());
        try (ModelPeer peer = new ModelPeer(faults, markers, open);
                Link link = peer.link(role)) {
            return suite.run(options, link, cases, Set.of(), KnownDeviations.none(), null, result -> {});
        }
    }

    private static String describe(Result result) {
        return result.test().id() + " " + result.status() + ": seen " + result.detail() + ", allowed "
                + result.allowed() + "\n" + String.join("\n", result.dialogue());
    }
}
