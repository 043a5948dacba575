package io.iwarp.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.tools.cli.Endpoint;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePairSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a server sees of the options about the set-up: the revision of MPA, the peer's IRD and its ORD. */
class SetupOptionsTest {
    @ParameterizedTest
    @CsvSource({
        "perf client HOST, 1 - -",
        "perf client HOST --enhanced --ird 3 --ord 5, 2 3 5",
        "echo-client HOST --enhanced --ird 0 --ord 16382, 2 0 16382",
        "rping -c -p PORT, 2 1 1",
        "rping -c -p PORT --ird 4 --ord 3, 2 4 3",
        "rping -c -p PORT --plain, 1 - -",
        "conformance server HOST --only ping.size.1 --revision 1, 1 - -"
    })
    void areOnTheWire(String line, String seen) throws Exception {
        List<String> requests = new CopyOnWriteArrayList<>();
        try (Endpoint endpoint = PlainEndpoint.open();
                IwarpListener server = endpoint.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        QueuePairSettings.DEFAULT,
                        request -> {
                            requests.add(
                                    request.revision() + " " + text(request.peerIrd()) + " " + text(request.peerOrd()));
                            request.reject();
                        })) {
            CommandRun client = CommandRun.of(line.replace("HOST", "127.0.0.1:" + server.port())
                    .replace("PORT", String.valueOf(server.port()))
                    .split(" "));

            assertThat(client.exitCode()).isNotZero();
        }
        assertThat(requests).isNotEmpty().allMatch(seen::equals);
    }

    private static String text(OptionalInt depth) {
        return depth.isPresent() ? String.valueOf(depth.getAsInt()) : "-";
    }
}
