package io.iwarp.verbs;

import static io.iwarp.verbs.Loopback.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.testing.GoldenVectors;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Segment;
import io.iwarp.testing.SocketPeer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.DataInputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What an initiator puts on the wire, byte for byte. */
class WireTest {
    private static ByteBuf text(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
    }

    private static void expect(DataInputStream in, byte[] bytes) throws Exception {
        assertThat(in.readNBytes(bytes.length)).isEqualTo(bytes);
    }

    @Test
    @Requirement({
        "MPA-9",
        "MPA-19",
        "MPA-33",
        "MPA-64",
        "DDP-30",
        "RDMAP-1",
        "RDMAP-5",
        "RDMAP-9",
        "RDMAP-11",
        "RDMAP-13",
        "RDMAP-14",
        "RDMAP-15",
        "RDMAP-66"
    })
    void operationsLookLikeTheGoldenVectors() throws Exception {
        try (Loopback loopback = new Loopback();
                ProtectionDomain domain = ProtectionDomain.create();
                ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            IwarpChannelInitializer initializer =
                    IwarpChannelInitializer.initiator(domain, QueuePairSettings.DEFAULT, new byte[0], qp -> {});
            CompletableFuture<QueuePair> connecting =
                    new IwarpConnector(loopback.bootstrap(), initializer).connect(server.getLocalSocketAddress());
            try (Socket socket = server.accept()) {
                DataInputStream in = new DataInputStream(socket.getInputStream());
                expect(in, GoldenVectors.bytes("MPA Request rev1 M=0 C=1, no PD"));
                socket.getOutputStream().write(SocketPeer.reply(0x40));
                QueuePair initiator = await(connecting);

                ByteBuf hello = text("hello");
                await(initiator.write(hello, new RemoteBuffer(0x11223344, 0x0102030405060708L, 5)));
                expect(
                        in,
                        GoldenVectors.bytes(
                                "RDMA Write, stag 0x11223344 to 0x0102030405060708 data \"hello\", L=1 (PAD 3)"));
                await(initiator.write(Unpooled.EMPTY_BUFFER, new RemoteBuffer(0, 0, 0)));
                expect(in, GoldenVectors.bytes("RDMA Write zero-length, stag 0 to 0"));
                await(initiator.send(Unpooled.EMPTY_BUFFER));
                expect(in, GoldenVectors.bytes("Send zero-length MSN 1 (RTR style)"));
                for (int msn = 2; msn < 8; msn++) {
                    initiator.send(hello);
                    expect(
                            in,
                            Segment.send(msn, "hello".getBytes(StandardCharsets.US_ASCII))
                                    .fpdu());
                }
                ByteBuf y = text("y");
                initiator.setCompletionListener((qp, completion) -> {});
                initiator.sendQueue().send(8, y, PostOptions.SOLICITED);
                expect(in, GoldenVectors.bytes("Send with SE MSN 8 data \"y\""));
                initiator.close();
                assertThat(in.read()).isEqualTo(-1);
                socket.shutdownOutput();
                await(initiator.closed());
                hello.release();
                y.release();
            }
        }
    }
}
