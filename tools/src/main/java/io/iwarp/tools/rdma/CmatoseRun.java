package io.iwarp.tools.rdma;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.EndedBy;
import io.iwarp.mpa.MpaParameters;
import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.ListenOptions;
import io.iwarp.tools.cli.Output;
import io.iwarp.verbs.Completion;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One run of {@link Cmatose}, at either end. Its methods block.
 *
 * @param connections how many
 * @param count messages over each of them, in each direction
 * @param size bytes of each message
 */
record CmatoseRun(Endpoint endpoint, QueuePairSettings settings, int connections, int count, int size, Output out) {
    /** One connection, with all its receives posted. */
    private final class Node {
        private final QueuePair queuePair;
        private final List<CompletableFuture<Completion>> received = new ArrayList<>();
        private final List<CompletableFuture<Completion>> sent = new ArrayList<>();

        Node(QueuePair queuePair) {
            this.queuePair = queuePair;
            for (int i = 0; i < count; i++) {
                received.add(queuePair.receive(Unpooled.buffer(size, size)));
            }
        }

        void send() {
            ByteBuf message = Unpooled.buffer(size, size).writeZero(size);
            for (int i = 0; i < count; i++) {
                sent.add(queuePair.send(message));
            }
        }

        void awaitSent() throws IOException, InterruptedException {
            for (CompletableFuture<Completion> one : sent) {
                Endpoint.await(one);
            }
        }

        void awaitReceived() throws IOException, InterruptedException {
            for (CompletableFuture<Completion> one : received) {
                long bytes = Endpoint.await(one).bytes();
                if (bytes != size) {
                    throw new CommandFailedException(
                            "a message has " + bytes + " bytes instead of " + size + ": give both ends the same -S");
                }
            }
        }
    }

    /** Waits for the connections, sends, receives, and ends them. */
    void server(InetSocketAddress address) throws IOException, InterruptedException {
        out.line("cmatose: starting server");
        BlockingQueue<Node> accepted = new LinkedBlockingQueue<>();
        AtomicInteger left = new AtomicInteger(connections);
        try (IwarpListener listener =
                endpoint.listen(address, settings, request -> onConnectionRequest(request, left, accepted))) {
            out.line(ListenOptions.listening(listener));
            List<Node> nodes = new ArrayList<>();
            while (nodes.size() < connections) {
                Node node = accepted.poll(Endpoint.patienceSeconds(), TimeUnit.SECONDS);
                if (node == null) {
                    throw new CommandFailedException("only " + nodes.size() + " of " + connections
                            + " connections were made: give both ends the same -c");
                }
                requirePeerToPeer(node.queuePair);
                Endpoint.await(node.queuePair.ready());
                nodes.add(node);
            }
            out.line("initiating data transfers");
            exchange(nodes);
            out.line("cmatose: disconnecting");
            Endpoint.close(nodes.stream().map(node -> node.queuePair).toList());
            out.line("disconnected");
        }
    }

    private void onConnectionRequest(ConnectionRequest request, AtomicInteger left, BlockingQueue<Node> accepted) {
        if (left.getAndDecrement() <= 0) {
            request.reject("there are as many connections as -c says".getBytes(StandardCharsets.US_ASCII));
            return;
        }
        Node node = new Node(request.queuePair());
        request.accept();
        accepted.add(node);
    }

    /** Rejects other set-ups, in which both ends would wait for the first message of the other. */
    private static void requirePeerToPeer(QueuePair queuePair) {
        MpaParameters agreed = queuePair.parameters();
        if (agreed == null || !agreed.peerToPeer()) {
            throw new CommandFailedException(
                    "the client did not request the peer-to-peer set-up, so this server must not"
                            + " send first: use 'iwarp cmatose -s', or ucmatose on a device with peer-to-peer set-up");
        }
    }

    private void exchange(List<Node> nodes) throws IOException, InterruptedException {
        nodes.forEach(Node::send);
        out.line("completing sends");
        for (Node node : nodes) {
            node.awaitSent();
        }
        out.line("receiving data transfers");
        for (Node node : nodes) {
            node.awaitReceived();
        }
        out.line("data transfers complete");
    }

    /** Makes the connections, receives, sends, and waits until the server ends them. */
    void client(InetSocketAddress server) throws IOException, InterruptedException {
        out.line("cmatose: starting client");
        out.line("cmatose: connecting");
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            List<Node> fresh = new ArrayList<>();
            endpoint.connect(server, settings, new byte[0], queuePair -> fresh.add(new Node(queuePair)));
            // The last one: a server that knows no enhanced set-up is asked a second time.
            nodes.add(fresh.get(fresh.size() - 1));
        }
        out.line("receiving data transfers");
        for (Node node : nodes) {
            node.awaitReceived();
        }
        out.line("sending replies");
        nodes.forEach(Node::send);
        for (Node node : nodes) {
            node.awaitSent();
        }
        requireClosedByServer(nodes);
        out.line("data transfers complete");
    }

    /** The server closes a connection when it has all replies: any other end means that some may be lost. */
    private static void requireClosedByServer(List<Node> nodes) throws IOException, InterruptedException {
        for (Node node : nodes) {
            CloseReason end = Endpoint.await(node.queuePair.closed());
            if (end.endedBy() != EndedBy.PEER_CLOSED) {
                throw new ConnectionClosedException(end);
            }
        }
    }
}
