package io.iwarp.conformance.judge;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;

/** Connects to a server. */
public final class ServerLink implements Link {
    private final InetSocketAddress address;

    /** @param address resolved */
    public ServerLink(InetSocketAddress address) {
        this.address = address;
    }

    @Override
    public Socket connect(int size, int receiveBuffer, Duration patience) throws IOException {
        Socket socket = new Socket();
        try {
            if (receiveBuffer > 0) {
                socket.setReceiveBufferSize(receiveBuffer);
            }
            socket.connect(address, (int) patience.toMillis());
            return socket;
        } catch (ConnectException e) {
            socket.close();
            ConnectException named = new ConnectException(name() + ": " + e.getMessage());
            named.initCause(e);
            throw named;
        } catch (SocketTimeoutException e) {
            socket.close();
            throw new IOException(
                    name() + " takes no connection within " + patience.toMillis()
                            + " ms: check the address, and whether a firewall is in between, or give it more time with"
                            + " --patience",
                    e);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** Returns the address without the slash before an address that has no name. */
    private String name() {
        return address.toString().replaceFirst("^/", "");
    }

    @Override
    public void close() {}
}
