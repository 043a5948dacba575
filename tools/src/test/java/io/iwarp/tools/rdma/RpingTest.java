package io.iwarp.tools.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.tools.CommandRun;
import io.iwarp.tools.PlainEndpoint;
import io.iwarp.tools.cli.Conversation;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.Output;
import io.iwarp.verbs.Completion;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RpingTest {
    private static final Pattern SERVED = Pattern.compile("server ping data: rdma-ping-2: CDE.*");

    @ParameterizedTest
    @ValueSource(strings = {"16", "64", "1500", "4096", "65535", "65536"})
    void bothEndsShowTheSame(String size) throws Exception {
        try (CommandRun server = CommandRun.start("rping", "-s", "-p", "0", "-v")) {
            CommandRun client = ping(server, "-C", "3", "-v", "-V", "-S", size);

            assertThat(client.exitCode()).as(client.err()).isZero();
            assertThat(client.err().lines()).containsExactly("client DISCONNECT EVENT...");
            assertThat(server.exitCode()).as(server.err()).isZero();
            assertThat(server.err().lines()).containsExactly("server DISCONNECT EVENT...");
            List<String> pings = client.out().lines().toList();
            assertThat(pings).hasSize(3).allMatch(line -> line.startsWith("ping data: rdma-ping-"));
            assertThat(server.out().lines().skip(1).map(line -> line.replaceFirst("server ", "")))
                    .containsExactlyElementsOf(pings);
        }
    }

    @ParameterizedTest
    @CsvSource({"--markers, ''", "--no-crc, ''", "--no-crc, --no-crc", "--markers, --no-crc"})
    void worksWithAndWithoutMarkersAndCrc(String serverOption, String clientOption) throws Exception {
        try (CommandRun server = CommandRun.start("rping", "-s", "-p", "0", serverOption)) {
            List<String> options = new ArrayList<>(List.of("-C", "3", "-V"));
            if (!clientOption.isEmpty()) {
                options.add(clientOption);
            }
            assertThat(ping(server, options.toArray(String[]::new)).exitCode()).isZero();
            assertThat(server.exitCode()).isZero();
        }
    }

    @Test
    void itMeasuresOnRequest() throws Exception {
        try (CommandRun server = CommandRun.start("rping", "-s", "-P", "-p", "0")) {
            String address = server.address();
            String port = address.substring(address.lastIndexOf(':') + 1);

            CommandRun client = CommandRun.of("rping", "-c", "-p", port, "-C", "20", "-V", "--measure");

            assertThat(client.exitCode()).as(client.err()).isZero();
            assertThat(client.out()).contains("pings of 64 bytes", "until s", "20 pings in", "p99.99");
        }
    }

    @Test
    void peerToPeerSetUpWorks() throws Exception {
        try (CommandRun server = CommandRun.start("rping", "-s", "-p", "0")) {
            assertThat(ping(server, "-C", "3", "-V", "--peer-to-peer").exitCode())
                    .isZero();
            assertThat(server.exitCode()).isZero();
        }
    }

    @Test
    void eachStepIsShownIfWanted() throws Exception {
        try (CommandRun server = CommandRun.start("rping", "-s", "-p", "0", "-d")) {
            CommandRun client = ping(server, "-C", "1", "-d");

            assertThat(client.out()).contains("ESTABLISHED", "RDMA addr ", "recv completion");
            assertThat(server.exitCode()).isZero();
            assertThat(server.out())
                    .containsSubsequence(
                            "accepting client connection request",
                            "Received rkey ",
                            "server posted rdma read req",
                            "server received read complete",
                            "server posted go ahead",
                            "Received rkey ",
                            "rdma write of 64 bytes",
                            "server rdma write complete",
                            "server posted go ahead");
        }
    }

    @Test
    void aPersistentServerServesManyAtOnceAndContinues() throws Exception {
        try (CommandRun server = CommandRun.start("rping", "-s", "-p", "0", "-P")) {
            String port = port(server);
            List<CommandRun> clients = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                clients.add(CommandRun.start("rping", "-c", "-p", port, "-C", "20", "-V", "-S", "5000"));
            }
            for (CommandRun client : clients) {
                assertThat(client.exitCode()).as(client.err()).isZero();
            }
            assertThat(CommandRun.of("rping", "-c", "-p", port, "-C", "1").exitCode())
                    .isZero();
            assertThat(server.stop()).isZero();
        }
    }

    @Test
    void aPersistentServerContinuesAfterAClientThatVanishes() throws Exception {
        try (CommandRun server = CommandRun.start("rping", "-s", "-p", "0", "-P", "-v");
                Endpoint endpoint = PlainEndpoint.open()) {
            String port = port(server);
            QueuePair vanishing = endpoint.connect(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port)),
                    QueuePairSettings.DEFAULT,
                    new byte[0],
                    fresh -> fresh.receive(Unpooled.buffer(RpingMessage.ENCODED_LENGTH, RpingMessage.ENCODED_LENGTH)));
            try (MemoryRegion memory = endpoint.domain()
                    .region()
                    .allocate(ByteBufAllocator.DEFAULT, 64)
                    .rights(AccessRight.REMOTE_READ)
                    .register()) {
                Endpoint.await(vanishing.send(RpingMessage.advertisement(memory.remoteBuffer())));
                server.awaitLine(Pattern.compile("server ping data:.*"));
                vanishing.abort();
                Endpoint.await(vanishing.closed());
            }

            assertThat(CommandRun.of("rping", "-c", "-p", port, "-C", "3", "-V").exitCode())
                    .isZero();
            server.awaitLine(SERVED);
            assertThat(server.stop()).isZero();
            assertThat(server.err().lines().filter(line -> line.startsWith("rping: 127.0.0.1:")))
                    .hasSize(1);
        }
    }

    /** The second advertisement of a ping says where the text goes; it may be too short for it. */
    @Test
    void clientsThatBreakTheRulesTakeNoPlaceOfAPersistentServer() throws Exception {
        try (CommandRun server = CommandRun.start("rping", "-s", "-p", "0", "-P", "-v");
                Endpoint endpoint = PlainEndpoint.open();
                MemoryRegion memory = endpoint.domain()
                        .region()
                        .allocate(ByteBufAllocator.DEFAULT, 64)
                        .rights(AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE)
                        .register()) {
            String port = port(server);
            memory.setBytes(0, Unpooled.copiedBuffer("long".repeat(16), StandardCharsets.US_ASCII));
            for (int i = 0; i <= Rping.MAX_CLIENTS; i++) {
                pingIntoTooShortAMemory(endpoint, Integer.parseInt(port), memory.remoteBuffer());
            }

            CommandRun client = CommandRun.of("rping", "-c", "-p", port, "-C", "1", "-V");

            assertThat(client.exitCode()).as(client.err()).isZero();
            assertThat(server.stop()).isZero();
            assertThat(server.err().lines().filter(line -> !line.equals("server DISCONNECT EVENT...")))
                    .hasSize(Rping.MAX_CLIENTS + 1)
                    .allMatch(line -> line.startsWith("rping: 127.0.0.1:") && line.contains("in a memory of 1 bytes"));
        }
    }

    @Test
    void aClientThatResetsEarlyIsNoFaultOfTheProgram() throws Exception {
        StringWriter err = new StringWriter();
        Conversation conversation = new Conversation();
        try (Endpoint endpoint = PlainEndpoint.open();
                IwarpListener listener = endpoint.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        QueuePairSettings.DEFAULT,
                        request -> {
                            conversation.attach(request.queuePair());
                            request.accept();
                        })) {
            endpoint.connect(listener.localAddress(), QueuePairSettings.DEFAULT, new byte[0], fresh -> {})
                    .abort();
            Endpoint.await(conversation.queuePair().closed());
            Output printed = new Output(new PrintWriter(err));

            boolean whole =
                    new RpingSession(conversation, 64, false, new RpingOutput(printed, printed, false, false)).run();

            assertThat(whole).isFalse();
        }
        assertThat(err.toString())
                .contains("rping: 127.0.0.1:", "the other side")
                .doesNotContain("fault of the program");
    }

    private static void pingIntoTooShortAMemory(Endpoint endpoint, int port, RemoteBuffer memory) throws Exception {
        QueuePair client = endpoint.connect(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                QueuePairSettings.DEFAULT,
                new byte[0],
                fresh -> {
                    fresh.receive(Unpooled.buffer(RpingMessage.ENCODED_LENGTH, RpingMessage.ENCODED_LENGTH));
                    fresh.receive(Unpooled.buffer(RpingMessage.ENCODED_LENGTH, RpingMessage.ENCODED_LENGTH));
                });
        client.send(RpingMessage.advertisement(memory));
        client.send(RpingMessage.advertisement(memory.slice(0, 1)));
        Endpoint.await(client.closed());
    }

    @Test
    void aServerForOneClientTurnsTheSecondAway() throws Exception {
        try (CommandRun server = CommandRun.start("rping", "-s", "-p", "0", "-v")) {
            String port = port(server);
            try (CommandRun first = CommandRun.start("rping", "-c", "-p", port)) {
                server.awaitLine(SERVED);
                CommandRun second = CommandRun.of("rping", "-c", "-p", port, "-C", "1");

                assertThat(second.exitCode()).isEqualTo(1);
                assertThat(second.err()).contains("the server serves one client");
                first.stop();
            }
        }
    }

    @Test
    void aSizeThatIsTooLargeForTheServerIsRefused() throws Exception {
        try (CommandRun server = CommandRun.start("rping", "-s", "-p", "0", "-S", "100")) {
            CommandRun client = ping(server, "-S", "101", "-C", "1");

            assertThat(client.exitCode()).isEqualTo(1);
            assertThat(server.exitCode()).isEqualTo(1);
            assertThat(server.err()).contains("101 bytes", "greater -S");
        }
    }

    @Test
    void dataThatComesBackChangedFailsTheClient() throws Exception {
        assertThat(pingAServerThatWritesNothing("-V").err()).contains("data mismatch");
        assertThat(pingAServerThatWritesNothing("-v").exitCode()).isZero();
    }

    /** The second memory that a client advertises is to be written to. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aServerMayReadWhereItWritesIfTheClientGivesAllRights(boolean allRights) throws Exception {
        CompletableFuture<Completion> read = new CompletableFuture<>();
        try (Endpoint endpoint = PlainEndpoint.open();
                IwarpListener curious = endpoint.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        QueuePairSettings.DEFAULT,
                        request -> answerAndRead(request, read))) {
            List<String> words = new ArrayList<>(List.of("rping", "-c", "-p", "" + curious.port(), "-C", "1"));
            if (allRights) {
                words.add("--all-rights");
            }
            CommandRun client = CommandRun.of(words.toArray(String[]::new));

            assertThat(read.handle((completion, failure) -> failure == null).get(60, TimeUnit.SECONDS))
                    .isEqualTo(allRights);
            assertThat(client.exitCode()).isEqualTo(allRights ? 0 : 1);
        }
    }

    private static void answerAndRead(ConnectionRequest request, CompletableFuture<Completion> read) {
        QueuePair queuePair = request.queuePair();
        ByteBuf first = Unpooled.buffer(RpingMessage.ENCODED_LENGTH);
        ByteBuf second = Unpooled.buffer(RpingMessage.ENCODED_LENGTH);
        queuePair.receive(first).thenRun(() -> queuePair.send(RpingMessage.goAhead()));
        ByteBuf sink = Unpooled.directBuffer(64);
        queuePair
                .receive(second)
                .thenRun(() -> queuePair.read(sink, RpingMessage.decode(second)).whenComplete((completion, failure) -> {
                    sink.release();
                    if (failure == null) {
                        queuePair.send(RpingMessage.goAhead());
                        read.complete(completion);
                    } else {
                        read.completeExceptionally(failure);
                    }
                }));
        request.accept();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void theAddressIsThatOfTheServerAtBothEnds() throws Exception {
        try (CommandRun server = CommandRun.start("rping", "-s", "-a", "127.0.0.2", "-p", "0")) {
            String address = server.address();
            assertThat(address).startsWith("127.0.0.2:");
            String port = address.substring(address.lastIndexOf(':') + 1);

            CommandRun client = CommandRun.of("rping", "-c", "-a", "127.0.0.2", "-p", port, "-C", "1");

            assertThat(client.exitCode()).as(client.err()).isZero();
        }
    }

    /** It answers each message as if it had done its part. */
    private static CommandRun pingAServerThatWritesNothing(String option) throws Exception {
        try (Endpoint lazy = PlainEndpoint.open();
                IwarpListener listener = lazy.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        QueuePairSettings.DEFAULT,
                        RpingTest::answerOnly)) {
            String port = String.valueOf(listener.port());
            return CommandRun.of("rping", "-c", "-p", port, "-C", "2", option);
        }
    }

    private static void answerOnly(ConnectionRequest request) {
        QueuePair queuePair = request.queuePair();
        queuePair.setCompletionListener((source, completion) -> {
            if (completion.successful() && completion.buffer() != null) {
                source.receiveQueue()
                        .receive(0, Unpooled.buffer(RpingMessage.ENCODED_LENGTH, RpingMessage.ENCODED_LENGTH));
                source.sendQueue().send(0, RpingMessage.goAhead());
            }
        });
        queuePair.receiveQueue().receive(0, Unpooled.buffer(RpingMessage.ENCODED_LENGTH, RpingMessage.ENCODED_LENGTH));
        request.accept();
    }

    @ParameterizedTest
    @CsvSource({
        "'', -s",
        "-s -c, mutually exclusive",
        "-c -S 0, outside 1 byte to 16 MiB",
        "-c -C -1, is negative",
        "-c -p 70000, not a TCP port",
        "-c -p 0, not a TCP port",
    })
    void aWrongCommandLineIsReported(String arguments, String complaint) {
        CommandRun wrong = CommandRun.of(("rping " + arguments).strip().split(" "));

        assertThat(wrong.exitCode()).isEqualTo(2);
        assertThat(wrong.err()).contains(complaint).contains("'iwarp rping --help'");
    }

    private static CommandRun ping(CommandRun server, String... options) throws InterruptedException {
        List<String> arguments = new ArrayList<>(List.of("rping", "-c", "-p", port(server)));
        arguments.addAll(List.of(options));
        return CommandRun.of(arguments.toArray(String[]::new));
    }

    private static String port(CommandRun server) throws InterruptedException {
        String address = server.address();
        return address.substring(address.lastIndexOf(':') + 1);
    }
}
