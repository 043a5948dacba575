package io.iwarp.conformance.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.conformance.ConformanceSuite;
import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.KnownDeviations;
import io.iwarp.conformance.judge.Link;
import io.iwarp.conformance.judge.Result;
import io.iwarp.conformance.judge.Role;
import io.iwarp.conformance.judge.Runner;
import io.iwarp.conformance.judge.ServerLink;
import io.iwarp.conformance.judge.Session;
import io.iwarp.conformance.judge.SuiteOptions;
import io.iwarp.conformance.model.ModelPeer.Hostility;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A peer that hangs, floods or resets does not hang the suite. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class HostilePeerTest {
    private static final String SOME = "mpa.cut.1,rule.terminate-*,teardown.fin.*,abuse.*";

    private final ConformanceSuite suite = new ConformanceSuite();
    private final List<Case> cases = suite.only(suite.cases(Role.SERVER), List.of(SOME.split(","))).stream()
            .filter(test -> test.rule() == null)
            .toList();

    @ParameterizedTest
    @EnumSource(names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void aPeerThatIsHostileFromTheBeginningIsToldAtOnce(Hostility hostility) throws IOException {
        try (ModelPeer peer = new ModelPeer(Set.of(), false, false)) {
            peer.turn(hostility);
            List<Result> results = run(peer, null, Hostility.NONE);
            assertThat(results).extracting(result -> result.test().id()).containsExactly(Runner.FIRST_PING);
            assertThat(results.get(0).status()).isEqualTo(Result.Status.FAILED);
            assertThat(results.get(0).dialogue()).isNotEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void aPeerThatBecomesHostileFailsAndTheRunEnds(Hostility hostility) throws IOException {
        try (ModelPeer peer = new ModelPeer(Set.of(), false, false)) {
            List<Result> results = run(peer, null, hostility);
            assertThat(results).hasSameSizeAs(cases);
            assertThat(results.get(1).status()).isEqualTo(Result.Status.FAILED);
            assertThat(results.get(1).detail()).contains("serves no ping");
            assertThat(results.subList(2, results.size()))
                    .allSatisfy(result -> assertThat(result.detail()).contains("does not serve any more"));
        }
    }

    @ParameterizedTest
    @EnumSource(names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void aPeerThatIsStartedAgainContinues(Hostility hostility) throws IOException {
        try (ModelPeer peer = new ModelPeer(Set.of(), false, false)) {
            List<Result> results = run(peer, () -> peer.turn(Hostility.NONE), hostility);
            assertThat(results.get(1).status()).isEqualTo(Result.Status.FAILED);
            assertThat(results.subList(2, results.size()))
                    .allSatisfy(result -> assertThat(result.status())
                            .as(result.test().id() + " " + result.detail())
                            .isIn(Result.Status.PASSED, Result.Status.SKIPPED));
        }
    }

    @Test
    void anExceptionFailsItsCaseAlone() throws IOException {
        Case broken = Case.must("broken", "throws", "RDMAP-33", session -> {
            throw new IndexOutOfBoundsException("byte 9 of 8");
        });
        Case next = Case.must("next", "passes", "RDMAP-33", Session::establish);
        try (ModelPeer peer = new ModelPeer(Set.of(), false, false)) {
            List<Result> results = run(peer, null, Hostility.NONE, List.of(broken, next));
            assertThat(results).extracting(Result::status).containsExactly(Result.Status.FAILED, Result.Status.PASSED);
            assertThat(results.get(0).detail())
                    .contains("byte 9 of 8", getClass().getSimpleName());
        }
    }

    @Test
    void anExceptionInTheFirstPingIsItsFailure() throws IOException {
        SuiteOptions options = SuiteOptions.of(Role.SERVER);
        Link link = new Link() {
            @Override
            public Socket connect(int size, int receiveBuffer, Duration patience) {
                throw new IndexOutOfBoundsException("byte 9 of 8");
            }

            @Override
            public void close() {}
        };
        List<Result> results = suite.run(options, link, cases, Set.of(), KnownDeviations.none(), null, result -> {});
        assertThat(results).extracting(result -> result.test().id()).containsExactly(Runner.FIRST_PING);
        assertThat(results.get(0).detail()).contains("byte 9 of 8");
    }

    private List<Result> run(ModelPeer peer, Runner.Restart restart, Hostility hostility) throws IOException {
        return run(peer, restart, hostility, cases);
    }

    /** Runs the cases with a peer that becomes hostile when the first one has passed. */
    private List<Result> run(ModelPeer peer, Runner.Restart restart, Hostility hostility, List<Case> chosen)
            throws IOException {
        SuiteOptions plain = SuiteOptions.of(Role.SERVER);
        SuiteOptions options = new SuiteOptions(
                Role.SERVER,
                false,
                true,
                2,
                false,
                Case.DEFAULT_SIZE,
                false,
                Duration.ofMillis(500),
                Duration.ofMillis(50),
                plain.gap(),
                plain.firstFpduDelay());
        try (ServerLink link = new ServerLink(peer.listen())) {
            List<Result> results =
                    suite.run(options, link, chosen, Set.of(), KnownDeviations.none(), restart, result -> {
                        if (result.test().equals(chosen.get(0))) {
                            peer.turn(hostility);
                        }
                    });
            // What a hostile peer sends breaks rules, too, of which their cases tell.
            return results.stream()
                    .filter(result -> result.test().rule() == null)
                    .toList();
        }
    }
}
