package io.iwarp.tools.echo;

import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.ClientCommand;
import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.EndOptions;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.Loads;
import io.iwarp.tools.cli.MeasureOptions;
import io.iwarp.tools.cli.Measurement;
import io.iwarp.tools.cli.OptionCheck;
import io.iwarp.tools.cli.ResultFile;
import io.iwarp.verbs.QueuePair;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Sends messages to an echo server, checks the replies, and measures the round trips. */
@Command(
        name = "echo-client",
        description = {
            "Measures round trips to an echo-server.",
            "It sends one message after another, and compares each byte that comes back."
        },
        footer = {"%nExample:", "  iwarp echo-client 127.0.0.1:7471 --size 4K --count 1000"})
public final class EchoClient extends ClientCommand {
    @Option(
            names = "--size",
            paramLabel = "SIZE",
            defaultValue = "64",
            converter = Bytes.Converter.class,
            description = "Bytes of each message, from 0 to what the server takes.")
    private long size;

    @Mixin
    private EndOptions end;

    @Mixin
    private MeasureOptions measuring;

    @Override
    protected void run() throws Exception {
        OptionCheck.within("--size", size, 0, Integer.MAX_VALUE);
        end.check(1);
        measuring.check();
        try (ResultFile file = measuring.open();
                Endpoint endpoint = open()) {
            QueuePair queuePair =
                    endpoint.connect(address(), settings().build(), EchoServer.PROTOCOL.request(), fresh -> {});
            long maximum =
                    EchoServer.PROTOCOL.restOfReply(queuePair, Integer.BYTES).readInt();
            if (size > maximum) {
                throw new CommandFailedException("the server takes messages of up to " + Bytes.size(maximum)
                        + ": choose a smaller --size, or start it with a greater --max-size");
            }
            if (!end.warmup().isZero()) {
                measure(queuePair, 0, null, end.warmup()).requireWhole();
            }
            Measurement measured =
                    measure(queuePair, end.count(), "round trips of " + Bytes.size(size), end.duration());
            measuring.report(file, measured.total(), "echo", "message", size);
            measured.requireNoFailure();
            if (!measuring.toStandardOutput()) {
                out().line("all came back from " + server() + " unchanged");
            }
            Endpoint.close(List.of(queuePair));
        }
    }

    private Measurement measure(QueuePair queuePair, long count, @Nullable String title, Duration duration)
            throws IOException, InterruptedException {
        Loads loads = new Loads();
        loads.add(new EchoLoad(queuePair, loads.meter(queuePair.executor()), (int) size, count));
        Measurement measured = loads.measure(measuring, title, size, false, duration);
        if (!measured.failed()) {
            loads.stop();
        }
        return measured;
    }
}
