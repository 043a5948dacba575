package io.iwarp.simulation;

import io.iwarp.CloseReason;
import io.iwarp.Operation;
import io.iwarp.verbs.CompletionView;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What comes back to the application of one side, and what has to be true of it at that moment. */
final class Completions {
    private final End end;
    private final World world;
    private final Plan plan;
    /** Requests in the order of their completions. */
    final List<Post> sendOrder = new ArrayList<>();
    /** Receives in the order of their completions. */
    final List<Post> receiveOrder = new ArrayList<>();
    /** The numbers of the messages that came. */
    final List<Integer> received = new ArrayList<>();

    private final Map<Context, Integer> lastOfPoster = new HashMap<>();
    private boolean receiveFlushed;
    private boolean sendFlushed;
    private int count;
    private long progressAt;
    /** When the application last saw that its completion queue was empty. */
    private long emptyAt;

    Completions(End end) {
        this.end = end;
        this.world = end.world;
        this.plan = end.plan;
    }

    void start() {
        progressAt = world.now();
        emptyAt = world.now();
    }

    int count() {
        return count;
    }

    /** Returns since when the next message may wait. */
    long progressAt() {
        return progressAt;
    }

    void onCompletion(CompletionView completion) {
        Operation operation = completion.operation();
        if (operation == Operation.RECEIVE) {
            onReceive(completion);
        } else {
            Post post = end.requests.posts.get((int) completion.workRequestId());
            boolean found = completion.successful()
                    && (operation == Operation.FETCH_ADD || operation == Operation.COMPARE_SWAP);
            completed(post, completion.successful(), found ? completion.originalValue() : 0);
            if (!completion.successful()) {
                checkReason(completion.failure());
            }
        }
        end.mayThrow();
        if (world.dice.permille(plan.callbackPostPermille)) {
            end.requests.act();
        }
    }

    private boolean once(Post post) {
        count++;
        world.trace().add(world, "completed", end, post);
        if (post.completed || post.refused) {
            world.violated("each post completes once", end + " " + post + " completes again");
            return false;
        }
        post.completed = true;
        end.requests.onCompleted(post);
        return true;
    }

    void completed(Post post, boolean successful, long original) {
        if (!once(post)) {
            return;
        }
        post.successful = successful;
        boolean inOrder = post.poster != null && (end.sends == null || !post.future);
        Integer before = !inOrder ? null : lastOfPoster.put(post.poster, post.id);
        if (before != null && before > post.id) {
            world.violated(
                    "posts complete in order",
                    end + " " + post + " completes behind " + end.requests.posts.get(before));
        }
        if (successful && sendFlushed && !end.requests.orderUnknown()) {
            world.violated("posts complete in order", end + " " + post + " succeeds behind one that was flushed");
        }
        sendFlushed |= !successful;
        sendOrder.add(post);
        if (successful) {
            post.original = original;
            checkRead(post);
        }
        post.letGo();
    }

    private void checkReason(@Nullable CloseReason reason) {
        if (reason == null || !reason.equals(end.queuePair().closeReason())) {
            world.violated(
                    "flushed posts tell the first cause",
                    end + " tells " + reason + ", the stream " + end.queuePair().closeReason());
        }
    }

    private void checkRead(Post post) {
        if (post.kind != Post.Kind.READ || post.length == 0) {
            return;
        }
        ByteBuf sink = post.region == null ? Objects.requireNonNull(post.buffer) : end.regions.localMemory;
        int at = post.region == null ? 0 : (int) post.operand;
        byte[] got = new byte[post.length];
        sink.getBytes(at, got);
        int different = Arrays.mismatch(got, 0, post.length, Regions.SOURCE, post.offset, post.offset + post.length);
        if (different >= 0) {
            world.violated("a Read gets what is there", end + " " + post + " differs at byte " + different);
        }
    }

    private void onReceive(CompletionView completion) {
        int id = (int) completion.workRequestId();
        boolean shared = id >= SharedPool.FIRST_ID;
        ByteBuf buffer = completion.buffer();
        if (end.ownReceives && !shared) {
            Post post = end.requests.posts.get(id);
            if (!once(post)) {
                return;
            }
            post.successful = completion.successful();
            receiveOrder.add(post);
            buffer = post.buffer;
        } else if (shared && end.pool != null) {
            buffer = end.pool.completed(end, id, completion.successful());
        }
        try {
            if (completion.successful()) {
                if (receiveFlushed) {
                    world.violated(
                            "posts complete in order",
                            end + " receive " + id + " succeeds behind one that was flushed");
                }
                onMessage(completion, buffer);
            } else {
                receiveFlushed = true;
                checkReason(completion.failure());
            }
        } finally {
            if (end.ownReceives) {
                end.requests.posts.get(id).letGo();
            } else if (buffer != null) {
                buffer.release();
            }
        }
    }

    /** The completion queue has nothing now; what comes out of it next was delivered later. */
    void sawNothing() {
        emptyAt = world.now();
    }

    private void onMessage(CompletionView completion, @Nullable ByteBuf buffer) {
        // The next message may wait since this one was delivered, which a polled completion tells later.
        progressAt = end.gets == null ? world.now() : emptyAt;
        if (end.ownReceives) {
            end.requests.owe();
        } else if (end.pool != null) {
            end.pool.owe();
        }
        int number;
        if (completion.hasImmediate()) {
            number = (int) completion.immediate();
        } else {
            int length = (int) completion.bytes();
            if (buffer == null || buffer.readableBytes() != length) {
                world.violated("a message is whole", end + " got " + buffer + " for " + length + " bytes");
                return;
            }
            number = buffer.getInt(0);
            checkMessage(number, buffer, length);
        }
        received.add(number);
        end.sharing.onMessage(completion.invalidatedStag());
    }

    private void checkMessage(int number, ByteBuf buffer, int length) {
        if (number < 0
                || number >= end.other().requests.posts.size()
                || end.other().requests.posts.get(number).length != length) {
            world.violated("a message is whole", end + " got " + length + " bytes with number " + number);
            return;
        }
        byte[] text = new byte[length - Integer.BYTES];
        buffer.getBytes(Integer.BYTES, text);
        int different = Arrays.mismatch(text, MemoryModel.pattern(number, Integer.BYTES, text.length));
        if (different >= 0) {
            world.violated("a message is whole", end + " message " + number + " differs at byte " + different);
        }
    }
}
