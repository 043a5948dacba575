package io.iwarp.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OperationsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "--markers",
                "--no-crc",
                "--markers --mss 600",
                "--no-crc --mss 1460 --size 1M",
                "--size 64",
            })
    void eachDoesWhatItShould(String options) {
        List<String> arguments = new ArrayList<>(List.of("operations"));
        if (!options.isEmpty()) {
            arguments.addAll(List.of(options.split(" ")));
        }
        CommandRun run = CommandRun.of(arguments.toArray(String[]::new));

        assertThat(run.err()).isEmpty();
        assertThat(run.exitCode()).isZero();
        assertThat(run.out().lines())
                .hasSize(6)
                .anySatisfy(line -> assertThat(line).startsWith("Read with a forged STag: the peer terminated"))
                .endsWith("all operations did what they should");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--size=63", "--size=17M", "--mss=65536"})
    void refusesWhatItCannotDo(String option) {
        CommandRun run = CommandRun.of("operations", option);

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("must be");
    }
}
