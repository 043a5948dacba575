package io.iwarp.conformance.judge;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;

/** Connects to a server. */
public final class ServerLink implements Link {
    private final InetSocketAddress address;

    /** @param address resolved */
    public ServerLink(InetSocketAddress address) {
        this.address = address;
    }

    @Override
    public Socket connect(int size, Duration patience) throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(address, (int) patience.toMillis());
            return socket;
        } catch (ConnectException e) {
            socket.close();
            ConnectException named = new ConnectException(address + ": " + e.getMessage());
            named.initCause(e);
            throw named;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    @Override
    public void close() {}
}
