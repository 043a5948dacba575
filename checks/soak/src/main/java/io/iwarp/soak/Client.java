package io.iwarp.soak;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.CompletionListener;
import io.iwarp.verbs.CompletionView;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.EventLoopGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One connection: one or several threads post until the first of them ends it at random, or the server does. What the
 * first thread posted before it closes is sent, unless the stream ends for another reason.
 */
final class Client implements CompletionListener {
    /** Groups in flight; each has its own slot of the memory. */
    static final int WINDOW = 16;

    static final int SLOT = SoakServer.CLIENT_MEMORY / WINDOW;
    static final long TIMEOUT_SECONDS = 60;

    /**
     * Without a quiet period a busy loop of Netty may end without closing its channels, and what they have buffered is
     * lost.
     */
    private static final int QUIET_MILLIS = 20;

    private static final int MAX_GROUPS = 300;
    /** With several posters, connections test the end, which the posters do not await: they are short. */
    private static final int MAX_GROUPS_OF_SEVERAL = 40;

    private final Soak soak;
    private final SoakServer server;
    private final Random random;
    private final ClientEnd end;
    private final List<Poster> posters = new ArrayList<>();
    private final MemoryRegion sink;
    private final ByteBuf source = Unpooled.directBuffer(SoakServer.CLIENT_MEMORY, SoakServer.CLIENT_MEMORY);

    Client(Soak soak, SoakServer server, Random random) {
        this.soak = soak;
        this.server = server;
        this.random = random;
        this.end =
                soak.options().ends().get(random.nextInt(soak.options().ends().size()));
        this.sink = server.clientDomain()
                .region()
                .allocate(UnpooledByteBufAllocator.DEFAULT, SoakServer.CLIENT_MEMORY)
                .rights(AccessRight.LOCAL_WRITE)
                .register();
        for (int i = 0; i < SoakServer.CLIENT_MEMORY; i++) {
            source.writeByte(random.nextInt());
        }
        for (int i = 0; i < soak.options().posters(); i++) {
            posters.add(new Poster(this, i, WINDOW / soak.options().posters(), new Random(random.nextLong())));
        }
    }

    SoakServer server() {
        return server;
    }

    MemoryRegion sink() {
        return sink;
    }

    ByteBuf source() {
        return source;
    }

    void fail(String what) {
        soak.fail(server.transport() + ", " + end + ": " + what);
    }

    /** A group of requests that was posted at a time is complete. */
    void served(long postedNanos) {
        soak.served(server, postedNanos);
    }

    /** A post was refused because the stream has ended. */
    void ended() {
        soak.refused();
    }

    /** Returns how many posts completed. */
    long run() throws Exception {
        EventLoopGroup ownLoop = end == ClientEnd.SHUT_DOWN_LOOP ? server.newGroup(1) : null;
        try {
            QueuePair queuePair = ownLoop == null ? server.connect() : server.connect(ownLoop);
            queuePair.setCompletionListener(this);
            ByteBuf advertised = Unpooled.wrappedBuffer(
                    Objects.requireNonNull(queuePair.parameters()).peerPrivateData());
            RemoteBuffer memory = RemoteBuffer.decode(advertised);
            RemoteBuffer counter = RemoteBuffer.decode(advertised);
            List<Future<?>> others = new ArrayList<>();
            for (Poster other : posters.subList(1, posters.size())) {
                others.add(soak.submit(() -> {
                    other.post(queuePair, memory, counter, Long.MAX_VALUE);
                    return null;
                }));
            }
            int count = random.nextInt(others.isEmpty() ? MAX_GROUPS : MAX_GROUPS_OF_SEVERAL);
            posters.get(0).post(queuePair, memory, counter, count);
            boolean endedByServer = queuePair.closed().isDone();
            end(queuePair, ownLoop);
            CloseReason reason = queuePair.closed().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
            for (Future<?> other : others) {
                other.get(2 * TIMEOUT_SECONDS, TimeUnit.SECONDS);
            }
            posters.forEach(Poster::awaitCompletions);
            soak.ended(endedByServer ? "the server: " + reason.endedBy() : end.toString());
            verify(reason);
            return posters.stream().mapToLong(Poster::completed).sum();
        } finally {
            if (ownLoop != null) {
                shutDown(ownLoop, 0);
            }
            sink.close();
            source.release();
        }
    }

    private void end(QueuePair queuePair, @Nullable EventLoopGroup ownLoop) throws InterruptedException {
        switch (end) {
            case CLOSE -> queuePair.close();
            case ABORT -> queuePair.abort();
            case KILL -> queuePair.channel().close();
            case CLOSE_REGION -> {
                sink.close();
                queuePair.close();
            }
            case SHUT_DOWN_LOOP -> {
                shutDown(Objects.requireNonNull(ownLoop), QUIET_MILLIS);
                queuePair.close();
            }
        }
    }

    private void shutDown(EventLoopGroup loop, long quietMillis) throws InterruptedException {
        long timeout = TimeUnit.SECONDS.toMillis(TIMEOUT_SECONDS);
        if (!loop.shutdownGracefully(quietMillis, timeout, TimeUnit.MILLISECONDS)
                .await(2 * timeout)) {
            fail("the event loop of the client does not end");
        }
    }

    private void verify(CloseReason reason) {
        server.verify(reason, end == ClientEnd.CLOSE_REGION);
        boolean inOrder = end == ClientEnd.CLOSE && reason.endedBy() == EndedBy.LOCAL_APPLICATION;
        if (inOrder && posters.get(0).failed()) {
            fail("a post that was made before close() was not sent, though " + reason);
        }
    }

    /** Event loop. */
    @Override
    public void onCompletion(QueuePair queuePair, CompletionView completion) {
        posters.get(Poster.posterOf(completion.workRequestId())).onCompletion(completion);
    }
}
