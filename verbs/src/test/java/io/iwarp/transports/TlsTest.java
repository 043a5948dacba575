package io.iwarp.transports;

import static io.iwarp.transports.Server.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.ConnectionRejectedException;
import io.iwarp.EndedBy;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.testing.Requirement;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.socket.DuplexChannel;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** TLS below MPA: who the peer is, and what happens when the two sides do not agree on it. */
class TlsTest {
    private Server server;

    private Server listen(Security security, Consumer<ConnectionRequest> decide) throws Exception {
        return listen(security.responder(), QueuePairSettings.DEFAULT, decide);
    }

    private Server listen(
            Consumer<ChannelPipeline> handlers, QueuePairSettings settings, Consumer<ConnectionRequest> decide)
            throws Exception {
        server = new Server(Transport.NIO, settings, handlers, decide);
        return server;
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
    @Requirement("SEC-26")
    void bothSidesKnowWhoThePeerIsAlsoWhenTheDecisionComesLate(Security security) throws Exception {
        CompletableFuture<ConnectionRequest> asked = new CompletableFuture<>();
        listen(security, asked::complete);
        CompletableFuture<QueuePair> connecting = server.connect(security.initiator());
        ConnectionRequest request = await(asked);
        assertThat(request.peerPrincipal()).asString().isEqualTo("CN=initiator");
        assertThat(request.tlsSession().getProtocol()).isEqualTo(security.protocol());
        request.accept();
        QueuePair initiator = await(connecting);
        assertThat(initiator.peerPrincipal()).asString().isEqualTo("CN=responder");
        assertThat(initiator.tlsSession().isValid()).isTrue();
        assertThat(request.queuePair().peerPrincipal()).asString().isEqualTo("CN=initiator");
        initiator.close();
        await(request.queuePair().closed());
        assertThat(request.queuePair().peerPrincipal()).asString().isEqualTo("CN=initiator");
    }

    @Test
    void withoutTlsNoPeerHasProvenAnything() throws Exception {
        CompletableFuture<ConnectionRequest> asked = new CompletableFuture<>();
        listen(Security.NONE, asked::complete);
        CompletableFuture<QueuePair> connecting = server.connect(Security.NONE.initiator());
        ConnectionRequest request = await(asked);
        assertThat(request.tlsSession()).isNull();
        assertThat(request.peerPrincipal()).isNull();
        request.accept();
        assertThat(await(connecting).peerPrincipal()).isNull();
    }

    @Test
    void aPeerThatTheApplicationDoesNotWantIsRejected() throws Exception {
        listen(Security.TLS_1_3, request -> request.reject("not you"));
        CompletableFuture<QueuePair> connecting = server.connect(Security.TLS_1_3.initiator());
        assertThatThrownBy(() -> await(connecting))
                .cause()
                .isInstanceOf(ConnectionRejectedException.class)
                .hasMessage("the peer rejected the connection: not you");
    }

    @Test
    @Requirement("SEC-27")
    void aPlainPeerAtATlsPortFailsOnBothSides() throws Exception {
        listen(Security.TLS_1_3, ConnectionRequest::accept);
        CloseReason initiators = failure(server.connect(Security.NONE.initiator()));
        assertThat(initiators.endedBy()).isIn(EndedBy.PEER_CLOSED, EndedBy.TRANSPORT, EndedBy.LOCAL_FAULT);
        assertThat(initiators.toString()).containsAnyOf("perhaps the peer expects TLS", "it speaks TLS");
        CloseReason responders = await(server.nextEnd());
        assertThat(responders.endedBy()).isEqualTo(EndedBy.TRANSPORT);
        assertThat(responders.cause()).isInstanceOf(SSLException.class).hasMessageContaining("TLS");
        assertThat(responders.toString()).startsWith("TLS failed: the peer sent no TLS record: it does not use TLS");
    }

    @Test
    @Requirement("SEC-27")
    void aTlsPeerAtAPlainPortFailsOnBothSides() throws Exception {
        listen(Security.NONE, ConnectionRequest::accept);
        CloseReason initiators = failure(server.connect(Security.TLS_1_3.initiator()));
        assertThat(initiators.endedBy()).isEqualTo(EndedBy.TRANSPORT);
        assertThat(initiators.cause()).isInstanceOf(SSLException.class);
        assertThat(initiators.toString())
                .startsWith(
                        "TLS failed: the connection was closed during the TLS handshake: the peer does not use TLS");
        CloseReason responders = await(server.nextEnd());
        assertThat(responders.endedBy()).isEqualTo(EndedBy.LOCAL_FAULT);
        assertThat(responders.detail()).contains("it speaks TLS, and this side does not");
    }

    @ParameterizedTest
    @EnumSource(names = {"TLS_1_2", "TLS_1_3", "OPENSSL_1_3"})
    void aCertificateOfAnotherAuthorityIsRefusedByTheInitiator(Security security) throws Exception {
        listen(security.stranger(), QueuePairSettings.DEFAULT, ConnectionRequest::accept);
        CloseReason initiators = failure(server.connect(security.initiator()));
        assertThat(initiators.endedBy()).isEqualTo(EndedBy.TRANSPORT);
        assertThat(initiators.cause()).isInstanceOf(SSLException.class);
        assertThat(initiators.toString()).startsWith("TLS failed: this side refused the peer's certificate (");
        assertThat(initiators.mayRetry()).isFalse();
        CloseReason responders = await(server.nextEnd());
        assertThat(responders.cause()).isInstanceOf(SSLException.class);
        // BoringSSL tells the peer of an internal error.
        assertThat(responders.toString())
                .startsWith(
                        security == Security.OPENSSL_1_3
                                ? "TLS failed: the peer refused the TLS connection"
                                : "TLS failed: the peer refused this side's certificate");
    }

    @ParameterizedTest
    @EnumSource(names = {"TLS_1_2", "TLS_1_3", "OPENSSL_1_3"})
    void anInitiatorWithoutACertificateIsRefusedByTheResponder(Security security) throws Exception {
        listen(security, ConnectionRequest::accept);
        CloseReason initiators = failure(server.connect(security.anonymous()));
        assertThat(initiators.endedBy()).isEqualTo(EndedBy.TRANSPORT);
        assertThat(initiators.cause()).isInstanceOf(SSLException.class);
        assertThat(initiators.toString()).startsWith("TLS failed: the peer refused this side's certificate");
        assertThat(initiators.mayRetry()).isFalse();
        CloseReason responders = await(server.nextEnd());
        assertThat(responders.endedBy()).isEqualTo(EndedBy.TRANSPORT);
        assertThat(responders.cause()).isInstanceOf(SSLException.class);
        assertThat(responders.toString())
                .startsWith("TLS failed: the peer sent no certificate, or none of an authority that this side trusts");
    }

    @ParameterizedTest
    @EnumSource(names = {"TLS_1_2", "TLS_1_3", "OPENSSL_1_3"})
    void aCertificateOfAnotherAuthorityIsRefusedByTheResponder(Security security) throws Exception {
        listen(security, ConnectionRequest::accept);
        CloseReason initiators = failure(server.connect(security.strangeInitiator()));
        assertThat(initiators.toString()).startsWith("TLS failed: the peer refused ");
        assertThat(initiators.mayRetry()).isFalse();
    }

    @Test
    @Requirement("SEC-27")
    void theStartUpTimeoutEndsAHandshakeThatDoesNotComeToAnEnd() throws Exception {
        QueuePairSettings impatient = QueuePairSettings.builder()
                .mpa(MpaSettings.builder()
                        .startupTimeout(Duration.ofMillis(200))
                        .build())
                .build();
        listen(Security.TLS_1_3.responder(), impatient, ConnectionRequest::accept);
        InetSocketAddress address = (InetSocketAddress) server.address();
        try (Socket silent = new Socket(address.getAddress(), address.getPort())) {
            CloseReason reason = await(server.nextEnd());
            assertThat(reason.endedBy()).isEqualTo(EndedBy.TIMEOUT);
            silent.setSoTimeout(
                    (int) Duration.ofSeconds(Server.PATIENCE_SECONDS).toMillis());
            assertThat(silent.getInputStream().readAllBytes()).hasSizeLessThan(100);
        }
    }

    /** Any host on the way can send FIN; close_notify only the peer. */
    @Test
    void anEndWithoutCloseNotifyIsALostConnection() throws Exception {
        listen(Security.TLS_1_3, ConnectionRequest::accept);
        QueuePair initiator = await(server.connect(Security.TLS_1_3.initiator()));
        ((DuplexChannel) initiator.channel()).shutdownOutput();
        CloseReason reason = await(server.nextEnd());
        assertThat(reason.endedBy()).isEqualTo(EndedBy.TRANSPORT);
        assertThat(reason.toString()).contains("close_notify");
    }

    private static CloseReason failure(CompletableFuture<QueuePair> connecting) {
        return assertThatThrownBy(() -> await(connecting))
                .cause()
                .isInstanceOf(ConnectionClosedException.class)
                .asInstanceOf(InstanceOfAssertFactories.type(ConnectionClosedException.class))
                .actual()
                .reason();
    }
}
