package io.iwarp.tools;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.PeerAddress;
import io.iwarp.tools.cli.Progress;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Text of a peer reaches the terminal and the log of every command, and does nothing there. */
class HostileTextTest {
    /** Moves the cursor, clears the screen, begins a line, and turns the direction of what follows. */
    private static final String TEXT = "x\u001b[2J\u009b31m\u0085\nFORGED\u202ey\u2066";

    private static final String SHOWN = "x\\u001b[2J\\u009b31m\\u0085\\u000aFORGED\\u202ey\\u2066";
    private static final Pattern UNSAFE = Pattern.compile("[\\p{Cc}\\p{Cf}&&[^\n]]");
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "echo-client HOST",
                "counter HOST",
                "file put HOST FILE",
                "file get HOST name OTHER",
                "perf client HOST",
                "perf connect HOST",
                "rping -c -p PORT",
                "cmatose -s 127.0.0.1 -p PORT"
            })
    void ofAServerThatRefuses(String line) throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "content");
        try (Endpoint server = PlainEndpoint.open();
                IwarpListener listener = server.listen(
                        ANY_PORT,
                        QueuePairSettings.DEFAULT,
                        request -> request.reject(TEXT.getBytes(StandardCharsets.UTF_8)))) {
            String port = String.valueOf(listener.port());
            String words = line.replace("HOST", "127.0.0.1:" + port)
                    .replace("PORT", port)
                    .replace("FILE", file.toString())
                    .replace("OTHER", folder.resolve("other").toString());

            CommandRun client = CommandRun.of(words.split(" ", -1));

            assertThat(client.exitCode()).isEqualTo(1);
            assertThat(client.error()).contains("refused the connection: " + SHOWN);
            requirePlain(client);
        }
    }

    @Test
    void ofAFilesName() throws Exception {
        Path file = Files.writeString(folder.resolve("txt.\u202eexe"), "content");
        Path inbox = Files.createDirectory(folder.resolve("inbox"));
        try (CommandRun server = CommandRun.start("file", "serve", "--port", "0", "--directory", inbox.toString())) {
            String address = server.address();
            CommandRun put = CommandRun.of("file", "put", address, file.toString());
            assertThat(put.err()).contains("'txt.\\u202eexe' is not a name for a file");
            server.awaitLine(Pattern.compile(".* failed, nothing was kept: 'txt\\.\\\\u202eexe' .*"));
            CommandRun get = CommandRun.of(
                    "file", "get", address, TEXT, folder.resolve("copy").toString());
            assertThat(get.err()).contains("'" + SHOWN + "' is not a name for a file");
            server.awaitLine(Pattern.compile(".* failed, .*FORGED.*"));
            requirePlain(put);
            requirePlain(get);
            requirePlain(server);
        }
    }

    @Test
    void ofAFilesNameBesideAProgressBar() {
        StringWriter terminal = new StringWriter();

        Progress.begin(new PrintWriter(terminal), TEXT, 1, true).close();

        assertThat(terminal.toString()).contains("x\\u001b[2J");
        assertThat(UNSAFE.matcher(terminal.toString().replace("\r", "")).find()).isFalse();
    }

    @Test
    void ofMemoryThatRpingShows() throws Exception {
        byte[] bytes = (TEXT + "\0").getBytes(StandardCharsets.US_ASCII);
        try (CommandRun server = CommandRun.start("rping", "-s", "-v", "-p", "0");
                Endpoint client = PlainEndpoint.open()) {
            QueuePair queuePair = client.connect(
                    new PeerAddress.Converter().convert(server.address()).resolve(),
                    QueuePairSettings.DEFAULT,
                    new byte[0],
                    fresh -> fresh.receive(Unpooled.buffer(16)));
            ByteBuf memory = Unpooled.directBuffer(bytes.length).writeBytes(bytes);
            try (MemoryRegion region = client.domain().register(memory, AccessRight.REMOTE_READ)) {
                RemoteBuffer advertised = region.remoteBuffer();
                queuePair.send(Unpooled.buffer()
                        .writeLong(advertised.taggedOffset())
                        .writeInt(advertised.stag())
                        .writeInt(bytes.length));
                server.awaitLine(Pattern.compile("server ping data: x.*FORGED.*"));
            } finally {
                memory.release();
            }
            requirePlain(server);
        }
    }

    @Test
    void ofAnEntryOfTheLog() throws Exception {
        LoggerContext context = new LoggerContext();
        JoranConfigurator configurator = new JoranConfigurator();
        configurator.setContext(context);
        configurator.doConfigure(Objects.requireNonNull(Iwarp.class.getResource("/logback.xml")));
        Logger logger = context.getLogger(Logger.ROOT_LOGGER_NAME);
        ConsoleAppender<ILoggingEvent> appender = (ConsoleAppender<ILoggingEvent>) logger.getAppender("stderr");
        IOException failure = new IOException("cause " + TEXT);
        LoggingEvent event = new LoggingEvent("", logger, Level.WARN, "said " + TEXT, failure, new Object[0]);

        String entry = new String(appender.getEncoder().encode(event), StandardCharsets.UTF_8);
        context.stop();

        assertThat(entry).contains("said " + SHOWN, "cause x\\u001b[2J\\u009b31m");
        assertThat(UNSAFE.matcher(entry.replace("\t", "")).find()).isFalse();
        assertThat(entry.lines().skip(1))
                .isNotEmpty()
                .allMatch(line ->
                        line.isBlank() || line.startsWith("\t") || line.startsWith("java.io.IOException: cause x"));
    }

    private static void requirePlain(CommandRun run) {
        String all = (run.out() + run.err()).replace(System.lineSeparator(), "\n");
        assertThat(UNSAFE.matcher(all).find()).as(all).isFalse();
        assertThat(all.lines()).noneMatch(line -> line.startsWith("FORGED"));
    }
}
