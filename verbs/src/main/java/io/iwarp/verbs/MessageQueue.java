package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.internal.InputBudget;
import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The messages of managed receives that the application takes one by one, and the futures that wait for one. A message
 * keeps its place of the receive queue until it is taken, so a full queue stops the input of the stream. Its buffer
 * counts against the {@linkplain io.iwarp.memory.IwarpDevice#maxManagedReceiveBytes limit of the device}. While the
 * limit is reached, a stream that has an untaken message accepts no new one.
 *
 * <p>Confined to the event loop, except for {@link #next}.
 */
final class MessageQueue implements CompletionTarget {
    private record Entry(Message message, QueueSlots slots, int bytes) {}

    private final EventLoop eventLoop;
    private final DrainSchedule drains;
    private final Runnable resume;
    private final Supplier<@Nullable CloseReason> closeReason;
    private final InputBudget budget;
    private final Deque<Entry> messages = new ArrayDeque<>();
    private final Queue<LoopFuture<Message>> waitingFutures = new ArrayDeque<>();
    private boolean isDiscarding;

    /**
     * @param resume called when a place is released
     * @param closeReason returns the reason of the stream's end, or null before it
     * @param budget counts the bytes of the messages that wait
     */
    MessageQueue(
            EventLoop eventLoop,
            DrainSchedule drains,
            Runnable resume,
            Supplier<@Nullable CloseReason> closeReason,
            InputBudget budget) {
        this.eventLoop = eventLoop;
        this.drains = drains;
        this.resume = resume;
        this.closeReason = closeReason;
        this.budget = budget;
    }

    /** Returns whether a message may begin: there is memory, or no message of this stream waits. */
    boolean mayBegin() {
        return messages.isEmpty() || budget.reservedBytes() < budget.limit();
    }

    /** Any thread: returns a future that completes with the next message. One that is cancelled takes none. */
    CompletableFuture<Message> next() {
        LoopFuture<Message> future = new LoopFuture<>(eventLoop);
        drains.execute(() -> {
            waitingFutures.add(future);
            match();
        });
        return future;
    }

    @Override
    public void complete(CompletionView completion, QueueSlots slots) {
        Message message = new Message(completion);
        int bytes = message.bytes().capacity();
        budget.reserveBeyondLimit(bytes);
        messages.add(new Entry(message, slots, bytes));
        match();
    }

    /** Delivers messages to futures. If a future was cancelled, its message goes back to the head of the queue. */
    private void match() {
        for (LoopFuture<Message> future = waitingFutures.peek(); future != null; future = waitingFutures.peek()) {
            if (future.isDone()) {
                waitingFutures.remove();
                continue;
            }
            Entry oldest = messages.peek();
            CloseReason ended = closeReason.get();
            if (oldest == null && ended == null) {
                break;
            }
            waitingFutures.remove();
            if (oldest == null) {
                future.completeExceptionally(new ConnectionClosedException(ended));
            } else {
                messages.remove();
                if (future.complete(oldest.message())) {
                    leave(oldest);
                    resume.run();
                } else {
                    messages.addFirst(oldest);
                }
            }
        }
        if (isDiscarding) {
            discard();
        }
    }

    /** Discards all messages, also later ones, since the application has closed the queue pair. */
    void discard() {
        isDiscarding = true;
        for (Entry entry = messages.poll(); entry != null; entry = messages.poll()) {
            entry.message().bytes().release();
            leave(entry);
        }
        resume.run();
    }

    private void leave(Entry entry) {
        budget.release(entry.bytes());
        entry.slots().release();
    }

    @Override
    public void end() {
        match();
    }
}
