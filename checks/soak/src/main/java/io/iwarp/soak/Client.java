package io.iwarp.soak;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.Completion;
import io.iwarp.verbs.CompletionListener;
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
 * One connection of a lane: one or several threads post until the first of them ends it at random, or the server does.
 * What the first thread posted before it closes is sent, unless the stream ends for another reason.
 */
final class Client implements CompletionListener {
    /** Groups under way at a time; each has a slot of the memory of its own. */
    static final int WINDOW = 16;

    static final int SLOT = Lane.MEMORY / WINDOW;
    static final long PATIENCE_SECONDS = 60;

    /**
     * Without a quiet time a busy loop of Netty may end without closing its channels, and what they have buffered is
     * lost.
     */
    private static final int QUIET_MILLIS = 20;

    private static final int MAX_GROUPS = 300;
    /** With several posters a connection is for its end, which they do not wait for. */
    private static final int MAX_GROUPS_OF_SEVERAL = 40;

    /** How a client may end its connection. */
    private enum End {
        CLOSE,
        ABORT,
        KILL,
        CLOSE_REGION,
        SHUT_DOWN_LOOP
    }

    private final Soak soak;
    private final Lane lane;
    private final Random random;
    private final End end;
    private final List<Poster> posters = new ArrayList<>();
    private final MemoryRegion sink;
    private final ByteBuf source = Unpooled.directBuffer(Lane.MEMORY, Lane.MEMORY);

    Client(Soak soak, Lane lane, Random random) {
        this.soak = soak;
        this.lane = lane;
        this.random = random;
        this.end = End.values()[random.nextInt(End.values().length)];
        this.sink = lane.clientDomain()
                .region()
                .allocate(UnpooledByteBufAllocator.DEFAULT, Lane.MEMORY)
                .rights(AccessRight.LOCAL_WRITE)
                .register();
        for (int i = 0; i < Lane.MEMORY; i++) {
            source.writeByte(random.nextInt());
        }
        for (int i = 0; i < soak.posters(); i++) {
            posters.add(new Poster(this, i, WINDOW / soak.posters(), new Random(random.nextLong())));
        }
    }

    Lane lane() {
        return lane;
    }

    MemoryRegion sink() {
        return sink;
    }

    ByteBuf source() {
        return source;
    }

    void complain(String what) {
        soak.complain(lane.name() + ", " + end + ": " + what);
    }

    /** A poster was refused as the stream is over. */
    void ended() {
        soak.refused();
    }

    /** Returns how many posts completed. */
    long run() throws Exception {
        EventLoopGroup ownLoop = end == End.SHUT_DOWN_LOOP ? lane.newGroup(1) : null;
        try {
            QueuePair queuePair = ownLoop == null ? lane.connect() : lane.connect(ownLoop);
            queuePair.completionListener(this);
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
            CloseReason reason = queuePair.closed().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            for (Future<?> other : others) {
                other.get(2 * PATIENCE_SECONDS, TimeUnit.SECONDS);
            }
            posters.forEach(Poster::awaitCompletions);
            soak.ended(endedByServer ? "the server: " + reason.endedBy() : end.toString());
            judge(reason);
            return posters.stream().mapToLong(Poster::completed).sum();
        } finally {
            if (ownLoop != null) {
                ownLoop.shutdownGracefully(0, PATIENCE_SECONDS, TimeUnit.SECONDS)
                        .sync();
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
                Objects.requireNonNull(ownLoop)
                        .shutdownGracefully(
                                QUIET_MILLIS, TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS), TimeUnit.MILLISECONDS)
                        .sync();
                queuePair.close();
            }
        }
    }

    private void judge(CloseReason reason) {
        boolean inOrder = end == End.CLOSE && reason.endedBy() == EndedBy.LOCAL_APPLICATION;
        if (inOrder && posters.get(0).failed()) {
            complain("a post that was made before close() was not sent, though " + reason);
        }
    }

    /** Event loop. */
    @Override
    public void onCompletion(QueuePair queuePair, Completion completion) {
        posters.get(Poster.posterOf(completion.workRequestId())).onCompletion(completion);
    }
}
