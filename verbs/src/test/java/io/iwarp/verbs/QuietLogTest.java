package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.iwarp.ConnectionClosedException;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.testing.LogCapture;
import io.iwarp.testing.SocketPeer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.Logger;

/** What operators see in their log: nothing, unless there is something for them to do. */
class QuietLogTest {
    @RegisterExtension
    private final LogCapture iwarp = new LogCapture("io.iwarp", Level.DEBUG);

    @RegisterExtension
    private final LogCapture others = new LogCapture(Logger.ROOT_LOGGER_NAME);

    private final Loopback loopback = new Loopback();
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final ByteBuf memory = Unpooled.directBuffer(64, 64).writeZero(64);
    private MemoryRegion region;

    @BeforeEach
    void listen() {
        region = domain.register(memory, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_READ);
    }

    @AfterEach
    void release() {
        loopback.close();
        region.close();
        domain.close();
        memory.release();
    }

    private List<ILoggingEvent> events() {
        return Stream.concat(iwarp.events().stream(), others.events().stream()).toList();
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
        // The Write was on its way before the application could know.
        Loopback.await(refused.handle((completion, failure) -> failure));
        Loopback.await(terminated.closed());
        try (SocketPeer stranger = SocketPeer.connectTo(address)) {
            stranger.sends("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            stranger.expectEnd();
        }

        await().untilAsserted(() -> assertThat(events())
                .filteredOn(event -> event.getFormattedMessage().contains("closed: this side found an error"))
                .isNotEmpty());
        assertThat(events())
                .filteredOn(event -> event.getLevel().isGreaterOrEqual(Level.INFO))
                .isEmpty();
        assertThat(events())
                .filteredOn(event -> event.getFormattedMessage().contains("ready:")
                        || event.getFormattedMessage().contains("closed:"))
                .hasSizeGreaterThanOrEqualTo(6)
                .allMatch(event -> event.getFormattedMessage().startsWith("[id: 0x"));
    }

    @Test
    void aThrowingRequestListenerIsAnError() throws Exception {
        try (ProtectionDomain forgotten = ProtectionDomain.create()) {
            SocketAddress address = loopback.listen(forgotten, QueuePairSettings.DEFAULT, r -> r.accept(region));
            assertThatThrownBy(() -> loopback.connect(address, domain, QueuePairSettings.DEFAULT, qp -> {}))
                    .hasCauseInstanceOf(ConnectionClosedException.class);
            await().untilAsserted(() -> assertThat(atLeast(Level.INFO))
                    .singleElement()
                    .matches(event -> event.getLevel() == Level.ERROR
                            && event.getFormattedMessage().contains("belongs to another")));
        }
    }

    @Test
    void aRequestWithoutAReplyIsAnErrorWithTheSetting() throws Exception {
        QueuePairSettings impatient = QueuePairSettings.builder()
                .mpa(MpaSettings.builder().startupTimeout(Duration.ofMillis(50)).build())
                .build();
        SocketAddress address = loopback.listen(domain, impatient, request -> {});
        assertThatThrownBy(() -> loopback.connect(address, domain, QueuePairSettings.DEFAULT, qp -> {}))
                .hasCauseInstanceOf(ConnectionClosedException.class);
        await().untilAsserted(() -> assertThat(atLeast(Level.INFO))
                .singleElement()
                .matches(event -> event.getLevel() == Level.ERROR
                        && event.getFormattedMessage().contains("startupTimeout (PT0.05S)")));
    }

    @Test
    void anOwnFailureIsAWarningWithItsCause() throws Exception {
        ByteBuf released = Unpooled.buffer(8, 8);
        SocketAddress address = loopback.accept(domain, QueuePairSettings.DEFAULT, qp -> {
            qp.receive(released).exceptionally(failure -> null);
            released.release(2);
        });
        QueuePair initiator = loopback.connect(address, domain, QueuePairSettings.DEFAULT, qp -> {});
        initiator.send(Unpooled.copyLong(1));
        Loopback.await(initiator.closed());
        await().untilAsserted(() -> assertThat(atLeast(Level.WARN))
                .filteredOn(event -> event.getLevel() == Level.WARN)
                .singleElement()
                .matches(event -> event.getThrowableProxy() != null));
    }

    @Test
    void anEndByATimeoutIsALineAtInfo() throws Exception {
        QueuePairSettings impatient =
                QueuePairSettings.builder().idleTimeout(Duration.ofMillis(50)).build();
        SocketAddress address = loopback.accept(domain, impatient, qp -> {});
        QueuePair initiator = loopback.connect(address, domain, QueuePairSettings.DEFAULT, qp -> {});
        Loopback.await(initiator.closed());
        await().untilAsserted(() -> assertThat(atLeast(Level.INFO))
                .singleElement()
                .matches(event -> event.getLevel() == Level.INFO
                        && event.getFormattedMessage().contains("a timeout expired")));
    }

    private List<ILoggingEvent> atLeast(Level level) {
        return events().stream()
                .filter(event -> event.getLevel().isGreaterOrEqual(level))
                .toList();
    }

    @Test
    void aListenerThatFailsIsLoggedAsAnErrorWithItsConnection() throws Exception {
        SocketAddress address = loopback.accept(domain, QueuePairSettings.DEFAULT, qp -> {});
        QueuePair initiator = loopback.connect(
                address,
                domain,
                QueuePairSettings.DEFAULT,
                qp -> qp.setCompletionListener((pair, completion) -> {
                    throw new IllegalArgumentException("made to fail");
                }));

        initiator.sendQueue().write(1, memory, new RemoteBuffer(region.stag(), 0, memory.readableBytes()));

        await().untilAsserted(() -> assertThat(events())
                .filteredOn(event -> event.getLevel() == Level.ERROR)
                .singleElement()
                .matches(event -> event.getFormattedMessage()
                        .startsWith("[id: 0x" + initiator.channel().id().asShortText()))
                .matches(event ->
                        event.getFormattedMessage().contains("the listener for completions threw an exception")));
    }
}
