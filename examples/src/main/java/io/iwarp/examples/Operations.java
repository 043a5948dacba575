package io.iwarp.examples;

import io.iwarp.mpa.MpaSettings;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePairSettings;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Each operation there is, once or more, between two ends in one process. */
@Command(
        name = "operations",
        description =
                "Carries out every operation, both ends in one process, and checks what each has done: Write, Read,"
                        + " all kinds of Send, atomics and Immediate Data (RFC 7306), and at last a Read that is not allowed,"
                        + " which ends the connection with a Terminate. With --pcap they can be looked at one by one.",
        footer = {"%nExample:", "  iwarp operations --markers --pcap operations.pcap"})
final class Operations implements Callable<Integer> {
    private static final int GREATEST_SIZE = 1 << 24;

    @Spec
    private CommandSpec spec;

    @Mixin
    private ConnectionOptions connection;

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            defaultValue = "100K",
            converter = Octets.Converter.class,
            description = "Octets of a large message, 64 octets to 16 MiB.")
    private long size;

    @Option(
            names = "--mss",
            paramLabel = "SIZE",
            defaultValue = "0",
            converter = Octets.Converter.class,
            description =
                    "FPDUs no longer than fit into a TCP segment of that many octets, up to 65,535; 0 for as long as"
                            + " they may be.")
    private long segmentSize;

    @Override
    public Integer call() throws Exception {
        require(size >= OperationsTarget.NUMBERS_OCTETS && size <= GREATEST_SIZE, "--size must be 64 octets to 16 MiB");
        require(segmentSize >= 0 && segmentSize <= MpaSettings.MAXIMUM_EMSS, "--mss must be 0 to 65,535 octets");
        QueuePairSettings.Builder builder = connection.settings();
        MpaSettings mpa =
                builder.build().mpa().toBuilder().emss((int) segmentSize).build();
        QueuePairSettings settings = builder.mpa(mpa).build();
        PrintWriter out = spec.commandLine().getOut();
        // One capture has all that crosses the wire, so only one end needs it.
        try (Endpoint initiatorEnd = connection.open();
                Endpoint responderEnd = Endpoint.plain();
                OperationsTarget target = new OperationsTarget(responderEnd.domain(), (int) size);
                IwarpListener listener = responderEnd.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), settings, target)) {
            new OperationsRun(initiatorEnd, target, (int) size, out).run(listener.localAddress(), settings);
        }
        return 0;
    }

    private void require(boolean condition, String complaint) {
        if (!condition) {
            throw new ParameterException(spec.commandLine(), complaint);
        }
    }
}
