package io.iwarp.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.internal.InputBudget.Claim;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Seeds;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

@Requirement("SEC-13")
class InputBudgetTest {
    private static final long LIMIT = 100;

    private final InputBudget budget = new InputBudget(LIMIT);
    private final List<String> woken = new ArrayList<>();

    private Claim claim(String name) {
        return budget.claim(() -> woken.add(name));
    }

    @Test
    void requestsWithinTheLimitAreGranted() {
        Claim first = claim("first");
        Claim second = claim("second");
        assertThat(first.request(60)).isTrue();
        assertThat(second.request(40)).isTrue();
        assertThat(first.request(50)).isTrue();
        assertThat(budget.chargedBytes()).isEqualTo(LIMIT);
        first.release();
        second.release();
        assertThat(budget.chargedBytes()).isZero();
        assertThat(woken).isEmpty();
    }

    @Test
    void aYoungerClaimWaitsUntilEnoughIsGivenBack() {
        Claim first = claim("first");
        Claim second = claim("second");
        first.request(60);
        assertThat(second.request(41)).isFalse();
        assertThat(second.isWaiting()).isTrue();
        assertThat(second.request(41)).isFalse();
        first.release();
        assertThat(woken).containsExactly("second");
        assertThat(second.isWaiting()).isFalse();
        assertThat(second.request(41)).isTrue();
        assertThat(second.heldBytes()).isEqualTo(41);
        assertThat(budget.chargedBytes()).isEqualTo(41);
    }

    @Test
    void oldestClaimMayExceedTheLimit() {
        Claim oldest = claim("oldest");
        Claim hoarder = claim("hoarder");
        oldest.request(1);
        hoarder.request(99);
        assertThat(oldest.request(500)).isTrue();
        assertThat(budget.chargedBytes()).isEqualTo(599);
        assertThat(hoarder.request(100)).isFalse();
        oldest.release();
        assertThat(woken).containsExactly("hoarder");
        assertThat(budget.chargedBytes()).isEqualTo(100);
    }

    @Test
    void nextOldestClaimMayExceedTheLimit() {
        List<Claim> hoarders = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            Claim hoarder = claim("hoarder");
            hoarder.request(10);
            hoarders.add(hoarder);
        }
        Claim honest = claim("honest");
        assertThat(honest.request(90)).isFalse();
        for (int i = 0; i < 8; i++) {
            hoarders.get(i).release();
        }
        assertThat(woken).isEmpty();
        hoarders.get(8).release();
        assertThat(woken).containsExactly("honest");
    }

    @Test
    void anOlderWaitIsNotOvertaken() {
        Claim first = claim("first");
        Claim second = claim("second");
        Claim third = claim("third");
        first.request(60);
        assertThat(second.request(50)).isFalse();
        assertThat(third.request(1)).isFalse();
        first.release();
        assertThat(woken).containsExactly("second", "third");
    }

    @Test
    void aWaitThatEndsMakesRoomForTheNext() {
        Claim first = claim("first");
        Claim second = claim("second");
        Claim third = claim("third");
        first.request(60);
        second.request(50);
        third.request(10);
        second.close();
        assertThat(woken).containsExactly("third");
        assertThat(budget.chargedBytes()).isEqualTo(70);
    }

    @Test
    void aReleasedClaimIsTheYoungestWithItsNextRequest() {
        Claim first = claim("first");
        Claim second = claim("second");
        first.request(60);
        second.request(40);
        first.release();
        assertThat(first.request(61)).isFalse();
        assertThat(second.request(1_000)).isTrue();
    }

    @Test
    void unavoidableBytesCountBeyondTheLimit() {
        Claim first = claim("first");
        Claim second = claim("second");
        budget.charge(150);
        assertThat(first.request(1)).as("the oldest").isTrue();
        assertThat(second.request(20)).isFalse();
        second.charge(5);
        assertThat(budget.chargedBytes()).isEqualTo(156);
        budget.release(150);
        assertThat(woken).containsExactly("second");
        assertThat(budget.chargedBytes()).isEqualTo(21);
        second.release();
        first.release();
        assertThat(budget.chargedBytes()).isZero();
    }

    /** At rest, the oldest claim does not wait, no claim waits if bytes are left, and the sum of claims is taken. */
    @Test
    void randomClaimsEndUpServed() {
        Seeds.forEach(300, (seed, random) -> {
            InputBudget tested = new InputBudget(LIMIT);
            List<Claim> line = new ArrayList<>();
            List<Claim> idle = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                idle.add(tested.claim(() -> {}));
            }
            for (int step = 0; step < 200; step++) {
                if (!idle.isEmpty() && (line.isEmpty() || random.nextBoolean())) {
                    Claim begins = idle.remove(random.nextInt(idle.size()));
                    begins.request(1 + random.nextInt(80));
                    line.add(begins);
                } else if (random.nextBoolean()) {
                    Claim grows = line.get(random.nextInt(line.size()));
                    grows.request(grows.heldBytes() + random.nextInt(40));
                } else {
                    Claim ends = line.remove(random.nextInt(line.size()));
                    ends.release();
                    idle.add(ends);
                }
                assertThat(line.isEmpty() || !line.get(0).isWaiting()).isTrue();
                assertThat(tested.chargedBytes())
                        .isEqualTo(line.stream().mapToLong(Claim::heldBytes).sum());
                assertThat(tested.chargedBytes()
                                - (line.isEmpty() ? 0 : line.get(0).heldBytes()))
                        .as("taken by all but the oldest")
                        .isLessThanOrEqualTo(LIMIT);
            }
            line.forEach(Claim::close);
            assertThat(tested.chargedBytes()).isZero();
        });
    }
}
