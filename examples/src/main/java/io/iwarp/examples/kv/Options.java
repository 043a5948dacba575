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
    static Options parse(String[] arguments, String... withoutValue) {
        Set<String> flags = Set.of(withoutValue);
        List<String> words = new ArrayList<>();
        Map<String, String> values = new HashMap<>();
        for (int i = 0; i < arguments.length; i++) {
            String name = arguments[i].startsWith("--") ? arguments[i].substring(2) : "";
            if (name.isEmpty()) {
                words.add(arguments[i]);
            } else if (flags.contains(name)) {
                values.put(name, "");
            } else if (i + 1 < arguments.length) {
                values.put(name, arguments[++i]);
            } else {
                throw new IllegalArgumentException("--" + name + " takes a value");
            }
        }
        return new Options(words, values);
    }

    boolean has(String name) {
        return values.containsKey(name);
    }

    String text(String name, String otherwise) {
        return values.getOrDefault(name, otherwise);
    }

    /** Returns a number, which may end with K, M or G. */
    long number(String name, long otherwise) {
        String text = text(name, String.valueOf(otherwise));
        int prefix = "KMG".indexOf(text.charAt(text.length() - 1)) + 1;
        try {
            return Long.parseLong(prefix == 0 ? text : text.substring(0, text.length() - 1)) << (prefix * 10);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("--" + name + " " + text + " is not a number", e);
        }
    }

    /** Returns the server that the first word names. */
    InetSocketAddress server() {
        String address = words.get(0);
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
        if (!has(name)) {
            throw new IllegalArgumentException("--cert, --key and --ca belong together: set all three or none");
        }
        return new File(values.get(name));
    }

    /** Returns text for a terminal: a value that somebody stored must not move the cursor or change colors. */
    static String printable(String text) {
        return text.replaceAll("[\\p{Cc}\\p{Cf}&&[^\t]]", "?");
    }
}
