package io.iwarp.examples.kv;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.File;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.SSLException;

/** The words and options of a command line: {@code --name value}, or {@code --name} for those without a value. */
record Options(List<String> words, Map<String, String> values) {
    private static final Set<String> TLS = Set.of("cert", "key", "ca");

    /**
     * Splits a command line.
     *
     * @param flags the options without a value
     * @param names the options with a value, beside those of TLS
     */
    static Options parse(String[] arguments, Set<String> flags, Set<String> names) {
        List<String> words = new ArrayList<>();
        Map<String, String> values = new HashMap<>();
        for (int i = 0; i < arguments.length; i++) {
            String name = arguments[i].startsWith("--") ? arguments[i].substring(2) : "";
            if (name.isEmpty()) {
                words.add(arguments[i]);
            } else if (flags.contains(name)) {
                values.put(name, "");
            } else if (!names.contains(name) && !TLS.contains(name)) {
                throw new IllegalArgumentException(
                        "unknown option " + arguments[i] + ": docs/kv-server.md lists the options");
            } else if (i + 1 < arguments.length) {
                values.put(name, arguments[++i]);
            } else {
                throw new IllegalArgumentException("--" + name + " takes a value");
            }
        }
        if (!values.keySet().containsAll(TLS) && values.keySet().stream().anyMatch(TLS::contains)) {
            throw new IllegalArgumentException("--cert, --key and --ca belong together: set all three or none");
        }
        return new Options(words, values);
    }

    boolean has(String name) {
        return values.containsKey(name);
    }

    String text(String name, String otherwise) {
        return values.getOrDefault(name, otherwise);
    }

    /** Returns a number of at most nine digits, which may end with K, M or G. */
    long number(String name, long otherwise) {
        String text = text(name, String.valueOf(otherwise));
        if (!text.matches("\\d{1,9}[KMG]?")) {
            throw new IllegalArgumentException("--" + name + " '" + text + "' is not a number such as 100 or 64M");
        }
        int prefix = "KMG".indexOf(text.charAt(text.length() - 1)) + 1;
        return Long.parseLong(text.replaceFirst("[KMG]", "")) << (prefix * 10);
    }

    /** Returns the server that the first word names. */
    InetSocketAddress server() {
        String address = words.get(0);
        if (!address.matches(".+:\\d{1,5}")) {
            throw new IllegalArgumentException("the server is HOST:PORT, and not '" + address + "'");
        }
        int colon = address.lastIndexOf(':');
        return new InetSocketAddress(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
    }

    /** Returns TLS of a server that admits only clients with a certificate of {@code --ca}; null without options. */
    SslContext serverTls() throws SSLException {
        return has("cert")
                ? SslContextBuilder.forServer(file("cert"), file("key"))
                        .trustManager(file("ca"))
                        .clientAuth(ClientAuth.REQUIRE)
                        .build()
                : null;
    }

    /** Returns TLS of a client that accepts only a server with a certificate of {@code --ca}; null without options. */
    SslContext clientTls() throws SSLException {
        return has("cert")
                ? SslContextBuilder.forClient()
                        .keyManager(file("cert"), file("key"))
                        .trustManager(file("ca"))
                        .build()
                : null;
    }

    private File file(String name) {
        return new File(values.get(name));
    }

    /** Returns text for a terminal: a value that somebody stored must not move the cursor or change colors. */
    static String printable(String text) {
        return text.replaceAll("[\\p{Cc}\\p{Cf}&&[^\t]]", "?");
    }
}
