package io.iwarp.tools.cli;

import io.iwarp.verbs.IwarpListener;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The listen address of a server. */
public final class ListenOptions {
    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = PeerAddress.DEFAULT_PORT,
            description = "The TCP port to listen on; 0 lets the system choose one.")
    private int port;

    @Option(
            names = "--bind",
            paramLabel = "ADDRESS",
            defaultValue = "127.0.0.1",
            description =
                    "The address to listen on. The default accepts connections of this machine only, 0.0.0.0 those of"
                            + " all networks. Clients are not authenticated, unless --ca is set.")
    private String bind;

    @Mixin
    private LimitOptions limits;

    /** Looks the address up. */
    public InetSocketAddress address() throws UnknownHostException {
        OptionCheck.port("--port", port, true);
        return new InetSocketAddress(InetAddress.getByName(bind), port);
    }

    /** Returns how much the clients may take. */
    public LimitOptions limits() {
        return limits;
    }

    /** Returns the line that shows the address of a listener. */
    public static String listening(IwarpListener listener) {
        return "listening on " + addressText(listener.localAddress()) + ", Ctrl-C ends";
    }

    /** Returns for example {@code 127.0.0.1:7471}, without a look-up of the name. */
    public static String addressText(@Nullable SocketAddress address) {
        if (address instanceof InetSocketAddress ip) {
            return NetUtil.toSocketAddressString(new InetSocketAddress(ip.getAddress(), ip.getPort()));
        }
        return String.valueOf(address);
    }
}
