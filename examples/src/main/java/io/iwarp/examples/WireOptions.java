package io.iwarp.examples;

import ch.qos.logback.classic.Level;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.verbs.QueuePairSettings;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Option;

/** The options about what goes over the wire. */
final class WireOptions {
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
            names = "--pcap",
            paramLabel = "FILE",
            description = "Write all that crosses the socket into this file; Wireshark shows the iWARP frames in it.")
    private @Nullable Path pcap;

    /** The default settings, with what the options say about MPA. */
    QueuePairSettings.Builder settings() {
        return QueuePairSettings.builder()
                .mpa(MpaSettings.builder()
                        .requestMarkers(markers)
                        .crc(!withoutCrc)
                        .build());
    }

    /**
     * Opens what a command needs to listen and connect. Closing it is the caller's.
     *
     * @param verbose whether to log what the stack does
     */
    Endpoint open(boolean verbose) throws IOException {
        if (verbose && LoggerFactory.getLogger("io.iwarp") instanceof ch.qos.logback.classic.Logger logger) {
            logger.setLevel(Level.DEBUG);
        }
        return pcap == null ? Endpoint.plain() : Endpoint.captured(Capture.create(pcap));
    }
}
