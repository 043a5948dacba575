package io.iwarp.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.testing.LogCapture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class MessageTest {
    @RegisterExtension
    private final LogCapture log = new LogCapture("io.iwarp.spark");

    private final DriverSide driver = new DriverSide();

    @Test
    void theDriverKnowsAnExecutorThatAnnouncedItself() {
        driver.receive(Message.announce("3", new PeerAddress("host", 77, "ab")).strings());

        Object response = driver.receive(Message.find("3").strings());

        assertThat(Message.of(response).address()).isEqualTo(new PeerAddress("host", 77, "ab"));
        assertThat(driver.receive(Message.find("4").strings())).isNull();
    }

    @Test
    void theDriverAddsUpWhatExecutorsCountLast() {
        driver.receive(Message.count("1", new Totals(9, 9, 9, 9, 9)).strings());
        driver.receive(Message.count("1", new Totals(10, 20, 30, 40, 50)).strings());
        driver.receive(Message.count("2", new Totals(1, 2, 3, 4, 5)).strings());

        assertThat(driver.sum()).isEqualTo(new Totals(11, 22, 33, 44, 55));
    }

    @Test
    void anExecutorThatEndsByItselfBeforeItListensIsNamedOnce() {
        driver.receive(Message.announce("1", new PeerAddress("host", 77, "")).strings());

        driver.removed("1", "decommissioned");
        driver.removed("1", "Command exited with code 0");
        driver.removed("2", "Executor killed by driver.");
        driver.removed("3", "Command exited with code 1");
        driver.removed("4", "Command exited with code 1");

        assertThat(log.messages()).singleElement().asString().contains("Executor 3", "code 1", "lacks the jar");
        assertThat(driver.receive(Message.find("1").strings())).isNull();
    }

    @Test
    void aMessageOfAnotherVersionIsRefused() {
        for (Object wrong : new Object[] {
            "find",
            new String[0],
            new String[] {"find"},
            new String[] {"find", "1", "more"},
            new String[] {"unknown", "1"}
        }) {
            assertThatThrownBy(() -> driver.receive(wrong)).hasMessageContaining("one version of iwarp-spark");
        }
    }

    @Test
    void onlyBlocksOfMapOutputsAreParsed() {
        assertThat(BlockRange.parse("shuffle_1_22_3")).isEqualTo(new BlockRange("shuffle_1_22_3", 1, 22, 3, 4));
        assertThat(BlockRange.parse("shuffle_1_22_3_9")).isEqualTo(new BlockRange("shuffle_1_22_3_9", 1, 22, 3, 9));
        for (String other : new String[] {
            "rdd_1_2",
            "shuffle_1_2",
            "shuffle_1_2_3.data",
            "shuffle_1_2_5_5",
            "shuffle_1_2_99999999999",
            "shuffle_1_2_2147483647"
        }) {
            assertThat(BlockRange.parse(other)).isNull();
        }
    }
}
