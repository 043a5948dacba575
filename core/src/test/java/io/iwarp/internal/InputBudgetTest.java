package io.iwarp.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.internal.InputBudget.Reservation;
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

    private Reservation reservation(String name) {
        return budget.reservation(() -> woken.add(name));
    }

    @Test
    void requestsWithinTheLimitAreGranted() {
        Reservation first = reservation("first");
        Reservation second = reservation("second");
        assertThat(first.reserveOrWait(60)).isTrue();
        assertThat(second.reserveOrWait(40)).isTrue();
        assertThat(first.reserveOrWait(50)).isTrue();
        assertThat(budget.reservedBytes()).isEqualTo(LIMIT);
        first.release();
        second.release();
        assertThat(budget.reservedBytes()).isZero();
        assertThat(woken).isEmpty();
    }

    @Test
    void aYoungerReservationWaitsUntilEnoughIsReleased() {
        Reservation first = reservation("first");
        Reservation second = reservation("second");
        first.reserveOrWait(60);
        assertThat(second.reserveOrWait(41)).isFalse();
        assertThat(second.isWaiting()).isTrue();
        assertThat(second.reserveOrWait(41)).isFalse();
        first.release();
        assertThat(woken).containsExactly("second");
        assertThat(second.isWaiting()).isFalse();
        assertThat(second.reserveOrWait(41)).isTrue();
        assertThat(second.reservedBytes()).isEqualTo(41);
        assertThat(budget.reservedBytes()).isEqualTo(41);
    }

    @Test
    void oldestReservationMayExceedTheLimit() {
        Reservation oldest = reservation("oldest");
        Reservation hoarder = reservation("hoarder");
        oldest.reserveOrWait(1);
        hoarder.reserveOrWait(99);
        assertThat(oldest.reserveOrWait(500)).isTrue();
        assertThat(budget.reservedBytes()).isEqualTo(599);
        assertThat(hoarder.reserveOrWait(100)).isFalse();
        oldest.release();
        assertThat(woken).containsExactly("hoarder");
        assertThat(budget.reservedBytes()).isEqualTo(100);
    }

    @Test
    void nextOldestReservationMayExceedTheLimit() {
        List<Reservation> hoarders = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            Reservation hoarder = reservation("hoarder");
            hoarder.reserveOrWait(10);
            hoarders.add(hoarder);
        }
        Reservation honest = reservation("honest");
        assertThat(honest.reserveOrWait(90)).isFalse();
        for (int i = 0; i < 8; i++) {
            hoarders.get(i).release();
        }
        assertThat(woken).isEmpty();
        hoarders.get(8).release();
        assertThat(woken).containsExactly("honest");
    }

    @Test
    void anOlderWaitIsNotOvertaken() {
        Reservation first = reservation("first");
        Reservation second = reservation("second");
        Reservation third = reservation("third");
        first.reserveOrWait(60);
        assertThat(second.reserveOrWait(50)).isFalse();
        assertThat(third.reserveOrWait(1)).isFalse();
        first.release();
        assertThat(woken).containsExactly("second", "third");
    }

    @Test
    void aWaitThatEndsMakesRoomForTheNext() {
        Reservation first = reservation("first");
        Reservation second = reservation("second");
        Reservation third = reservation("third");
        first.reserveOrWait(60);
        second.reserveOrWait(50);
        third.reserveOrWait(10);
        second.close();
        assertThat(woken).containsExactly("third");
        assertThat(budget.reservedBytes()).isEqualTo(70);
    }

    @Test
    void aReleasedReservationIsTheYoungestWithItsNextRequest() {
        Reservation first = reservation("first");
        Reservation second = reservation("second");
        first.reserveOrWait(60);
        second.reserveOrWait(40);
        first.release();
        assertThat(first.reserveOrWait(61)).isFalse();
        assertThat(second.reserveOrWait(1_000)).isTrue();
    }

    @Test
    void unavoidableBytesCountBeyondTheLimit() {
        Reservation first = reservation("first");
        Reservation second = reservation("second");
        budget.reserveBeyondLimit(150);
        assertThat(first.reserveOrWait(1)).as("the oldest").isTrue();
        assertThat(second.reserveOrWait(20)).isFalse();
        second.reserveBeyondLimit(5);
        assertThat(budget.reservedBytes()).isEqualTo(156);
        budget.release(150);
        assertThat(woken).containsExactly("second");
        assertThat(budget.reservedBytes()).isEqualTo(21);
        second.release();
        first.release();
        assertThat(budget.reservedBytes()).isZero();
    }

    /** At rest, the oldest one does not wait, none waits if bytes are left, and the sum of all is reserved. */
    @Test
    void randomReservationsAreGrantedInTheEnd() {
        Seeds.forEach(300, (seed, random) -> {
            InputBudget tested = new InputBudget(LIMIT);
            List<Reservation> line = new ArrayList<>();
            List<Reservation> idle = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                idle.add(tested.reservation(() -> {}));
            }
            for (int step = 0; step < 200; step++) {
                if (!idle.isEmpty() && (line.isEmpty() || random.nextBoolean())) {
                    Reservation begins = idle.remove(random.nextInt(idle.size()));
                    begins.reserveOrWait(1 + random.nextInt(80));
                    line.add(begins);
                } else if (random.nextBoolean()) {
                    Reservation grows = line.get(random.nextInt(line.size()));
                    grows.reserveOrWait(grows.reservedBytes() + random.nextInt(40));
                } else {
                    Reservation ends = line.remove(random.nextInt(line.size()));
                    ends.release();
                    idle.add(ends);
                }
                assertThat(line.isEmpty() || !line.get(0).isWaiting()).isTrue();
                assertThat(tested.reservedBytes())
                        .isEqualTo(line.stream()
                                .mapToLong(Reservation::reservedBytes)
                                .sum());
                assertThat(tested.reservedBytes()
                                - (line.isEmpty() ? 0 : line.get(0).reservedBytes()))
                        .as("reserved by all but the oldest")
                        .isLessThanOrEqualTo(LIMIT);
            }
            line.forEach(Reservation::close);
            assertThat(tested.reservedBytes()).isZero();
        });
    }
}
