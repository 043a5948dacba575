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
                "file serve",
                "file put",
                "file get",
                "rping",
                "cmatose",
                "perf server",
                "perf client",
                "perf connect",
                "probe"
            })
    void eachCommandExplainsItself(String command) {
        CommandRun help = CommandRun.of((command + " --help").split(" ", -1));

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
                        "--tls",
                        "--cert=FILE",
                        "--key=FILE",
                        "--ca=FILE",
                        "--transport=NAME",
                        "Default:",
                        "Exit codes:",
                        "Example");
        assertThat(help.out().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
    }

    @Test
    void theCommandAloneListsTheOthers() {
        CommandRun help = CommandRun.of();

        assertThat(help.exitCode()).isZero();
        assertThat(help.out()).contains("demo", "echo-server", "echo-client", "file", "counter", "rping", "cmatose");
    }

    @Test
    void anUnknownOptionIsReportedWithTheHelp() {
        CommandRun wrong = CommandRun.of("demo", "--sise", "1");

        assertThat(wrong.exitCode()).isEqualTo(2);
        assertThat(wrong.out()).isEmpty();
        assertThat(wrong.err()).contains("'--sise'", "did you mean --size?", "'iwarp demo --help'");
        assertThat(wrong.err().lines()).hasSizeLessThanOrEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({
        "frobnicate, iwarp, '', iwarp --help",
        "dmeo, iwarp, did you mean demo? , iwarp --help",
        "help dmeo, iwarp, did you mean demo? , iwarp --help",
        "echo-sever, iwarp, did you mean echo-server? , iwarp --help",
        "perf frobnicate, iwarp perf, '', iwarp perf --help",
        "perf clint, iwarp perf, did you mean client? , iwarp perf --help",
    })
    void anUnknownCommandIsReportedWithAGuess(String arguments, String command, String guess, String help) {
        CommandRun wrong = CommandRun.of(arguments.split(" ", -1));

        assertThat(wrong.exitCode()).isEqualTo(2);
        assertThat(wrong.err().lines())
                .containsExactly(command + " has no command '" + arguments.replaceFirst(".* ", "") + "': " + guess
                        + (guess.isEmpty() ? "" : " ") + "'" + help + "' lists all commands");
    }

    @ParameterizedTest
    @ValueSource(strings = {"demo", "perf", "perf client", "completion"})
    void helpOfACommandIsTheSameAsItsOption(String command) {
        CommandRun help = CommandRun.of(("help " + command).split(" ", -1));

        assertThat(help.exitCode()).isZero();
        assertThat(help.out())
                .startsWith("Usage: iwarp " + command)
                .isEqualTo(CommandRun.of((command + " --help").split(" ", -1)).out());
    }

    @Test
    void helpAloneListsTheCommands() {
        assertThat(CommandRun.of("help").out()).isEqualTo(CommandRun.of().out());
    }

    @ParameterizedTest
    @ValueSource(strings = {"echo-server", "file serve", "perf server"})
    void aServerHasNoOptionsThatOnlyAClientCanUse(String server) {
        CommandRun help = CommandRun.of((server + " --help").split(" ", -1));

        assertThat(help.out()).contains("--markers").doesNotContain("--enhanced", "--peer-to-peer");
    }

    @Test
    void optionsAreInGroupsEachOnce() {
        String help = CommandRun.of("perf", "client", "--help").out();

        assertThat(help)
                .containsSubsequence(
                        "\nArguments:\n",
                        "HOST[:PORT]",
                        "\nOptions:\n",
                        "--verbose",
                        "--help",
                        "--op=NAME",
                        "\niWARP options:\n",
                        "--markers",
                        "--enhanced",
                        "\nTransport options:\n",
                        "--threads",
                        "\nTLS options:\n",
                        "--ca=FILE");
        assertThat(help.split(" --threads=N ", -1)).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource({"FETCH_ADD", "fetch-add", "Fetch-Add"})
    void operationsAreSpelledWithHyphensAndAreReadInAnyCase(String name) {
        assertThat(CommandRun.of("perf", "client", "--op", name, "127.0.0.1:1").exitCode())
                .as("the command line is right, but no server is there")
                .isEqualTo(1);
        assertThat(CommandRun.of("perf", "client", "--op", "add", "127.0.0.1:1").err())
                .contains("'add' is none of send, write, write-immediate, read, fetch-add, compare-swap\n");
    }
}
