package io.iwarp.tools.perf;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.Map;

/** Limits the bytes that the connections of one client hold together. A client is a network address. Thread-safe. */
final class ClientBudget {
    private final long limit;
    private final Map<Object, Long> held = new HashMap<>();

    /** @param limit bytes for each client */
    ClientBudget(long limit) {
        this.limit = limit;
    }

    /** Takes bytes for a connection from an address. Returns whether the limit allows it. */
    synchronized boolean take(SocketAddress client, long bytes) {
        long before = held.getOrDefault(host(client), 0L);
        if (bytes > limit - before) {
            return false;
        }
        held.put(host(client), before + bytes);
        return true;
    }

    /** Gives back what {@link #take} took. */
    synchronized void giveBack(SocketAddress client, long bytes) {
        held.computeIfPresent(host(client), (host, before) -> before == bytes ? null : before - bytes);
    }

    private static Object host(SocketAddress client) {
        return client instanceof InetSocketAddress ip ? ip.getAddress() : client;
    }
}
