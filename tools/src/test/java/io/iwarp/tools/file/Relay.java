package io.iwarp.tools.file;

import io.iwarp.tools.cli.PeerAddress;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;

/** Takes one connection and passes its bytes on to a server, until it is cut: as if the server was killed. */
final class Relay implements AutoCloseable {
    private final ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    private final CompletableFuture<Socket> client = new CompletableFuture<>();
    private final CompletableFuture<Socket> server = new CompletableFuture<>();

    private Relay(InetSocketAddress target) throws IOException {
        new Thread(() -> run(target), "relay").start();
    }

    static Relay to(String address) throws IOException {
        return new Relay(new PeerAddress.Converter().convert(address).resolve());
    }

    String address() {
        return "127.0.0.1:" + listening.getLocalPort();
    }

    private void run(InetSocketAddress target) {
        try {
            client.complete(listening.accept());
            server.complete(new Socket(target.getAddress(), target.getPort()));
            new Thread(() -> pump(server.join(), client.join()), "relay back").start();
            pump(client.join(), server.join());
        } catch (IOException e) {
            client.completeExceptionally(e);
            server.completeExceptionally(e);
        }
    }

    private static void pump(Socket from, Socket to) {
        try {
            InputStream in = from.getInputStream();
            in.transferTo(to.getOutputStream());
            to.shutdownOutput();
        } catch (IOException e) {
            // The other side has gone, or was cut off: so it ends here.
            assert e != null;
        }
    }

    /** Resets both connections. */
    void cut() throws IOException {
        for (Socket socket : new Socket[] {client.join(), server.join()}) {
            socket.setSoLinger(true, 0);
            socket.close();
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
    }
}
