package io.iwarp.spark;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;

/** An attacker between two executors, who reads all bytes and changes those of the listening side. */
final class Relay implements AutoCloseable {
    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final ByteArrayOutputStream seen = new ByteArrayOutputStream();
    private volatile UnaryOperator<byte[]> change = UnaryOperator.identity();

    /** @param target the port of the listening side */
    Relay(int target) throws IOException {
        start(() -> {
            while (true) {
                Socket near = listener.accept();
                Socket far = new Socket(InetAddress.getLoopbackAddress(), target);
                sockets.addAll(List.of(near, far));
                start(() -> copy(near, far, false));
                start(() -> copy(far, near, true));
            }
        });
    }

    private interface Work {
        void run() throws IOException;
    }

    private static void start(Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException closed) {
                        // One of the sides, or this, has closed a socket.
                    }
                },
                "relay");
        thread.setDaemon(true);
        thread.start();
    }

    private void copy(Socket from, Socket to, boolean changes) throws IOException {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] buffer = new byte[1 << 16];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                byte[] chunk = Arrays.copyOf(buffer, read);
                synchronized (seen) {
                    seen.writeBytes(chunk);
                }
                out.write(changes ? change.apply(chunk) : chunk);
            }
        }
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Changes each chunk that the listening side sends after this call. */
    void change(UnaryOperator<byte[]> by) {
        change = by;
    }

    /** Returns all bytes of both sides. */
    String seen() {
        synchronized (seen) {
            return seen.toString(StandardCharsets.ISO_8859_1);
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
