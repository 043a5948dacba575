package io.iwarp.tools.echo;

import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.ClientCommand;
import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import java.io.IOException;
import java.util.Locale;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
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
    private static final double[] PERCENTILES = {50, 90, 99, 99.9};

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            defaultValue = "64",
            converter = Bytes.Converter.class,
            description = "Bytes of each message, from 0 to what the server takes.")
    private long size;

    @Option(names = "--count", paramLabel = "N", defaultValue = "10000", description = "How many messages to send.")
    private long count;

    @Option(
            names = "--warmup",
            paramLabel = "N",
            defaultValue = "1000",
            description = "How many more to send before that, which are checked but not measured.")
    private long warmup;

    @Override
    protected void run() throws Exception {
        require(count >= 1, "--count " + count + " is less than 1");
        require(warmup >= 0, "--warmup " + warmup + " is negative");
        require(size >= 0 && size <= Integer.MAX_VALUE, "--size " + size + " is outside 0 to 2^31 - 1");
        try (Endpoint endpoint = open()) {
            run(endpoint, settings().build());
        }
    }

    private void run(Endpoint endpoint, QueuePairSettings settings) throws IOException, InterruptedException {
        QueuePair queuePair = endpoint.connect(address(), settings, EchoServer.PROTOCOL.request(), fresh -> {});
        long maximum = EchoServer.PROTOCOL.restOfReply(queuePair, Integer.BYTES).readInt();
        if (size > maximum) {
            throw new CommandFailedException("the server takes messages of up to " + Bytes.size(maximum)
                    + ": choose a smaller --size, or start it with a greater --max-size");
        }
        EchoRun echoes = new EchoRun(queuePair, (int) size, count, warmup);
        try {
            echoes.run();
        } finally {
            queuePair.close();
            Endpoint.await(queuePair.closed());
            echoes.release();
        }
        report(echoes);
    }

    private void report(EchoRun echoes) {
        long nanos = echoes.measuredNanos();
        out().line(
                        "%s of %s came back from %s unchanged in %s, %,.0f round trips/s",
                        Bytes.count(count, "message"),
                        Bytes.size(size),
                        server(),
                        Bytes.time(nanos),
                        count / (nanos / 1e9));
        Histogram times = echoes.roundTrips();
        StringBuilder line = new StringBuilder("round trip  min ").append(Bytes.time(times.getMinValue()));
        for (double percentile : PERCENTILES) {
            line.append(String.format(
                            Locale.ROOT,
                            "  %s%% ",
                            percentile == Math.rint(percentile)
                                    ? String.valueOf((int) percentile)
                                    : String.valueOf(percentile)))
                    .append(Bytes.time(times.getValueAtPercentile(percentile)));
        }
        out().line(line.append("  max ").append(Bytes.time(times.getMaxValue())).toString());
    }
}
