package io.iwarp.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.testing.LogCapture;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.verbs.PostOptions;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Clients of the cache that break the rules. */
class KvSessionTest {
    private static final String HEAD_BEHIND_THE_KEY_LENGTH = "00000000000000010000000000000000";

    @RegisterExtension
    private final LogCapture log = new LogCapture("io.iwarp.tools.kv");

    @ParameterizedTest
    @CsvSource({
        "00,                                                   a message of 1 bytes is not a put",
        "0000000200000000" + HEAD_BEHIND_THE_KEY_LENGTH + ",   a message of 24 bytes is not a put",
        "0000000100000001" + HEAD_BEHIND_THE_KEY_LENGTH + ",   a put of 24 bytes cannot have a key of 1",
        "00000001ffffffff" + HEAD_BEHIND_THE_KEY_LENGTH + ",   a put of 24 bytes cannot have a key of -1",
        "0000000100000000" + HEAD_BEHIND_THE_KEY_LENGTH + ",   the key is empty"
    })
    void aMessageThatIsNoPutEndsItsConnectionWithALineInTheLog(String message, String told) throws Exception {
        endsItsConnection(
                client -> client.send(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(message))),
                "broke the rules: " + told);
    }

    @Test
    void immediateDataEndsItsConnectionWithALineInTheLog() throws Exception {
        endsItsConnection(client -> client.futures().sendImmediate(1, PostOptions.NONE), "sent Immediate Data");
    }

    private void endsItsConnection(Consumer<QueuePair> offence, String told) throws Exception {
        try (KvCacheRun cache = KvCacheRun.start();
                Endpoint endpoint = Endpoint.plain()) {
            QueuePair client = cache.connect(endpoint);
            offence.accept(client);
            Endpoint.await(client.closed());
        }
        assertThat(log.events()).singleElement().satisfies(event -> {
            assertThat(event.getFormattedMessage()).contains(told).endsWith("; its connection is ended");
            assertThat(event.getThrowableProxy()).isNull();
        });
    }
}
