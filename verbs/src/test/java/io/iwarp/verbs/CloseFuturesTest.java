package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** In which order the end of a queue pair is reported. */
class CloseFuturesTest {
    private static final CloseReason REASON = new CloseReason(EndedBy.PEER_CLOSED, null, "over", null);

    private final CloseFutures futures = new CloseFutures(List.of());
    private final List<Object> reported = new ArrayList<>();

    @Test
    void theApplicationIsToldFirstAndInItsOwnOrder() {
        futures.reported().thenRun(() -> reported.add("over"));
        futures.newFuture().thenAccept(reported::add);
        futures.newFuture().thenRun(() -> reported.add("second"));
        assertThat(reported).isEmpty();
        futures.complete(REASON);
        assertThat(reported).containsExactly(REASON, "second", "over");
        futures.newFuture().thenAccept(reported::add);
        assertThat(reported).endsWith(REASON).hasSize(4);
    }
}
