package io.iwarp.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SeedsTest {
    private static final String PROPERTY = "iwarp.seed";

    private final String given = System.getProperty(PROPERTY, "");

    @BeforeEach
    void forgetTheSeedOfThisRun() {
        System.clearProperty(PROPERTY);
    }

    @AfterEach
    void restoreTheSeedOfThisRun() {
        if (given.isEmpty()) {
            System.clearProperty(PROPERTY);
        } else {
            System.setProperty(PROPERTY, given);
        }
    }

    @Test
    void everyRunUsesTheSameDifferentSeeds() {
        assertThat(seeds(50)).doesNotHaveDuplicates().hasSize(50).isEqualTo(seeds(50));
    }

    @Test
    void aFailureNamesTheSeedThatShowsIt() {
        long third = seeds(3).get(2);
        assertThatThrownBy(() -> Seeds.forEach(10, (seed, random) -> {
                    if (seed == third) {
                        fail("broken");
                    }
                }))
                .isInstanceOf(AssertionError.class)
                .hasMessage("broken (rerun with -Diwarp.seed=%d)", third)
                .hasCauseInstanceOf(AssertionError.class);
    }

    @Test
    void aGivenSeedRunsAlone() {
        System.setProperty(PROPERTY, "42");
        assertThat(seeds(50)).containsExactly(42L);
    }

    private static List<Long> seeds(int count) {
        List<Long> seeds = new ArrayList<>();
        Seeds.forEach(count, (seed, random) -> seeds.add(seed));
        return seeds;
    }
}
