package io.iwarp.rdmap;

import io.iwarp.testing.Requirement;
import io.iwarp.testing.Seeds;
import org.junit.jupiter.api.Test;

/**
 * Whatever chance decides, two streams keep their order, lose nothing, and end in order unless the connection is lost.
 */
class StreamPairTest {
    private static final int SEEDS = 2_000;
    private static final int MAX_STEPS = 1_500;

    @Test
    @Requirement({"RDMAP-13", "RDMAP-30", "RDMAP-63", "RDMAP-65", "RDMAP-68", "RDMAP-70", "RDMAP-72", "EXT-14"})
    void ordersHoldAndAnOrderlyCloseLosesNothing() {
        Seeds.forEach(SEEDS, (seed, random) -> {
            try (StreamPair pair = new StreamPair(random)) {
                for (int steps = random.nextInt(MAX_STEPS); steps > 0; steps--) {
                    pair.step();
                }
                pair.finish();
            }
        });
    }
}
