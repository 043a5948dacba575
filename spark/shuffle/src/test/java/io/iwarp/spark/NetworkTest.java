package io.iwarp.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.memory.ProtectionDomain;
import io.iwarp.verbs.QueuePair;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Connections to raw peers, over TCP. */
class NetworkTest {
    private static final int PEERS = 3;
    private static final int HEADER = 20;

    /**
     * Each peer closes its side when all have received the close of this side, so a connection closes earlier only by
     * an abort.
     */
    @Test
    void anOpenPeerDelaysNoOtherClose() throws Exception {
        List<QueuePair> connections = new CopyOnWriteArrayList<>();
        CompletableFuture<Boolean> noneAborted = new CompletableFuture<>();
        CyclicBarrier allEnd = new CyclicBarrier(
                PEERS,
                () -> noneAborted.complete(connections.stream()
                        .allMatch(connection -> connection.channel().isOpen())));
        try (ProtectionDomain domain = ProtectionDomain.create();
                ServerSocket listener = new ServerSocket(0, PEERS, InetAddress.getLoopbackAddress())) {
            Network network = new Network(ShuffleSettings.from(TwoNodes.settings()), domain, null);
            PeerAddress address = new PeerAddress("127.0.0.1", listener.getLocalPort(), "");
            for (int peer = 0; peer < PEERS; peer++) {
                var connection = network.connect(address, new byte[0]);
                Socket socket = listener.accept();
                accept(socket);
                connections.add(connection.get(1, TimeUnit.MINUTES));
                new Thread(() -> end(socket, allEnd)).start();
            }

            network.close();

            assertThat(noneAborted).succeedsWithin(1, TimeUnit.MINUTES).isEqualTo(true);
            network.terminate();
        }
    }

    private static void accept(Socket socket) throws IOException {
        socket.getInputStream().readNBytes(HEADER);
        socket.getOutputStream().write("MPA ID Rep Frame@\u0001\0\0".getBytes(StandardCharsets.ISO_8859_1));
    }

    private static void end(Socket socket, CyclicBarrier allEnd) {
        try (socket) {
            socket.getInputStream().readAllBytes();
            allEnd.await(1, TimeUnit.MINUTES);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
