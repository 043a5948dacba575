package io.iwarp.tools.conformance;

import io.iwarp.conformance.judge.Role;
import io.iwarp.conformance.judge.ServerLink;
import io.iwarp.tools.cli.BaseCommand;
import io.iwarp.tools.cli.OptionCheck;
import io.iwarp.tools.cli.PeerAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Tests the conformance of a server. */
@Command(
        name = "server",
        description = "Judges a server that speaks the exchange of rping and serves one client after the other, such as"
                + " 'rping -s -P'.",
        footer = {
            "%nExamples:",
            "  iwarp rping -s -P &",
            "  iwarp conformance server 127.0.0.1:7174 --size 65535 --html report.html"
        })
final class ConformanceServer extends BaseCommand {
    @Parameters(
            paramLabel = PeerAddress.LABEL,
            arity = "0..1",
            converter = PeerAddress.Converter.class,
            description = "Where the server listens." + PeerAddress.HELP)
    private @Nullable PeerAddress server;

    @Mixin
    private ConformanceOptions options;

    @Override
    public Integer call() throws Exception {
        PeerAddress address = server;
        return options.run(Role.SERVER, "server " + address, () -> {
            OptionCheck.require(address != null, "HOST of the server is missing");
            return new ServerLink(Objects.requireNonNull(address).resolve());
        });
    }
}
