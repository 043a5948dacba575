package io.iwarp.fuzz;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.mpa.StartMode;
import io.iwarp.verbs.IwarpChannelInitializer;
import io.iwarp.verbs.QueuePairSettings;
import java.time.Duration;

/** What DDP and RDMAP make of segments that are nearly right, and of any bytes in FPDUs, on an established stream. */
class MessageFuzzTest {
    private static final int MAX_SEGMENTS = 24;
    private static final int MAX_ULPDU = 200;

    private static IwarpChannelInitializer established(ProtectionDomain domain, FuzzedDataProvider data) {
        QueuePairSettings settings = QueuePairSettings.builder()
                .mpa(MpaSettings.builder()
                        .start(StartMode.PREAGREED)
                        .crc(false)
                        .ird(4)
                        .ord(4)
                        .build())
                .receiveTimeout(data.consumeBoolean() ? Duration.ofSeconds(1) : Duration.ZERO)
                .build();
        return IwarpChannelInitializer.initiator(
                domain, settings, new byte[0], qp -> qp.setCompletionListener((same, completion) -> {}));
    }

    @FuzzTest(maxDuration = "2m")
    void segments(FuzzedDataProvider data) {
        try (FuzzedEnd end = new FuzzedEnd(domain -> established(domain, data))) {
            end.postSomeOfEach();
            for (int i = 0; i < MAX_SEGMENTS && data.remainingBytes() > 0; i++) {
                end.receive(Segments.fpdu(data, end));
            }
        }
    }

    @FuzzTest(maxDuration = "2m")
    void ulpdus(FuzzedDataProvider data) {
        try (FuzzedEnd end = new FuzzedEnd(domain -> established(domain, data))) {
            end.postSomeOfEach();
            for (int i = 0; i < MAX_SEGMENTS && data.remainingBytes() > 0; i++) {
                end.receive(Segments.fpdu(data.consumeBytes(data.consumeInt(0, MAX_ULPDU))));
            }
        }
    }

    /** Also across FPDUs that the fuzzer frames itself, cut wherever it likes. */
    @FuzzTest(maxDuration = "2m")
    void bytes(FuzzedDataProvider data) {
        try (FuzzedEnd end = new FuzzedEnd(domain -> established(domain, data))) {
            end.postSomeOfEach();
            while (data.remainingBytes() > 0) {
                end.receive(data.consumeBytes(data.consumeInt(1, MAX_ULPDU)));
            }
        }
    }
}
