package io.iwarp.tools.cli;

import io.iwarp.verbs.ConnectionRequest;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Limits the clients of a server and the memory that it allocates for them, in total and for each network address. One
 * address gets at most half of the total, so that one client cannot exclude the others. Thread-safe.
 */
public final class ClientLimits {
    private static final Held NOTHING = new Held(0, 0);

    private final int maxClients;
    private final long maxBytes;
    private final Map<Object, Held> held = new HashMap<>();
    private Held total = NOTHING;

    /** What some clients hold. */
    private record Held(int clients, long bytes) {
        Held plus(int moreClients, long moreBytes) {
            return new Held(clients + moreClients, bytes + moreBytes);
        }
    }

    /**
     * @param maxClients connections at the same time, at least 1
     * @param maxBytes memory for all of them
     */
    public ClientLimits(int maxClients, long maxBytes) {
        this.maxClients = maxClients;
        this.maxBytes = maxBytes;
    }

    /**
     * Admits a client until its connection is closed, or rejects its request with the reason.
     *
     * @param bytes the memory that the server allocates for it
     * @return whether it is admitted
     */
    public boolean admits(ConnectionRequest request, long bytes) {
        SocketAddress client = Objects.requireNonNull(request.remoteAddress(), "a request has an address");
        String refusal = take(client, bytes);
        if (!refusal.isEmpty()) {
            request.reject(refusal);
            return false;
        }
        request.queuePair().channel().closeFuture().addListener(closed -> giveBack(client, bytes));
        return true;
    }

    /** Returns why a client is not admitted; empty if it is. */
    synchronized String take(SocketAddress client, long bytes) {
        Held ofAddress = held.getOrDefault(host(client), NOTHING).plus(1, bytes);
        Held ofAll = total.plus(1, bytes);
        int share = Math.max(1, maxClients / 2);
        if (ofAll.clients > maxClients || ofAddress.clients > share) {
            return "the server has its limit of " + maxClients + " clients, or " + share + " of one address: try again"
                    + " later, or start it with a greater --max-clients";
        }
        if (ofAll.bytes > maxBytes || ofAddress.bytes > maxBytes / 2) {
            return "this connection needs " + Bytes.size(bytes) + ", and the server has a limit of "
                    + Bytes.size(maxBytes) + ", half of it for one address: ask for less or try again later, or start"
                    + " it with a greater --max-memory";
        }
        held.put(host(client), ofAddress);
        total = ofAll;
        return "";
    }

    /** Gives back what {@link #take} took. */
    synchronized void giveBack(SocketAddress client, long bytes) {
        total = total.plus(-1, -bytes);
        held.computeIfPresent(host(client), (host, before) -> before.clients == 1 ? null : before.plus(-1, -bytes));
    }

    private static Object host(SocketAddress client) {
        return client instanceof InetSocketAddress ip ? ip.getAddress() : client;
    }
}
