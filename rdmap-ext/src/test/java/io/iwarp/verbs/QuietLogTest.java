package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What operators see in their log: nothing, unless there is something for them to do. */
class QuietLogTest {
    /** An event as it was when it was logged. */
    private record Line(Level level, String text) {}

    private static final class Lines extends AppenderBase<ILoggingEvent> {
        private final Queue<Line> lines = new ConcurrentLinkedQueue<>();

        @Override
        protected void append(ILoggingEvent event) {
            lines.add(new Line(event.getLevel(), event.getFormattedMessage()));
        }
    }

    private final Logger iwarp = (Logger) LoggerFactory.getLogger("io.iwarp");
    private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    private final Lines appender = new Lines();
    private final Loopback loopback = new Loopback();
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final ByteBuf memory = Unpooled.directBuffer(64, 64).writeZero(64);
    private MemoryRegion region;

    @BeforeEach
    void listen() {
        appender.start();
        root.addAppender(appender);
        iwarp.addAppender(appender);
        iwarp.setAdditive(false);
        iwarp.setLevel(Level.DEBUG);
        region = domain.register(memory, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_READ);
    }

    @AfterEach
    void release() {
        iwarp.setLevel(null);
        iwarp.setAdditive(true);
        iwarp.detachAppender(appender);
        root.detachAppender(appender);
        loopback.close();
        region.close();
        domain.close();
        memory.release();
    }

    private List<Line> lines() {
        return List.copyOf(appender.lines);
    }

    @Test
    void aFullLifeWithFaultsLogsNothingAboveDebug() throws Exception {
        SocketAddress address = loopback.accept(domain, QueuePairSettings.DEFAULT, qp -> {});
        SocketAddress rejecting = loopback.listen(domain, QueuePairSettings.DEFAULT, ConnectionRequest::reject);

        QueuePair orderly = loopback.connect(address, domain, QueuePairSettings.DEFAULT, qp -> {});
        Loopback.await(orderly.write(memory, region.remoteBuffer()));
        orderly.close();
        Loopback.await(orderly.closed());
        assertThatThrownBy(() -> loopback.connect(rejecting, domain, QueuePairSettings.DEFAULT, qp -> {}))
                .isNotNull();
        QueuePair terminated = loopback.connect(address, domain, QueuePairSettings.DEFAULT, qp -> {});
        RemoteBuffer target = region.remoteBuffer();
        Loopback.await(terminated.write(memory, target));
        region.invalidate();
        var refused = terminated.write(memory, target);
        // The Write was on its way before anybody could know.
        Loopback.await(refused.handle((completion, failure) -> failure));
        Loopback.await(terminated.closed());
        try (ScriptedPeer stranger = ScriptedPeer.connectTo(address)) {
            stranger.sends("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            stranger.expectEnd();
        }

        await().untilAsserted(() -> assertThat(lines())
                .filteredOn(line -> line.text().contains("closed: this side found an error"))
                .isNotEmpty());
        assertThat(lines())
                .filteredOn(line -> line.level().isGreaterOrEqual(Level.INFO))
                .isEmpty();
        assertThat(lines())
                .filteredOn(
                        line -> line.text().contains("ready:") || line.text().contains("closed:"))
                .hasSizeGreaterThanOrEqualTo(6)
                .allMatch(line -> line.text().startsWith("[id: 0x"));
    }

    @Test
    void aListenerThatFailsIsLoggedAsAnErrorWithItsConnection() throws Exception {
        SocketAddress address = loopback.accept(domain, QueuePairSettings.DEFAULT, qp -> {});
        QueuePair initiator = loopback.connect(
                address,
                domain,
                QueuePairSettings.DEFAULT,
                qp -> qp.completionListener((pair, completion) -> {
                    throw new IllegalArgumentException("made to fail");
                }));

        initiator.write(1, memory, region.stag(), 0);

        await().untilAsserted(() -> assertThat(lines())
                .filteredOn(line -> line.level() == Level.ERROR)
                .singleElement()
                .matches(line -> line.text()
                        .startsWith("[id: 0x" + initiator.channel().id().asShortText()))
                .matches(line -> line.text().contains("a listener failed")));
    }
}
