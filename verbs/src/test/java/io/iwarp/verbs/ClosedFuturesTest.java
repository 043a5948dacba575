package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** In which order the end of a queue pair is told. */
class ClosedFuturesTest {
    private static final CloseReason REASON = new CloseReason(EndedBy.PEER_CLOSED, null, "over", null);

    private final ClosedFutures futures = new ClosedFutures(List.of());
    private final List<Object> told = new ArrayList<>();

    @Test
    void theApplicationIsToldFirstAndInItsOwnOrder() {
        futures.reported().thenRun(() -> told.add("over"));
        futures.future().thenAccept(told::add);
        futures.future().thenRun(() -> told.add("second"));
        assertThat(told).isEmpty();
        futures.complete(REASON);
        assertThat(told).containsExactly(REASON, "second", "over");
        futures.future().thenAccept(told::add);
        assertThat(told).endsWith(REASON).hasSize(4);
    }
}
