package io.iwarp.benchmarks;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Locale;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpEndpointParams;

/** Sends messages for a time, and prints a line of JSON: what the server had received at its end. */
final class JucxClient extends Jucx {
    private final ByteBuffer message;
    private final UcpEndpoint server;
    private long sent;
    private int underWay;
    private boolean answered;

    private JucxClient(int port, int size) {
        message = ByteBuffer.allocateDirect(size);
        server = connect(new UcpEndpointParams()
                .setSocketAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)));
    }

    /** Arguments: PORT SIZE WARMUP-SECONDS SECONDS. */
    static void run(String[] arguments) throws Exception {
        int size = Integer.parseInt(arguments[1]);
        try (JucxClient client = new JucxClient(Integer.parseInt(arguments[0]), size)) {
            client.sendFor(Double.parseDouble(arguments[2]));
            long sentBefore = client.sent;
            double seconds = client.sendFor(Double.parseDouble(arguments[3]));
            double rate = (client.sent - sentBefore) / seconds;
            System.out.printf(
                    Locale.ROOT, "{\"bytesPerSecond\":%.0f,\"operationsPerSecond\":%.1f}%n", rate * size, rate);
        }
    }

    /** Returns the seconds until everything that was sent had arrived. */
    private double sendFor(double seconds) throws Exception {
        long begin = System.nanoTime();
        long end = begin + (long) (seconds * 1e9);
        while (System.nanoTime() < end) {
            // A small message is often done at once, and never waits for its turn to be counted.
            for (int i = 0; i < WINDOW && underWay < WINDOW; i++) {
                underWay++;
                sent++;
                send(server, message, DATA, () -> underWay--);
            }
            progress();
        }
        while (underWay > 0) {
            progress();
        }
        answered = false;
        number().putLong(0, sent);
        send(server, number(), SENT, () -> receive(number(), RECEIVED, () -> answered = true));
        while (!answered) {
            progress();
        }
        return (System.nanoTime() - begin) / 1e9;
    }
}
