package io.iwarp.benchmarks;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.openucx.jucx.ucp.UcpConnectionRequest;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpEndpointParams;
import org.openucx.jucx.ucp.UcpListener;
import org.openucx.jucx.ucp.UcpListenerParams;

/** Receives from one client, and tells it when as many messages have come as it has sent. */
final class JucxServer extends Jucx {
    private long received;
    private boolean asked;

    /** Arguments: PORT SIZE. */
    static void run(String[] arguments) throws Exception {
        try (JucxServer server = new JucxServer()) {
            server.serve(Integer.parseInt(arguments[0]), Integer.parseInt(arguments[1]));
        }
    }

    private void serve(int port, int size) throws Exception {
        ArrayDeque<UcpConnectionRequest> clients = new ArrayDeque<>();
        try (UcpListener listener = worker().newListener(new UcpListenerParams()
                .setSockAddr(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                .setConnectionHandler(clients::add))) {
            System.out.println("listening on " + listener.getAddress());
            while (clients.isEmpty()) {
                progress();
            }
            UcpEndpoint client = connect(new UcpEndpointParams().setConnectionRequest(clients.remove()));
            ByteBuffer places = ByteBuffer.allocateDirect(WINDOW * size);
            for (int i = 0; i < WINDOW; i++) {
                receiveInto(places.slice(i * size, size));
            }
            receive(number(), SENT, () -> asked = true);
            while (true) {
                progress();
                if (asked && received >= number().getLong(0)) {
                    asked = false;
                    send(client, number(), RECEIVED, () -> receive(number(), SENT, () -> asked = true));
                }
            }
        }
    }

    private void receiveInto(ByteBuffer place) {
        receive(place, DATA, () -> {
            received++;
            receiveInto(place);
        });
    }
}
