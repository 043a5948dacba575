package io.iwarp.tools.cli;

import io.iwarp.mpa.MpaSettings;
import io.iwarp.verbs.QueuePairSettings;
import java.time.Duration;
import picocli.CommandLine.Option;

/** The options about the iWARP protocol of a client. A server follows the request of its client. */
public final class ClientWireOptions extends WireOptions {
    private static final Duration FIRST_FPDU_DELAY = Duration.ofMillis(20);

    @Option(
            names = "--enhanced",
            description = "Request the enhanced set-up (RFC 6581): both sides agree how many Reads and atomics may be"
                    + " outstanding.")
    private boolean enhanced;

    @Option(
            names = "--peer-to-peer",
            description = "Request the peer-to-peer set-up (RFC 6581): the server may send first. Some RDMA hardware"
                    + " requires it.")
    private boolean peerToPeer;

    @Override
    public QueuePairSettings.Builder settings() {
        QueuePairSettings.Builder settings = super.settings();
        return settings.mpa(
                mpa(settings).enhanced(enhanced).peerToPeer(peerToPeer).build());
    }

    /**
     * Returns settings for a client whose server may be Linux' {@code siw}: that may overlook a message that directly
     * follows its reply.
     */
    public static QueuePairSettings.Builder forSiw(QueuePairSettings.Builder settings) {
        return settings.mpa(mpa(settings).firstFpduDelay(FIRST_FPDU_DELAY).build());
    }

    private static MpaSettings.Builder mpa(QueuePairSettings.Builder settings) {
        return settings.build().mpa().toBuilder();
    }
}
