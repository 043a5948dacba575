package io.iwarp.transports;

import io.iwarp.mpa.MpaSettings;
import io.iwarp.testing.Effort;
import io.iwarp.verbs.CompletionView;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** One combination of what an application can choose. */
record Wiring(
        Transport transport,
        Security security,
        boolean markers,
        boolean crc,
        CompletionModel completions,
        ReceiveModel receives) {
    /** How the application learns of completions. */
    enum CompletionModel {
        FUTURES,
        CALLBACKS,
        QUEUE;

        /**
         * Returns the way to post to a queue pair.
         *
         * @param unposted gets completions of what was not posted that way
         */
        Posts of(QueuePair queuePair, Consumer<CompletionView> unposted) {
            return switch (this) {
                case FUTURES -> new FuturePosts(queuePair, unposted);
                case CALLBACKS -> new CallbackPosts(queuePair, unposted);
                case QUEUE -> new QueuePosts(queuePair, unposted);
            };
        }
    }

    /** Where the buffers of messages come from. */
    enum ReceiveModel {
        POSTED,
        SHARED,
        MANAGED
    }

    /**
     * Returns what is tested. Each way to receive is combined over NIO, with and without TLS, markers and CRC, and with
     * each way to learn of completions. Each other transport that there is here has a quarter of that, and all of it
     * with more {@link Effort}.
     */
    static List<Wiring> all() {
        int share = Effort.rounds(1) > 1 ? 1 : 4;
        List<Wiring> wirings = new ArrayList<>();
        int first = 0;
        for (Transport transport : Transport.values()) {
            if (transport.unavailabilityCause() == null) {
                List<Wiring> ofTransport = new ArrayList<>();
                addAll(ofTransport, transport);
                int step = transport == Transport.NIO ? 1 : share;
                for (int i = first % step; i < ofTransport.size(); i += step) {
                    wirings.add(ofTransport.get(i));
                }
                first++;
            }
        }
        return wirings;
    }

    private static void addAll(List<Wiring> wirings, Transport transport) {
        for (ReceiveModel receives : ReceiveModel.values()) {
            wirings.add(new Wiring(transport, Security.NONE, false, true, CompletionModel.FUTURES, receives));
            wirings.add(new Wiring(transport, Security.NONE, true, true, CompletionModel.CALLBACKS, receives));
            wirings.add(new Wiring(transport, Security.TLS_1_3, true, false, CompletionModel.QUEUE, receives));
        }
        wirings.add(
                new Wiring(transport, Security.TLS_1_2, false, false, CompletionModel.FUTURES, ReceiveModel.POSTED));
        if (Security.OPENSSL_1_3.unavailabilityCause() == null) {
            wirings.add(new Wiring(
                    transport, Security.OPENSSL_1_3, false, true, CompletionModel.CALLBACKS, ReceiveModel.MANAGED));
            wirings.add(new Wiring(
                    transport, Security.OPENSSL_1_2, false, false, CompletionModel.CALLBACKS, ReceiveModel.SHARED));
        }
        wirings.add(new Wiring(transport, Security.NONE, false, false, CompletionModel.QUEUE, ReceiveModel.SHARED));
    }

    /** Returns whether one side can keep sending when the other has closed its half. */
    boolean halfCloses() {
        return security == Security.NONE ? transport.halfCloses() : security == Security.TLS_1_3;
    }

    QueuePairSettings settings() {
        return QueuePairSettings.builder()
                .mpa(MpaSettings.builder().requestMarkers(markers).crc(crc).build())
                .managedReceiveBytes(receives == ReceiveModel.MANAGED ? Inbox.BYTES : 0)
                .build();
    }

    @Override
    public String toString() {
        return transport + (security == Security.NONE ? "" : " " + security) + (markers ? " markers" : "")
                + (crc ? " CRC" : "") + " " + completions + " " + receives;
    }
}
