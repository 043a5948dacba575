package io.iwarp.tools.conformance;

import io.iwarp.conformance.judge.ClientLink;
import io.iwarp.conformance.judge.Command;
import io.iwarp.conformance.judge.Role;
import io.iwarp.tools.cli.BaseCommand;
import io.iwarp.tools.cli.OptionCheck;
import java.net.InetAddress;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** Tests the conformance of a client. */
@picocli.CommandLine.Command(
        name = "client",
        description = "Judges a client that speaks the exchange of rping. COMMAND starts it, once for each connection.",
        footer = {
            "%nExamples:",
            "  iwarp conformance client -- rping -c -a 192.0.2.1 -p {port} -C {count} -S {size}",
            "  iwarp conformance client --in-process -- rping -c -p {port} -C {count} -S {size}"
        })
final class ConformanceClient extends BaseCommand {
    @ParentCommand
    private Conformance parent;

    @Parameters(
            paramLabel = "COMMAND",
            arity = "0..*",
            description = "The client and its arguments, in which {port}, {size} and {count} are filled in.")
    private List<String> words = List.of();

    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "0",
            description = "The TCP port to listen on; with 0 each connection gets a port of its own.")
    private int port;

    @Option(
            names = "--bind",
            paramLabel = "ADDRESS",
            defaultValue = "127.0.0.1",
            description = "The address to listen on.")
    private String bind;

    @Option(
            names = "--in-process",
            description = "COMMAND is one of iwarp itself, without the word iwarp, and runs in this process, which"
                    + " is faster.")
    private boolean inProcess;

    @Mixin
    private ConformanceOptions options;

    @Override
    public Integer call() throws Exception {
        OptionCheck.port("--port", port, true);
        return options.run(Role.CLIENT, "client " + String.join(" ", words), () -> {
            OptionCheck.require(!words.isEmpty(), "COMMAND, which starts the client, is missing");
            OptionCheck.require(
                    port != 0 || words.stream().anyMatch(word -> word.contains("{port}")),
                    "COMMAND has no {port}: write it where the client takes its port, or choose one with --port");
            return new ClientLink(
                    InetAddress.getByName(bind),
                    port,
                    inProcess ? new CommandInProcess(parent.iwarp(), words) : new Command(words));
        });
    }
}
