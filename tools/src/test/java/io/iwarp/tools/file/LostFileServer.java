package io.iwarp.tools.file;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.tools.PlainEndpoint;
import io.iwarp.tools.cli.Conversation;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.ListenOptions;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * A file server that is lost: it grants memory for one piece, takes some pieces, and then cuts the connection as the
 * end of its process would.
 */
final class LostFileServer implements AutoCloseable {
    private static final int SLOT = 4096;

    private final Endpoint endpoint = PlainEndpoint.open();
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final int pieces;
    private final Runnable betweenPieces;
    private final IwarpListener listener;

    private LostFileServer(int pieces, Runnable betweenPieces) throws Exception {
        this.pieces = pieces;
        this.betweenPieces = betweenPieces;
        listener = endpoint.listen(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                QueuePairSettings.builder().build(),
                this::onConnectionRequest);
    }

    static LostFileServer start(int pieces) throws Exception {
        return start(pieces, () -> {});
    }

    /** @param betweenPieces runs before the credit for each piece but the last */
    static LostFileServer start(int pieces, Runnable betweenPieces) throws Exception {
        return new LostFileServer(pieces, betweenPieces);
    }

    String address() {
        return ListenOptions.addressText(listener.localAddress());
    }

    private void onConnectionRequest(ConnectionRequest request) {
        Conversation conversation = new Conversation();
        conversation.attach(request.queuePair());
        thread.execute(() -> serve(conversation));
        request.accept(FileServe.PROTOCOL.request());
    }

    private void serve(Conversation conversation) {
        try (MemoryRegion memory = endpoint.domain()
                .region()
                .allocate(ByteBufAllocator.DEFAULT, SLOT)
                .rights(AccessRight.REMOTE_WRITE)
                .register()) {
            FileMessage.decode(conversation.receive());
            conversation.send(new FileMessage.Grant(SLOT, memory.remoteBuffer()).encode());
            for (int piece = 0; piece < pieces; piece++) {
                if (piece > 0) {
                    betweenPieces.run();
                    conversation.send(new FileMessage.Credit(piece - 1).encode());
                }
                FileMessage.decode(conversation.receive());
            }
            conversation.queuePair().channel().close();
            Endpoint.await(conversation.queuePair().closed());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        thread.shutdown();
        try {
            thread.awaitTermination(Endpoint.patienceSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        endpoint.close();
    }
}
