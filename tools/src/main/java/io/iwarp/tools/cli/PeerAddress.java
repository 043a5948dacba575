package io.iwarp.tools.cli;

import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A server address on the command line.
 *
 * @param host a name or an address
 * @param port 1 to 65535
 */
public record PeerAddress(String host, int port) {
    /** How an address is written. */
    public static final String LABEL = "HOST[:PORT]";

    /** The port of a server without {@code --port}, and of an address without a port. */
    public static final String DEFAULT_PORT = "7471";

    /** What the help of a command says of an address without a port. */
    public static final String HELP = " The default port is " + DEFAULT_PORT + ".";

    private static final Pattern HOST_AND_PORT =
            Pattern.compile("(\\[[0-9A-Fa-f:.%\\w]+\\]|[^:\\[\\]\\s]+)(?::(\\d{1,5}))?");

    /** Reads {@code host}, {@code host:port}, {@code 192.0.2.1:7471} and {@code [::1]:7471}. */
    public static final class Converter implements ITypeConverter<PeerAddress> {
        @Override
        public PeerAddress convert(String text) {
            Matcher address = HOST_AND_PORT.matcher(text);
            int port = address.matches()
                    ? Integer.parseInt(Objects.requireNonNullElse(address.group(2), DEFAULT_PORT))
                    : 0;
            if (port < 1 || port > OptionCheck.MAX_PORT) {
                throw new TypeConversionException("'" + text + "' is not an address: write " + LABEL
                        + " with a port of 1 to " + OptionCheck.MAX_PORT);
            }
            return new PeerAddress(address.group(1), port);
        }
    }

    /** Looks the name up. */
    public InetSocketAddress resolve() throws UnknownHostException {
        InetSocketAddress address = new InetSocketAddress(host.replaceAll("[\\[\\]]", ""), port);
        if (address.isUnresolved()) {
            throw new UnknownHostException(host);
        }
        return address;
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
