package io.iwarp.fuzz;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.verbs.IwarpChannelInitializer;
import io.iwarp.verbs.QueuePairSettings;
import java.nio.charset.StandardCharsets;

/** Start-up frames of a peer, in both roles and with all settings that it depends on; then whatever follows. */
class StartupFuzzTest {
    private static final byte[] REQUEST_KEY = "MPA ID Req Frame".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] REPLY_KEY = "MPA ID Rep Frame".getBytes(StandardCharsets.US_ASCII);
    private static final int MAX_PRIVATE_DATA = 520;

    private static QueuePairSettings settings(FuzzedDataProvider data) {
        boolean enhanced = data.consumeBoolean();
        return QueuePairSettings.builder()
                .mpa(MpaSettings.builder()
                        .crc(data.consumeBoolean())
                        .requestMarkers(data.consumeBoolean())
                        .enhanced(enhanced)
                        .peerToPeer(enhanced && data.consumeBoolean())
                        .refuseEarlyFpdus(data.consumeBoolean())
                        .build())
                .build();
    }

    @FuzzTest(maxDuration = "2m")
    void responder(FuzzedDataProvider data) {
        QueuePairSettings settings = settings(data);
        boolean accept = data.consumeBoolean();
        try (FuzzedEnd end = new FuzzedEnd(domain -> IwarpChannelInitializer.responder(domain, settings, request -> {
            if (accept) {
                request.accept();
            } else {
                request.reject(new byte[] {1});
            }
        }))) {
            talk(end, REQUEST_KEY, data);
        }
    }

    @FuzzTest(maxDuration = "2m")
    void initiator(FuzzedDataProvider data) {
        QueuePairSettings settings = settings(data);
        try (FuzzedEnd end =
                new FuzzedEnd(domain -> IwarpChannelInitializer.initiator(domain, settings, new byte[0], qp -> {}))) {
            talk(end, REPLY_KEY, data);
        }
    }

    private static void talk(FuzzedEnd end, byte[] key, FuzzedDataProvider data) {
        byte[] frame = frame(key, data);
        if (data.consumeBoolean()) {
            end.receive(frame);
        } else {
            end.receiveInPieces(frame, data);
        }
        end.receiveInPieces(data.consumeRemainingAsBytes(), data);
    }

    /** A frame whose key and length are right most of the time. */
    private static byte[] frame(byte[] key, FuzzedDataProvider data) {
        byte[] privateData = data.consumeBytes(data.consumeInt(0, MAX_PRIVATE_DATA));
        byte[] frame = new byte[key.length + 4 + privateData.length];
        System.arraycopy(key, 0, frame, 0, key.length);
        if (data.consumeInt(0, 31) == 0) {
            frame[data.consumeInt(0, key.length - 1)] ^= 1;
        }
        frame[key.length] = data.consumeByte();
        frame[key.length + 1] = data.consumeBoolean() ? (byte) data.consumeInt(0, 2) : data.consumeByte();
        int length = data.consumeInt(0, 7) == 0 ? data.consumeInt(0, 0xffff) : privateData.length;
        frame[key.length + 2] = (byte) (length >> 8);
        frame[key.length + 3] = (byte) length;
        System.arraycopy(privateData, 0, frame, key.length + 4, privateData.length);
        return frame;
    }
}
