package io.iwarp.tools.demo;

import io.iwarp.tools.cli.BaseCommand;
import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.ClientOptions;
import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.OptionCheck;
import io.iwarp.tools.cli.Story;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePairSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs both ends of a connection in one process and prints each step. */
@Command(
        name = "demo",
        description = {
            "Shows RDMA over TCP on this machine, both ends in one process.",
            "A responder advertises registered memory. An initiator writes into it and reads it back, and every byte is"
                    + " checked. Atomics, Immediate Data and memory windows follow. The last access is not"
                    + " allowed, and is refused."
        },
        footer = {"%nExamples:", "  iwarp demo", "  iwarp demo --markers --size 1M --pcap demo.pcap"})
public final class Demo extends BaseCommand {
    private static final long MAX_SIZE = 0xffff_ffffL;

    @Mixin
    private ClientOptions connection;

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            defaultValue = "16M",
            converter = Bytes.Converter.class,
            description =
                    "The size of the message to write and read, 1 byte to 4 GiB - 1. K, M and G are powers of 1024.%n"
                            + "Each side needs that much direct memory (-XX:MaxDirectMemorySize).")
    private long size;

    @Override
    public Integer call() throws Exception {
        OptionCheck.sizeWithin("--size", size, 1, MAX_SIZE);
        Story story = new Story(out());
        story.title("iWARP demo: RDMA over TCP loopback, " + Bytes.size(size));
        QueuePairSettings settings = connection.settings().build();
        // The two ends share only the process. One capture contains the traffic of both.
        try (Endpoint initiatorEnd = connection.openClient();
                Endpoint responderEnd = connection.openLocalServer();
                DemoResponder responder = new DemoResponder(story, size);
                IwarpListener listener = responderEnd.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), settings, responder)) {
            new DemoInitiator(story, initiatorEnd, size).run(listener.localAddress(), settings, responder);
        }
        return 0;
    }

    /** Fails the demo if a condition is false. */
    static void require(boolean condition, String complaint) {
        if (!condition) {
            throw new CommandFailedException(complaint + ": please report it");
        }
    }
}
