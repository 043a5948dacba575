package io.iwarp.simulation;

import static io.iwarp.verbs.CompareSwap.compare;

import io.iwarp.ConnectionClosedException;
import io.iwarp.ConnectionState;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.FetchAdd;
import io.iwarp.verbs.ImmediateData;
import io.iwarp.verbs.PostOptions;
import io.iwarp.verbs.QueueFullException;
import io.iwarp.verbs.SendQueue;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What the application of one side posts, and what it may not post. */
final class Requests {
    private static final int RECEIVE_BYTES = 2048;
    /** The longest Read into a part of a region. */
    private static final int SINK_BYTES = 2000;

    private static final int SINKS = Regions.BYTES / SINK_BYTES;

    private final End end;
    private final World world;
    private final Plan plan;
    /** All of them; the index is the id. */
    final List<Post> posts = new ArrayList<>();

    private int credits;
    private int owed;
    private int pending;
    private int lastSink;
    /** Something completed before a listener could see it. */
    private boolean orderUnknown;

    Requests(End end) {
        this.end = end;
        this.world = end.world;
        this.plan = end.plan;
        credits = plan.initialReceives;
    }

    boolean orderUnknown() {
        return orderUnknown;
    }

    /** A message has used up a receive. */
    void owe() {
        owed++;
    }

    /** One thing that an application does; by one of its threads, or within a callback. */
    void act() {
        if (world.dice.permille(plan.closePermille)) {
            end.close();
            return;
        }
        if (world.dice.permille(plan.pausePermille)) {
            end.pause();
            return;
        }
        if (plan.trouble.has(Trouble.Kind.SHARED_SOURCES) && world.dice.permille(400)) {
            postSharedWrite();
            return;
        }
        if (plan.trouble.has(Trouble.Kind.WINDOWS) && world.dice.permille(400)) {
            postThroughWindow();
            return;
        }
        int kind = plan.readsOnly ? 4 : world.dice.below(9);
        switch (kind) {
            case 0, 1 -> postSend(false);
            case 2 -> postWrite(false);
            case 3 -> postWrite(true);
            case 4, 5, 6, 7 -> {
                if (end.settings.mpa().ord() == 0 || end.other().settings.mpa().ird() == 0) {
                    // Nothing with a response: posting it is an error that ends the stream.
                    return;
                }
                if (kind < 6) {
                    postRead();
                } else {
                    postAtomic(kind == 6);
                }
            }
            default -> postSend(true);
        }
    }

    private void postSharedWrite() {
        int length = 1 + world.dice.below(Sharing.MAX);
        int at = world.dice.below(Sharing.BYTES - length);
        RemoteBuffer to = end.other().sharing.shared(world.dice.below(Sharing.BYTES - length), length);
        Post post = newPost(Post.Kind.SHARED_WRITE, length);
        postWithId(post, () -> {
            SendQueue queue = end.queuePair().sendQueue();
            MemoryRegion region = end.sharing.region();
            if (plan.trouble.dice.permille(500)) {
                queue.write(post.id, region.slice(at, length), to, PostOptions.NONE);
                return;
            }
            ByteBuf view = region.view(at, length);
            try {
                queue.write(post.id, view, to, PostOptions.NONE);
            } finally {
                view.release();
            }
        });
    }

    /** A Write through the peer's window, and a Send that invalidates it. Then the peer binds another. */
    private void postThroughWindow() {
        if (!mayMessage()) {
            return;
        }
        RemoteBuffer window = end.other().sharing.takeWindow();
        if (window == null) {
            giveCreditBack();
            return;
        }
        Post write = newPost(Post.Kind.WRITE, world.dice.below(plan.largest));
        write.offset = world.dice.below(Regions.BYTES - write.length);
        ByteBuf bytes = payload(write, write.length);
        write.buffer = bytes;
        RemoteBuffer to = window.slice(write.offset, write.length);
        postWithId(write, () -> end.queuePair().sendQueue().write(write.id, bytes, to, PostOptions.NONE));
        Post send = newPost(Post.Kind.SEND, 4 + world.dice.below(Plan.SEND_LIMIT));
        ByteBuf message = payload(send, send.length).setInt(0, send.id);
        send.buffer = message;
        PostOptions options = options();
        postWithId(send, () -> end.queuePair().sendQueue().sendWithInvalidate(send.id, message, window, options));
        if (send.refused) {
            end.other().sharing.offerWindow();
        }
    }

    private Post newPost(Post.Kind kind, int length) {
        Post post = new Post(posts.size(), kind, world.current());
        post.length = length;
        post.beforeClose = !end.closing();
        posts.add(post);
        world.trace().add(world, "posts", end, post);
        return post;
    }

    private ByteBuf payload(Post post, int length) {
        ByteBuf buffer = end.allocator.directBuffer(Math.max(1, length), Math.max(1, length));
        buffer.writeBytes(MemoryModel.pattern(post.id, 0, length));
        return buffer;
    }

    private PostOptions options() {
        boolean fenced = world.dice.permille(100);
        if (plan.solicitedEvents) {
            return fenced ? PostOptions.SOLICITED_AND_FENCE : PostOptions.SOLICITED;
        }
        return fenced ? PostOptions.FENCE : PostOptions.NONE;
    }

    /** Without a wait at the peer a message that finds no receive ends the stream, so the application counts them. */
    private boolean mayMessage() {
        if (plan.receiveTimeout > 0) {
            return true;
        }
        if (end.other().requests.credits == 0 || !end.other().ownReceives) {
            return false;
        }
        end.other().requests.credits--;
        return true;
    }

    private void giveCreditBack() {
        if (plan.receiveTimeout == 0) {
            end.other().requests.credits++;
        }
    }

    private void postSend(boolean immediate) {
        if (!mayMessage()) {
            return;
        }
        Post post = newPost(
                immediate ? Post.Kind.IMMEDIATE : Post.Kind.SEND,
                immediate ? 8 : 4 + world.dice.below(Plan.SEND_LIMIT));
        PostOptions options = options();
        if (immediate) {
            post(
                    post,
                    () -> end.queuePair().sendQueue().sendImmediate(post.id, new ImmediateData(post.id), options),
                    () -> end.queuePair().sendImmediate(new ImmediateData(post.id), options));
            return;
        }
        ByteBuf buffer = payload(post, post.length).setInt(0, post.id);
        post.buffer = buffer;
        post(
                post,
                () -> end.queuePair().sendQueue().send(post.id, buffer, options),
                () -> end.queuePair().send(buffer, options));
    }

    private void postWrite(boolean immediate) {
        if (immediate && !mayMessage()) {
            return;
        }
        int length = world.dice.below(plan.largest);
        Post post = newPost(immediate ? Post.Kind.WRITE_WITH_IMMEDIATE : Post.Kind.WRITE, length);
        post.offset = world.dice.below(Regions.BYTES - length);
        ByteBuf buffer = payload(post, length);
        post.buffer = buffer;
        RemoteBuffer to = end.other().regions.targetAddress().slice(post.offset, length);
        PostOptions options = options();
        if (immediate) {
            post(
                    post,
                    () -> end.queuePair()
                            .sendQueue()
                            .writeWithImmediate(post.id, buffer, to, new ImmediateData(post.id), options),
                    () -> end.queuePair().writeWithImmediate(buffer, to, new ImmediateData(post.id), options));
        } else {
            post(
                    post,
                    () -> end.queuePair().sendQueue().write(post.id, buffer, to, options),
                    () -> end.queuePair().write(buffer, to, options));
        }
    }

    private void postRead() {
        int length = plan.fullWindows ? plan.largest - world.dice.below(1000) : world.dice.below(plan.largest);
        Post post = newPost(Post.Kind.READ, length);
        post.offset = world.dice.below(Regions.BYTES - length);
        RemoteBuffer from = end.other().regions.sourceAddress().slice(post.offset, length);
        PostOptions options = options();
        int at = length <= SINK_BYTES && end.regions.local.isValid() && world.dice.permille(500) ? freeSink() : -1;
        if (at >= 0) {
            post.region = end.regions.local;
            post.operand = at;
            post(
                    post,
                    () -> end.queuePair().sendQueue().read(post.id, end.regions.local.slice(at, length), from, options),
                    () -> end.queuePair().read(end.regions.local.slice(at, length), from, options));
            return;
        }
        ByteBuf sink = end.allocator.directBuffer(Math.max(1, length), Math.max(1, length));
        if (length == 0) {
            sink.writerIndex(1);
        }
        post.buffer = sink;
        postRead(post, sink, from, options);
        if (length == 0) {
            // Nothing of it is looked at later.
            post.letGo();
        }
    }

    private void postRead(Post post, ByteBuf sink, RemoteBuffer from, PostOptions options) {
        post(
                post,
                () -> end.queuePair().sendQueue().read(post.id, sink, from, options),
                () -> end.queuePair().read(sink, from, options));
    }

    /** Returns a place in the local region that no Read fills until its completion was looked at, or -1. */
    private int freeSink() {
        boolean[] taken = new boolean[SINKS];
        for (Post post : posts) {
            if (post.region != null && !post.completed && !post.refused) {
                taken[(int) post.operand / SINK_BYTES] = true;
            }
        }
        for (int i = 0; i < SINKS; i++) {
            lastSink = (lastSink + 1) % SINKS;
            if (!taken[lastSink]) {
                return lastSink * SINK_BYTES;
            }
        }
        return -1;
    }

    private void postAtomic(boolean add) {
        Post post = newPost(add ? Post.Kind.FETCH_ADD : Post.Kind.COMPARE_SWAP, Long.BYTES);
        post.offset = world.dice.below(Regions.NUMBERS) * Long.BYTES;
        post.operand = 1L + world.dice.below(5);
        post.expected = world.dice.below(5);
        RemoteBuffer at = end.other().regions.numbersAddress().slice(post.offset, Long.BYTES);
        PostOptions options = options();
        if (add) {
            post(
                    post,
                    () -> end.queuePair().sendQueue().fetchAdd(post.id, at, FetchAdd.add(post.operand), options),
                    () -> end.queuePair().fetchAdd(at, FetchAdd.add(post.operand), options));
        } else {
            post(
                    post,
                    () -> end.queuePair()
                            .sendQueue()
                            .compareSwap(post.id, at, compare(post.expected).swap(post.operand), options),
                    () -> end.queuePair().compareSwap(at, compare(post.expected).swap(post.operand), options));
        }
    }

    private interface FuturePost {
        CompletableFuture<?> post();
    }

    private void post(Post post, Runnable withId, FuturePost withFuture) {
        if (world.dice.permille(plan.futurePermille)) {
            postFuture(post, withFuture);
            return;
        }
        postWithId(post, withId);
    }

    private void postWithId(Post post, Runnable withId) {
        try {
            withId.run();
        } catch (RuntimeException | OutOfMemoryError e) {
            refused(post, e);
            return;
        }
        returned(post);
    }

    /** On a queue pair that takes no requests the future has failed already, and nothing was posted. */
    private void postFuture(Post post, FuturePost withFuture) {
        boolean open = end.queuePair().state().compareTo(ConnectionState.READY) <= 0;
        CompletableFuture<?> future;
        try {
            future = withFuture.post();
        } catch (RuntimeException | OutOfMemoryError e) {
            refused(post, e);
            return;
        }
        Throwable failure =
                future.isDone() ? future.handle((result, why) -> why).join() : null;
        if (failure instanceof QueueFullException) {
            refused(post, failure);
            return;
        }
        if (failure != null) {
            // Refused; or posted, perhaps sent, and flushed before the call had returned.
            orderUnknown |= open;
            world.trace().add(world, "refused or flushed", end, post);
            post.refused = true;
            post.letGo();
            return;
        }
        // What completes before it has a listener does so in an order that is not seen; so does what was not polled.
        orderUnknown |= future.isDone() || end.sends != null;
        post.future = true;
        future.whenComplete((result, flushed) ->
                end.completions.completed(post, flushed == null, result instanceof Long original ? original : 0));
        returned(post);
    }

    /** The end was reported. No future that was there before is pending. */
    void checkFutures() {
        for (Post post : posts) {
            if (post.future && post.returned && !post.completed) {
                world.violated("the end is told last", end + " " + post + " is pending");
            }
        }
    }

    private void returned(Post post) {
        post.returned = true;
        post.beforeClose &= !end.closing();
        if (post.completed) {
            return;
        }
        pending += post.kind == Post.Kind.RECEIVE ? 0 : 1;
        world.trace().add(world, "posted", end, post.id);
    }

    /** Returns whether a request other than a receive has been posted and has not completed. */
    boolean pending() {
        return pending > 0;
    }

    void onCompleted(Post post) {
        pending -= post.returned && post.kind != Post.Kind.RECEIVE ? 1 : 0;
    }

    private void refused(Post post, Throwable why) {
        post.refused = true;
        world.trace().add(world, "refused", end, post, why);
        if (post.kind.message()) {
            giveCreditBack();
        }
        if (post.completed) {
            world.violated("what was not posted does not complete", end + " " + post);
        }
        boolean expected = why instanceof QueueFullException
                || why instanceof ConnectionClosedException
                || SimulatedFailure.planned(why)
                || (end.regions.revoked() && post.region != null)
                || (why instanceof IllegalArgumentException && post.length > end.settings.maxOutstandingBytes());
        if (!expected) {
            world.violated("a post is refused for a reason", end + " " + post + ": " + why);
        }
        post.letGo();
    }

    void postReceive() {
        Post post = newPost(Post.Kind.RECEIVE, RECEIVE_BYTES);
        ByteBuf buffer = end.allocator.directBuffer(RECEIVE_BYTES, RECEIVE_BYTES);
        post.buffer = buffer;
        try {
            end.queuePair().receiveQueue().receive(post.id, buffer);
        } catch (RuntimeException | OutOfMemoryError e) {
            refused(post, e);
            return;
        }
        returned(post);
    }

    /** The application owes receives for messages it got. */
    boolean owesReceives() {
        return owed > 0 && !end.over();
    }

    void postOwed() {
        owed--;
        credits++;
        postReceive();
    }
}
