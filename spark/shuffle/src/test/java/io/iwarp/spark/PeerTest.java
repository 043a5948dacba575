package io.iwarp.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** When a peer is connected to, under virtual time. */
class PeerTest {
    private static final int CONNECTIONS = 2;

    private final List<CompletableFuture<Session>> attempts = new ArrayList<>();
    private long now;

    private final Peer peer = new Peer(this::connect, CONNECTIONS, () -> now);

    private CompletableFuture<Session> connect() {
        CompletableFuture<Session> attempt = new CompletableFuture<>();
        attempts.add(attempt);
        return attempt;
    }

    @Test
    void connectionsTakeTurnsAndAttemptsAreShared() {
        CompletableFuture<Session> first = peer.session();
        CompletableFuture<Session> second = peer.session();

        assertThat(second).isNotSameAs(first);
        assertThat(peer.session()).isSameAs(first);
        assertThat(peer.session()).isSameAs(second);
        assertThat(attempts).hasSize(CONNECTIONS);
    }

    @Test
    void afterAFailureThereIsAPause() {
        Peer single = new Peer(this::connect, 1, () -> now);
        CompletableFuture<Session> failed = single.session();
        now += Peer.PAUSE.toNanos();
        failed.completeExceptionally(new IOException("connection refused"));

        now += Peer.PAUSE.toNanos() - 1;
        assertThat(single.session()).isSameAs(failed);
        assertThat(attempts).hasSize(1);

        now++;
        assertThat(single.session()).isNotSameAs(failed);
        assertThat(attempts).hasSize(2);
    }
}
