package io.iwarp.tools;

import ch.qos.logback.classic.Level;
import io.iwarp.mpa.EnhancedSetup;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.rdmap.WireLogHandler;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.channel.ChannelPipeline;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options about what goes over the wire. */
final class WireOptions {
    private static final Duration FIRST_FPDU_DELAY = Duration.ofMillis(20);

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec command;

    @Option(
            names = "--markers",
            description = "Ask the peer to put markers into what it sends (RFC 5044 section 4.3).",
            showDefaultValue = Visibility.NEVER)
    private boolean markers;

    @Option(
            names = "--no-crc",
            description = "Do without CRC32C, if the peer does so too (RFC 5044 section 4.4).",
            showDefaultValue = Visibility.NEVER)
    private boolean withoutCrc;

    @Option(
            names = "--enhanced",
            description =
                    "As client ask for the enhanced set-up (RFC 6581), which agrees on how many Reads and atomics may be"
                            + " on their way.",
            showDefaultValue = Visibility.NEVER)
    private boolean enhanced;

    @Option(
            names = "--peer-to-peer",
            description =
                    "As client ask for the peer-to-peer set-up (RFC 6581), in which a server may speak first. RDMA"
                            + " hardware wants it.",
            showDefaultValue = Visibility.NEVER)
    private boolean peerToPeer;

    @Option(
            names = "--ird",
            paramLabel = "N",
            description =
                    "Take that many Reads and atomics of the peer at a time, 0 to 16,382; the enhanced set-up tells the peer."
                            + " Default: ${DEFAULT-VALUE}",
            showDefaultValue = Visibility.NEVER)
    private int ird = MpaSettings.DEFAULT_DEPTH;

    @Option(
            names = "--ord",
            paramLabel = "N",
            description =
                    "Have that many Reads and atomics on their way at most, 0 to 16,382; the enhanced set-up tells the peer."
                            + " Default: ${DEFAULT-VALUE}",
            showDefaultValue = Visibility.NEVER)
    private int ord = MpaSettings.DEFAULT_DEPTH;

    @Option(
            names = "--mss",
            paramLabel = "SIZE",
            converter = Bytes.Converter.class,
            description =
                    "Send FPDUs no longer than fit into a TCP segment of that many bytes, 1 to 65,535. By default what"
                            + " the transport tells, and long ones over loopback.",
            showDefaultValue = Visibility.NEVER)
    private @Nullable Long segmentSize;

    @Option(
            names = "--pcap",
            paramLabel = "FILE",
            description = "Write all that crosses the socket into this file; Wireshark shows the iWARP frames in it.")
    private @Nullable Path pcap;

    @Option(
            names = "--wire-log",
            description = "Log each frame and FPDU that crosses the socket, decoded, in one line.",
            showDefaultValue = Visibility.NEVER)
    private boolean wireLog;

    /** The default settings, with what the options say about MPA. */
    QueuePairSettings.Builder settings() {
        return QueuePairSettings.builder()
                .mpa(MpaSettings.builder()
                        .requestMarkers(markers)
                        .crc(!withoutCrc)
                        .enhanced(enhanced)
                        .peerToPeer(peerToPeer)
                        .ird(depth("--ird", ird))
                        .ord(depth("--ord", ord))
                        .emss(emss())
                        .build());
    }

    /**
     * As {@link #settings}, for a program whose peer may be Linux' {@code siw}: it may overlook a message that comes right
     * behind its reply. Its own clients are slow enough.
     */
    QueuePairSettings.Builder settingsForSiw() {
        QueuePairSettings.Builder settings = settings();
        return settings.mpa(settings.build().mpa().toBuilder()
                .firstFpduDelay(FIRST_FPDU_DELAY)
                .build());
    }

    private int emss() {
        return segmentSize == null ? 0 : within(1, MpaSettings.MAXIMUM_EMSS, "--mss", segmentSize, " bytes");
    }

    private int depth(String option, int depth) {
        return within(0, EnhancedSetup.MAXIMUM_DEPTH, option, depth, "");
    }

    private int within(int least, int greatest, String option, long value, String unit) {
        if (value < least || value > greatest) {
            throw new ParameterException(
                    Objects.requireNonNull(command).commandLine(),
                    option + " " + value + " is outside " + least + " to " + greatest + unit);
        }
        return (int) value;
    }

    /**
     * Opens what a command needs to listen and connect. Closing it is the caller's.
     *
     * @param verbose whether to log what the stack does
     * @param loops what it runs on
     * @param security adds to each pipeline what encrypts, or nothing
     */
    Endpoint open(boolean verbose, EventLoops loops, Consumer<ChannelPipeline> security)
            throws IOException, CommandFailedException {
        if (verbose) {
            show("io.iwarp", Level.DEBUG);
        }
        if (wireLog) {
            show(WireLogHandler.LOGGER_NAME, Level.TRACE);
        }
        loops.transport().requireAvailable();
        Capture capture = pcap == null ? null : Capture.create(pcap);
        return new Endpoint(
                loops,
                pipeline -> {
                    if (capture != null) {
                        capture.addTo(pipeline);
                    }
                    security.accept(pipeline);
                    if (wireLog) {
                        pipeline.addLast(new WireLogHandler());
                    }
                },
                capture == null ? () -> {} : capture);
    }

    private static void show(String loggerName, Level level) {
        if (LoggerFactory.getLogger(loggerName) instanceof ch.qos.logback.classic.Logger logger) {
            logger.setLevel(level);
        }
    }
}
