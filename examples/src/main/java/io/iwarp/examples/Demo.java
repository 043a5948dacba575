package io.iwarp.examples;

import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePairSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Both ends of a connection in one process, and the story of what they do. */
@Command(
        name = "demo",
        description = "Shows RDMA over TCP on this machine, both ends in one process: a responder registers memory and"
                + " advertises it, an initiator writes into it and says so, and the responder checks every octet.",
        footer = {"%nExamples:", "  iwarp demo", "  iwarp demo --markers --size 1M --pcap demo.pcap"})
final class Demo implements Callable<Integer> {
    private static final long GREATEST_SIZE = 1L << 30;

    @Spec
    private CommandSpec spec;

    @Mixin
    private ConnectionOptions connection;

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            defaultValue = "16M",
            converter = Octets.Converter.class,
            description = "How much to write, 1 octet to 1 GiB; K, M and G are understood.")
    private long size;

    @Override
    public Integer call() throws Exception {
        if (size < 1 || size > GREATEST_SIZE) {
            throw new ParameterException(
                    spec.commandLine(), "--size " + Octets.size(size) + " is outside 1 octet to 1 GiB");
        }
        Story story = new Story(spec.commandLine().getOut());
        story.title("iWARP demo: RDMA over TCP loopback, " + Octets.size(size));
        QueuePairSettings settings = connection.settings().build();
        // The two ends share nothing but the process, and one capture has all that crosses the wire.
        try (Endpoint initiatorEnd = connection.open();
                Endpoint responderEnd = Endpoint.plain();
                DemoResponder responder = new DemoResponder(responderEnd.domain(), (int) size);
                IwarpListener listener = responderEnd.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), settings, responder)) {
            new DemoInitiator(story, initiatorEnd, (int) size).run(listener.localAddress(), settings, responder);
        }
        return 0;
    }
}
