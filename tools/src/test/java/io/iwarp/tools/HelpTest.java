package io.iwarp.tools;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HelpTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "demo",
                "counter",
                "echo-server",
                "echo-client",
                "write-server",
                "write-client",
                "read-client",
                "counter-server",
                "counter-client",
                "kv-server",
                "kv-client",
                "rping",
                "cmatose",
                "rdma-server",
                "rdma-client",
                "perf server",
                "perf client",
                "perf connect"
            })
    void eachCommandExplainsItself(String command) {
        CommandRun help = CommandRun.of((command + " --help").split(" "));

        assertThat(help.exitCode()).isZero();
        assertThat(help.err()).isEmpty();
        assertThat(help.out())
                .startsWith("Usage: iwarp " + command)
                .contains(
                        "--markers",
                        "--no-crc",
                        "--pcap=FILE",
                        "--wire-log",
                        "--verbose",
                        "Default:",
                        "Exit codes:",
                        "Example");
        assertThat(help.out().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
    }

    @Test
    void theCommandAloneListsTheOthers() {
        CommandRun help = CommandRun.of();

        assertThat(help.exitCode()).isZero();
        assertThat(help.out())
                .contains(
                        "demo", "echo-server", "echo-client", "write-server", "write-client", "read-client", "counter");
    }

    @Test
    void anUnknownOptionIsToldWithTheWayToTheHelp() {
        CommandRun wrong = CommandRun.of("demo", "--sise", "1");

        assertThat(wrong.exitCode()).isEqualTo(2);
        assertThat(wrong.out()).isEmpty();
        assertThat(wrong.err()).contains("--sise").contains("'iwarp demo --help'");
        assertThat(wrong.err().lines()).hasSizeLessThanOrEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({"frobnicate, iwarp", "perf frobnicate, iwarp perf"})
    void anUnknownCommandIsToldInOneLine(String arguments, String command) {
        CommandRun wrong = CommandRun.of(arguments.split(" "));

        assertThat(wrong.exitCode()).isEqualTo(2);
        assertThat(wrong.err().lines())
                .containsExactly(
                        command + " has no command 'frobnicate': '" + command + " --help' lists those that it has");
    }
}
