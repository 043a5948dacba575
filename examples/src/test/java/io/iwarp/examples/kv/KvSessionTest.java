package io.iwarp.examples.kv;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.verbs.IwarpChannelInitializer;
import io.iwarp.verbs.IwarpConnector;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.PostOptions;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/** Clients that break the rules. */
class KvSessionTest {
    private static final String HEAD_BEHIND_THE_KEY_LENGTH = "00000000000000010000000000000000";

    private final Logger logger = (Logger) LoggerFactory.getLogger(KvSession.class);
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final KvStore store = new KvStore(domain, ByteBufAllocator.DEFAULT, 100, 1 << 16);
    private IwarpListener listener;
    private QueuePair client;

    @BeforeEach
    void connect() throws Exception {
        log.start();
        logger.addAppender(log);
        logger.setAdditive(false);
        KvService service = new KvService(store);
        listener = IwarpListener.listen(
                        new ServerBootstrap().group(group).channel(NioServerSocketChannel.class),
                        IwarpChannelInitializer.responder(
                                domain,
                                KvService.settings(QueuePairSettings.builder()).build(),
                                request -> {
                                    service.admit(request.queuePair());
                                    request.accept();
                                }),
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .get();
        client = new IwarpConnector(
                        new Bootstrap().group(group).channel(NioSocketChannel.class),
                        IwarpChannelInitializer.initiator(domain, QueuePairSettings.DEFAULT, new byte[0], fresh -> {}))
                .connect(listener.localAddress())
                .get();
    }

    @AfterEach
    void close() throws Exception {
        listener.close();
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        store.close();
        domain.close();
        logger.detachAppender(log);
        logger.setAdditive(true);
    }

    @ParameterizedTest
    @CsvSource({
        "00,                                                   a message of 1 octets is no put",
        "0000000200000000" + HEAD_BEHIND_THE_KEY_LENGTH + ",   a message of 24 octets is no put",
        "0000000100000001" + HEAD_BEHIND_THE_KEY_LENGTH + ",   a put of 24 octets cannot have a key of 1",
        "00000001ffffffff" + HEAD_BEHIND_THE_KEY_LENGTH + ",   a put of 24 octets cannot have a key of -1",
        "0000000100000000" + HEAD_BEHIND_THE_KEY_LENGTH + ",   the key is empty"
    })
    void aMessageThatIsNoPutEndsItsConnectionWithALineInTheLog(String message, String told) throws Exception {
        ByteBuf octets = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(message));

        client.send(octets);

        assertEnded("broke the rules: " + told);
    }

    @Test
    void immediateDataEndsItsConnectionWithALineInTheLog() throws Exception {
        client.sendImmediate(1, PostOptions.NONE);

        assertEnded("sent Immediate Data");
    }

    private void assertEnded(String told) throws Exception {
        client.closed().toCompletableFuture().get(10, TimeUnit.SECONDS);
        assertThat(log.list).singleElement().satisfies(event -> {
            assertThat(event.getFormattedMessage()).contains(told).endsWith("; its connection is ended");
            assertThat(event.getThrowableProxy()).isNull();
        });
    }
}
