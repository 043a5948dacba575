package io.iwarp.conformance.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.conformance.ConformanceSuite;
import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.ClientLink;
import io.iwarp.conformance.judge.KnownDeviations;
import io.iwarp.conformance.judge.Link;
import io.iwarp.conformance.judge.Result;
import io.iwarp.conformance.judge.Role;
import io.iwarp.conformance.judge.ServerLink;
import io.iwarp.conformance.judge.SuiteOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
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
    private static final int MOST_OTHERS = 12;
    /** Besides the owner, one case in that many is run for each fault; for the next fault it is another one. */
    private static final int THINNED = 8;

    private static final Duration PATIENCE = Duration.ofMillis(400);
    private static final Duration ENOUGH = Duration.ofSeconds(10);
    /** A busy machine takes a while to wake the peer up, which has to read what is in front of a cut alone. */
    private static final Duration GAP_OF_CUTS = Duration.ofMillis(30);

    private static final int GREATEST_SIZE = 65_535;

    private final ConformanceSuite suite = new ConformanceSuite();

    @ParameterizedTest
    @CsvSource({"SERVER,false,false", "SERVER,true,true", "CLIENT,false,false", "CLIENT,true,true"})
    void aPeerWithoutFaultsPasses(Role role, boolean markers, boolean open) throws IOException {
        List<Result> results = run(Set.of(), role, markers, open, suite.cases(role), ENOUGH);
        assertThat(results)
                .allSatisfy(result -> assertThat(result.status())
                        .as(describe(result))
                        .isIn(Result.Status.PASSED, Result.Status.SKIPPED));
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void aFaultIsFoundByTheCaseThatOwnsIt(Fault fault) throws IOException {
        Pattern owner = KnownDeviations.glob(fault.owner());
        List<Case> all = suite.cases(fault.role());
        List<Case> chosen = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            String id = all.get(i).id();
            if (owner.matcher(id).matches()
                    || id.equals("rule.pings")
                    || id.startsWith("rule.error.")
                    || i % THINNED == Math.floorMod(fault.name().hashCode(), THINNED)) {
                chosen.add(all.get(i));
            }
        }
        List<Result> results = run(EnumSet.of(fault), fault.role(), fault.needsMarkers(), false, chosen, PATIENCE);
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
                .hasSizeLessThanOrEqualTo(MOST_OTHERS);
    }

    @Test
    void thereAreFortyFaultsAndMore() {
        assertThat(Fault.values()).hasSizeGreaterThan(40);
        assertThat(Stream.of(Fault.values()).map(Fault::role)).contains(Role.SERVER, Role.CLIENT);
    }

    private List<Result> run(
            Set<Fault> faults, Role role, boolean markers, boolean open, List<Case> cases, Duration patience)
            throws IOException {
        SuiteOptions plain = SuiteOptions.of(role);
        SuiteOptions options = new SuiteOptions(
                role,
                markers,
                plain.crc(),
                plain.revision(),
                false,
                GREATEST_SIZE,
                false,
                patience,
                Duration.ofMillis(200),
                faults.contains(Fault.CUT_LOSES_BYTES) ? GAP_OF_CUTS : plain.gap(),
                plain.firstFpduDelay());
        try (ModelPeer peer = new ModelPeer(faults, markers, open);
                Link link = role == Role.SERVER
                        ? new ServerLink(peer.address())
                        : new ClientLink(InetAddress.getLoopbackAddress(), 0, peer::startClient)) {
            return suite.run(options, link, cases, Set.of(), KnownDeviations.none(), null, result -> {});
        }
    }

    private static String describe(Result result) {
        return result.test().id() + " " + result.status() + ": seen " + result.detail() + ", allowed "
                + result.allowed() + "\n" + String.join("\n", result.dialogue());
    }
}
