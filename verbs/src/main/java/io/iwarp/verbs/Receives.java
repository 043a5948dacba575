package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.Operation;
import io.iwarp.ProtocolError;
import io.iwarp.ProtocolFault;
import io.iwarp.ddp.UntaggedBuffer;
import io.iwarp.rdmap.RdmapUlp;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Where the messages of a queue pair's peer go: to receives that the application posted, to buffers taken from an
 * allocator, or to a shared receive queue. Confined to the event loop unless a method says otherwise.
 */
abstract class Receives implements ReceiveWait.Source {
    final Completer completer;
    private final ReceiveWait wait;
    /** Told to listeners, again and again. */
    final Completion completion = new Completion();

    Receives(ReceiveWait wait, Completer completer) {
        this.wait = wait;
        this.completer = completer;
    }

    /** Returns how many receives there may be that the application was not told of. */
    abstract CompletionBound bound();

    /** Returns what the application has to do instead of posting receives on the queue pair; null if it posts them. */
    @Nullable
    String insteadOfPosting() {
        return null;
    }

    /** Any thread: a receive to fill and {@link #publish}; null if there is no room, or none is posted. */
    @Nullable
    ReceiveRequest claim() {
        return null;
    }

    /** Any thread: hands over a receive that was claimed here. */
    void publish(ReceiveRequest request) {
        throw new IllegalStateException("no receive can be claimed here");
    }

    /** From now on nothing can be claimed. Called once. */
    abstract void close();

    /** Completes everything that waits for a message. May be called again. */
    abstract void flush(CloseReason reason);

    @Override
    public void prepareToWait() {}

    /** Returns the receive so many places behind the head; there is one. */
    abstract ReceiveRequest receive(int ahead);

    @Override
    public final UntaggedBuffer buffer(int ahead) {
        wait.passed();
        return receive(ahead);
    }

    @Override
    public final boolean awaitBuffer() {
        return wait.begin(this);
    }

    /** Returns what is wrong when a message has come for which nobody is to be told. */
    static ProtocolFault withoutListener() {
        return new ProtocolFault(
                ProtocolError.DDP_LOCAL_CATASTROPHIC,
                "nobody would get the message: set a completion listener or a completion queue on the queue pair before the"
                        + " connection is made");
    }

    /** Makes {@link #completion} tell of a message, and its buffer hold it; or says what is wrong. */
    final @Nullable ProtocolFault fill(ReceiveRequest request, UntaggedBuffer delivered) {
        request.received(completion, RdmapUlp.opcodeOf(delivered));
        ByteBuf buffer = request.buffer();
        if (buffer == null) {
            return null;
        }
        ProtocolFault gone = LentMemory.check(Operation.RECEIVE, request.id(), buffer);
        if (gone != null) {
            return gone;
        }
        long end = buffer.writerIndex() + completion.bytes();
        if (end > buffer.capacity()) {
            return LentMemory.changed(Operation.RECEIVE, request.id(), completion.bytes());
        }
        buffer.writerIndex((int) end);
        return null;
    }
}
