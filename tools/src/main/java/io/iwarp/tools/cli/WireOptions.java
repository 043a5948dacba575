package io.iwarp.tools.cli;

import ch.qos.logback.classic.Level;
import io.iwarp.internal.mpa.EnhancedSetup;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.tools.capture.Capture;
import io.iwarp.verbs.QueuePairSettings;
import io.iwarp.verbs.WireLogHandler;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Option;

/** The options about the iWARP protocol that both sides have. */
public class WireOptions {
    @Option(names = "--markers", description = "Request markers in what the peer sends (RFC 5044 section 4.3).")
    private boolean markers;

    @Option(
            names = "--no-crc",
            description =
                    "Do not request CRC32C; it is off if the peer does not request it either (RFC 5044 section 4.4).")
    private boolean withoutCrc;

    @Option(
            names = "--ird",
            paramLabel = "N",
            description =
                    "How many Reads and atomics of the peer are executed at a time, 0 to 16,382. The peer learns it in"
                            + " the enhanced set-up.")
    private int ird = MpaSettings.DEFAULT.ird();

    @Option(
            names = "--ord",
            paramLabel = "N",
            description = "How many Reads and atomics of this side may be outstanding, 0 to 16,382. The peer learns it"
                    + " in the enhanced set-up.")
    private int ord = MpaSettings.DEFAULT.ord();

    @Option(
            names = "--mss",
            paramLabel = "SIZE",
            converter = Bytes.Converter.class,
            description = "Send FPDUs that fit into TCP segments of that many bytes, 1 to 65,535. By default the"
                    + " size that the transport reports, and a large one over loopback.")
    private @Nullable Long segmentSize;

    @Option(
            names = "--pcap",
            paramLabel = "FILE",
            description = "Capture the traffic in this file, one FPDU in each TCP segment, so that Wireshark shows"
                    + " each of them. It says 'Bad CRC32' of the few FPDUs that a marker directly follows.")
    private @Nullable Path pcap;

    @Option(names = "--wire-log", description = "Log each start-up frame and FPDU, decoded, in one line.")
    private boolean wireLog;

    /** Returns the default settings with the MPA options applied. */
    public QueuePairSettings.Builder settings() {
        return QueuePairSettings.builder()
                .mpa(MpaSettings.builder()
                        .requestMarkers(markers)
                        .crc(!withoutCrc)
                        .ird(depth("--ird", ird))
                        .ord(depth("--ord", ord))
                        .emss(emss())
                        .build());
    }

    private int emss() {
        if (segmentSize == null) {
            return 0;
        }
        OptionCheck.within("--mss", segmentSize, 1, MpaSettings.MAX_EMSS);
        return segmentSize.intValue();
    }

    private static int depth(String option, int depth) {
        OptionCheck.within(option, depth, 0, EnhancedSetup.MAX_DEPTH);
        return depth;
    }

    /**
     * Opens the endpoint of a command. The caller closes it.
     *
     * @param verbose whether to log what the stack does
     * @param loops the event loops
     * @param security adds to each pipeline what encrypts, or nothing
     */
    public Endpoint open(boolean verbose, EventLoops loops, TransportHandlers security) throws IOException {
        if (verbose) {
            show("io.iwarp", Level.DEBUG);
        }
        if (wireLog) {
            show(WireLogHandler.LOGGER_NAME, Level.TRACE);
        }
        loops.transport().requireAvailable();
        TransportHandlers log =
                wireLog ? (pipeline, server) -> pipeline.addLast(new WireLogHandler()) : TransportHandlers.NONE;
        if (pcap == null) {
            return new Endpoint(loops, security.then(log), () -> {});
        }
        Capture capture = Capture.create(pcap);
        TransportHandlers tap = (pipeline, server) -> capture.addTo(pipeline);
        return new Endpoint(loops, tap.then(security).then(log), capture);
    }

    private static void show(String loggerName, Level level) {
        if (LoggerFactory.getLogger(loggerName) instanceof ch.qos.logback.classic.Logger logger) {
            logger.setLevel(level);
        }
    }
}
