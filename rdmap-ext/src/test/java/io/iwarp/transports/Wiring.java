package io.iwarp.transports;

import io.iwarp.mpa.MpaSettings;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import java.util.ArrayList;
import java.util.List;

/** One combination of what an application can choose. */
record Wiring(Transport transport, Security security, boolean markers, boolean crc, CompletionModel completions) {
    /** How the application learns of completions. */
    enum CompletionModel {
        FUTURES,
        CALLBACKS,
        QUEUE;

        Posts of(QueuePair queuePair) {
            return switch (this) {
                case FUTURES -> new FuturePosts(queuePair);
                case CALLBACKS -> new CallbackPosts(queuePair);
                case QUEUE -> new QueuePosts(queuePair);
            };
        }
    }

    /** {@return what is tested: every transport that there is here, with every protection, framing and kind of completion} */
    static List<Wiring> all() {
        List<Wiring> wirings = new ArrayList<>();
        for (Transport transport : Transport.values()) {
            if (transport.unavailabilityCause() == null) {
                addAll(wirings, transport);
            }
        }
        return wirings;
    }

    private static void addAll(List<Wiring> wirings, Transport transport) {
        for (CompletionModel completions : CompletionModel.values()) {
            wirings.add(new Wiring(transport, Security.NONE, false, true, completions));
        }
        wirings.add(new Wiring(transport, Security.NONE, true, true, CompletionModel.CALLBACKS));
        wirings.add(new Wiring(transport, Security.NONE, true, false, CompletionModel.FUTURES));
        wirings.add(new Wiring(transport, Security.NONE, false, false, CompletionModel.CALLBACKS));
        for (Security security : Security.values()) {
            if (security != Security.NONE && security.unavailabilityCause() == null) {
                wirings.add(new Wiring(transport, security, false, false, CompletionModel.FUTURES));
            }
        }
        wirings.add(new Wiring(transport, Security.TLS_1_3, true, true, CompletionModel.QUEUE));
    }

    /** {@return whether one side can go on sending when the other has closed its half} */
    boolean halfCloses() {
        return security == Security.NONE ? transport.halfCloses() : security == Security.TLS_1_3;
    }

    QueuePairSettings settings() {
        return QueuePairSettings.builder()
                .mpa(MpaSettings.builder().requestMarkers(markers).crc(crc).build())
                .build();
    }

    @Override
    public String toString() {
        return transport + (security == Security.NONE ? "" : " " + security) + (markers ? " markers" : "")
                + (crc ? " CRC" : "") + " " + completions;
    }
}
