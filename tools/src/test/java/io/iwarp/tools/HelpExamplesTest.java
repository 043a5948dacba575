package io.iwarp.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/**
 * Runs each example of each help text. Only this differs from the text: servers listen on a free port, and clients are
 * given that port; files are in a folder of the test, also in place of stdin and stdout; a measurement is short.
 */
class HelpExamplesTest {
    private static final Pattern EXAMPLE = Pattern.compile("\\biwarp ([^|)\\n]+)");
    private static final Pattern SERVER =
            Pattern.compile("(\\S+-server|file serve|counter --listen|perf server|rping -s|cmatose -c \\d+$).*");
    /** These serve their client and end. */
    private static final Pattern ONE_CLIENT = Pattern.compile("cmatose.*");

    private static final Pattern HOST_AND_PORT = Pattern.compile("127\\.0\\.0\\.1:(\\d+)");
    private static final Pattern PORT = Pattern.compile(".*--port (\\d+).*");
    private static final Pattern FILE = Pattern.compile("inbox|[\\w-]+\\.(img|pcap|html|jsonl|pem)");
    private static final String DEFAULT_PORT = "7471";

    /** The server of each client; both run what their help shows. */
    private static final Map<String, String> SERVERS = Map.of(
            "echo-client", "echo-server",
            "file put", "file serve",
            "file get", "file serve",
            "file list", "file serve",
            "counter", "counter",
            "perf client", "perf server",
            "perf connect", "perf server",
            "probe", "perf server",
            "rping", "rping",
            "cmatose", "cmatose");

    @TempDir
    private Path folder;

    @ParameterizedTest
    @MethodSource("commands")
    void theExamplesRunAsTheyAreShown(String command) throws Exception {
        createFile(command);
        List<String> examples = examples(command);
        List<String> clients =
                examples.stream().filter(example -> !isServer(example)).toList();

        assertThat(examples).as("the help of %s has an example", command).isNotEmpty();
        String server = serverOf(command, examples);
        if (server == null) {
            for (String example : examples) {
                requireSuccess(example, run(words(example)));
            }
            return;
        }
        try (CommandRun serving = CommandRun.start(serverWords(server))) {
            String address = serving.address();
            for (String client : clients) {
                requireSuccess(client, run(clientWords(client, server, address)));
            }
            int exitCode = ONE_CLIENT.matcher(server).matches() ? serving.exitCode() : serving.stop();
            assertThat(exitCode).as("%s: %s", server, serving.err()).isZero();
        }
    }

    /** The file that is written or read, where the command looks for it. */
    private void createFile(String command) throws IOException {
        Path inbox = Files.createDirectory(folder.resolve("inbox"));
        Files.write(
                (List.of("file get", "file list").contains(command) ? inbox : folder).resolve("disk.img"),
                new byte[100_000]);
    }

    private static void requireSuccess(String example, CommandRun run) {
        assertThat(run.exitCode()).as("iwarp %s: %s", example, run.err()).isZero();
        assertThat(run.out()).as("iwarp %s", example).isNotEmpty();
    }

    private static CommandRun run(List<String> words) {
        return CommandRun.of(words.toArray(String[]::new));
    }

    /** The example of the server that the examples of a command need; null if they need none. */
    private static String serverOf(String command, List<String> examples) {
        String server = SERVERS.get(command);
        List<String> candidates = server == null ? examples : examples(server);
        return candidates.stream()
                .filter(HelpExamplesTest::isServer)
                .findFirst()
                .orElse(null);
    }

    private static boolean isServer(String example) {
        return SERVER.matcher(example).matches();
    }

    private String[] serverWords(String example) {
        List<String> words = words(example.replaceFirst(" --port \\d+", ""));
        boolean shortOptions = example.startsWith("rping") || example.startsWith("cmatose");
        words.addAll(List.of(shortOptions ? "-p" : "--port", "0"));
        return words.toArray(String[]::new);
    }

    private List<String> clientWords(String example, String server, String address) {
        Matcher shown = HOST_AND_PORT.matcher(example);
        List<String> words = words(HOST_AND_PORT.matcher(example).replaceAll(address));
        if (shown.find()) {
            Matcher listening = PORT.matcher(server);
            assertThat(shown.group(1))
                    .as("the port of '%s' is the one of '%s'", example, server)
                    .isEqualTo(listening.matches() ? listening.group(1) : DEFAULT_PORT);
        } else if (!example.startsWith("counter")) {
            words.addAll(List.of("-p", address.substring(address.lastIndexOf(':') + 1)));
        }
        if (example.startsWith("counter")) {
            words.addAll(List.of("--rounds", "10"));
        }
        if (example.startsWith("perf client")) {
            words.addAll(List.of("--warmup", "0"));
            if (!example.contains("--count")) {
                words.addAll(List.of("--duration", "0.05"));
            }
        }
        if (example.startsWith("perf connect")) {
            words.set(words.indexOf("--count") + 1, "100");
            words.addAll(List.of("--warmup", "0"));
        }
        if (example.startsWith("probe")) {
            words.addAll(List.of("--timeout", "60"));
        }
        return words;
    }

    private List<String> words(String example) {
        List<String> words = new ArrayList<>();
        for (String word : example.strip().split(" +", -1)) {
            boolean nameAtServer =
                    words.size() > 2 && words.size() == (words.get(1).equals("get") ? 3 : 4);
            boolean file = FILE.matcher(word).matches() && !nameAtServer;
            boolean standardStream = word.equals("-");
            words.add(
                    standardStream
                            ? folder.resolve(words.get(1).equals("get") ? "stdout" : "disk.img")
                                    .toString()
                            : file ? folder.resolve(word).toString() : word);
        }
        return words;
    }

    private static List<String> examples(String command) {
        CommandLine line = Iwarp.commandLine();
        for (String name : command.split(" ", -1)) {
            line = line.getSubcommands().get(name);
        }
        String help = line.getUsageMessage();
        int begin = help.indexOf("\nExample");
        return begin < 0
                ? List.of()
                : EXAMPLE.matcher(help.substring(begin))
                        .results()
                        .map((MatchResult example) -> example.group(1).strip())
                        .toList();
    }

    static Stream<String> commands() {
        // Examples of the conformance suite run for minutes: checks/conformance/run does that.
        return leaves("", Iwarp.commandLine()).filter(command -> !command.equals("conformance"));
    }

    /** The commands that do something by themselves. */
    private static Stream<String> leaves(String path, CommandLine line) {
        return line.getSubcommands().entrySet().stream().flatMap(each -> {
            String command = (path + " " + each.getKey()).strip();
            boolean group = command.equals("perf") || command.equals("file");
            return group ? leaves(command, each.getValue()) : Stream.of(command);
        });
    }
}
