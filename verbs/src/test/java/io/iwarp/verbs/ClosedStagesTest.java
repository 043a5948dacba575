package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** In which order the end of a queue pair is told. */
class ClosedStagesTest {
    private static final CloseReason REASON = new CloseReason(EndedBy.PEER_CLOSED, null, "over", null);

    private final ClosedStages stages = new ClosedStages(List.of());
    private final List<Object> told = new ArrayList<>();

    @Test
    void theApplicationIsToldFirstAndInItsOwnOrder() {
        stages.told().thenRun(() -> told.add("over"));
        stages.stage().thenAccept(told::add);
        stages.stage().thenRun(() -> told.add("second"));
        assertThat(told).isEmpty();
        stages.complete(REASON);
        assertThat(told).containsExactly(REASON, "second", "over");
        stages.stage().thenAccept(told::add);
        assertThat(told).endsWith(REASON).hasSize(4);
    }
}
