package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.Counters;
import io.iwarp.EndedBy;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.OctetSpan;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.memory.StreamAssociation;
import io.iwarp.mpa.MpaParameters;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One end of an RDMA connection: work is posted here and completes here.
 *
 * <p>Each operation comes in two forms. The form with a work-request id tells its completion to the
 * {@link #completionListener}, allocates nothing, and is for code that moves millions of messages. The form without one
 * returns a future. Both may be called from any thread. A post never blocks: it costs one queue offer, and what several
 * threads posted leaves in one flush. A post beyond the queue's depth fails with {@link QueueFullException}, a post on a
 * closed queue pair with an {@link IllegalStateException} that names why it closed.
 *
 * <p><b>Order.</b> Sends and Writes leave, arrive and complete in the order they were posted. When the peer's application
 * gets a Send, the octets of all Writes posted before it are in place (RFC 5040 section 5.5). Posts of several threads are
 * ordered by who came first.
 *
 * <p><b>Memory.</b> A post takes a reference of its own to the buffer or region and gives it back when the request
 * completes; the caller's reference stays the caller's. The octets of a Send or Write must not change before its
 * completion, those of a receive must not be used before it. Local memory needs no registration.
 *
 * <p><b>End.</b> Each request completes exactly once: with success, or flushed with the first cause that ended the stream
 * (the same in every flushed completion). {@link #close} ends in order, {@link #abort} at once. An error of the peer ends
 * the stream with a Terminate message; its meaning is in the {@link CloseReason}.
 *
 * <p>Completions, and the calls of {@link QueuePairListener}, come on the event loop of the channel.
 */
public final class QueuePair implements AutoCloseable {
    private static final long GREATEST_MESSAGE = 0xffff_ffffL;

    private final QueuePairEngine engine;

    QueuePair(Channel channel, ProtectionDomain domain, QueuePairSettings settings) {
        engine = new QueuePairEngine(this, channel, domain, settings);
    }

    QueuePairEngine engine() {
        return engine;
    }

    /**
     * Posts a Send of the buffer's readable octets; the buffer's indices do not move.
     *
     * @param workRequestId comes back in the completion
     * @param message any buffer; up to 2^31 - 1 octets, none is fine. The peer must have posted a receive of at least that
     *     size, or it ends the stream.
     * @see <a href="https://www.rfc-editor.org/rfc/rfc5040#section-5.3">RFC 5040 section 5.3</a>
     */
    public void send(long workRequestId, ByteBuf message) {
        postSend(workRequestId, message, false, engine.completionListener());
    }

    /** As {@link #send(long, ByteBuf)}, and asks for an event at the peer (Send with Solicited Event). */
    public void sendSolicited(long workRequestId, ByteBuf message) {
        postSend(workRequestId, message, true, engine.completionListener());
    }

    /** As {@link #send(long, ByteBuf)}; the future fails with {@link io.iwarp.StreamEndedException} if it is flushed. */
    public CompletableFuture<Completion> send(ByteBuf message) {
        CompletionFuture future = new CompletionFuture();
        postSend(0, message, false, future);
        return future;
    }

    /**
     * Posts a Send of a part of a region, which may be larger than a buffer can be.
     *
     * @param offset of the first octet in the region, 0 for its start
     * @param length 0 to 2^32 - 1 octets
     */
    public void send(long workRequestId, MemoryRegion source, long offset, long length) {
        WorkRequest request = claim(source, offset, length);
        request.send(false);
        engine.publish(request.set(workRequestId, Operation.SEND, engine.completionListener()));
    }

    private void postSend(long workRequestId, ByteBuf message, boolean solicited, CompletionListener listener) {
        WorkRequest request = claim(message);
        request.send(solicited);
        engine.publish(request.set(workRequestId, Operation.SEND, listener));
    }

    /**
     * Posts an RDMA Write of the buffer's readable octets into memory that the peer advertised; the buffer's indices do not
     * move. The peer's application does not learn of it by itself.
     *
     * @param workRequestId comes back in the completion
     * @param source any buffer; up to 2^31 - 1 octets, none is fine
     * @param stag the STag that the peer advertised
     * @param taggedOffset where the first octet goes, unsigned, in octets of that STag
     * @see <a href="https://www.rfc-editor.org/rfc/rfc5040#section-5.1">RFC 5040 section 5.1</a>
     */
    public void write(long workRequestId, ByteBuf source, int stag, long taggedOffset) {
        postWrite(workRequestId, source, stag, taggedOffset, engine.completionListener());
    }

    /**
     * Writes to the start of an advertised buffer.
     *
     * @throws IllegalArgumentException if the target is shorter than the source
     */
    public CompletableFuture<Completion> write(ByteBuf source, RemoteBuffer target) {
        checkFits(source.readableBytes(), target);
        CompletionFuture future = new CompletionFuture();
        postWrite(0, source, target.stag(), target.taggedOffset(), future);
        return future;
    }

    /**
     * Posts an RDMA Write of a part of a region, which may be larger than a buffer can be.
     *
     * @param offset of the first octet in the region, 0 for its start
     * @param length 0 to 2^32 - 1 octets
     */
    public void write(long workRequestId, MemoryRegion source, long offset, long length, int stag, long taggedOffset) {
        WorkRequest request = claim(source, offset, length);
        request.write(stag, taggedOffset);
        engine.publish(request.set(workRequestId, Operation.WRITE, engine.completionListener()));
    }

    /**
     * Writes a part of a region to the start of an advertised buffer, in one message.
     *
     * @throws IllegalArgumentException if the target is shorter than the source
     */
    public CompletableFuture<Completion> write(MemoryRegion source, long offset, long length, RemoteBuffer target) {
        checkFits(length, target);
        CompletionFuture future = new CompletionFuture();
        WorkRequest request = claim(source, offset, length);
        request.write(target.stag(), target.taggedOffset());
        engine.publish(request.set(0, Operation.WRITE, future));
        return future;
    }

    private void postWrite(
            long workRequestId, ByteBuf source, int stag, long taggedOffset, CompletionListener listener) {
        WorkRequest request = claim(source);
        request.write(stag, taggedOffset);
        engine.publish(request.set(workRequestId, Operation.WRITE, listener));
    }

    private static void checkFits(long length, RemoteBuffer target) {
        if (length > target.length()) {
            throw new IllegalArgumentException(length + " octets do not fit into the " + target.length()
                    + " octets of the peer's buffer: write less, or ask for a larger one");
        }
    }

    private WorkRequest claim(ByteBuf source) {
        source.retain();
        WorkRequest request = claimOrNull();
        if (request == null) {
            source.release();
            throw engine.sendRefused();
        }
        request.payload().wrap(source, source.readerIndex(), source.readableBytes());
        return request;
    }

    private WorkRequest claim(MemoryRegion source, long offset, long length) {
        OctetSpan span = retainedSpan(source, offset, length);
        WorkRequest request = claimOrNull();
        if (request == null) {
            span.release();
            throw engine.sendRefused();
        }
        request.payload().wrap(source, offset, length);
        return request;
    }

    private @Nullable WorkRequest claimOrNull() {
        return engine.closeReason() == null && engine.state() != QueuePairState.DRAINING ? engine.claimSend() : null;
    }

    private static OctetSpan retainedSpan(MemoryRegion region, long offset, long length) {
        if (length > GREATEST_MESSAGE) {
            throw new IllegalArgumentException(
                    "a message of " + length + " octets exceeds " + GREATEST_MESSAGE + ": post it in several pieces");
        }
        OctetSpan span = new OctetSpan().wrap(region, offset, length);
        span.retain();
        return span;
    }

    /**
     * Posts a receive: the buffer's writable octets, up to its capacity, take one Send of the peer.
     *
     * <p>At its completion the writer index has moved past the received octets. Receives take messages in the order they
     * were posted. They may be posted before the connection is made, and should be: a Send that finds no receive ends the
     * stream.
     *
     * @param workRequestId comes back in the completion
     * @param sink up to 2^31 - 1 writable octets; it does not grow
     */
    public void receive(long workRequestId, ByteBuf sink) {
        postReceive(workRequestId, sink, engine.completionListener());
    }

    /** As {@link #receive(long, ByteBuf)}; the future fails with {@link io.iwarp.StreamEndedException} if flushed. */
    public CompletableFuture<Completion> receive(ByteBuf sink) {
        CompletionFuture future = new CompletionFuture();
        postReceive(0, sink, future);
        return future;
    }

    /**
     * Posts a receive into a part of a region, which may be larger than a buffer can be.
     *
     * @param offset of the first octet in the region, 0 for its start
     * @param length 0 to 2^32 - 1 octets
     */
    public void receive(long workRequestId, MemoryRegion sink, long offset, long length) {
        OctetSpan span = retainedSpan(sink, offset, length);
        ReceiveRequest request = engine.claimReceive();
        if (request == null) {
            span.release();
            throw engine.receiveRefused();
        }
        request.sink().wrap(sink, offset, length);
        engine.publish(request.set(workRequestId, null, engine.completionListener()));
    }

    private void postReceive(long workRequestId, ByteBuf sink, CompletionListener listener) {
        if (sink.isReadOnly()) {
            throw new IllegalArgumentException("a receive needs a writable buffer, this one is read-only");
        }
        sink.retain();
        ReceiveRequest request = engine.claimReceive();
        if (request == null) {
            sink.release();
            throw engine.receiveRefused();
        }
        request.sink().wrap(sink, sink.writerIndex(), sink.writableBytes());
        engine.publish(request.set(workRequestId, sink, listener));
    }

    /** Sets who learns of completions of requests posted with an id. Set it before the first such post. */
    public QueuePair completionListener(CompletionListener listener) {
        engine.completionListener(listener);
        return this;
    }

    /** Sets who learns of the life of this queue pair. Set it before the connection is accepted or made. */
    public QueuePair listener(QueuePairListener listener) {
        engine.listener(listener);
        return this;
    }

    /** {@return where it is in its life; a moment's view} */
    public QueuePairState state() {
        return engine.state();
    }

    /** {@return why it closed, or null while it is open} */
    public @Nullable CloseReason closeReason() {
        return engine.closeReason();
    }

    /** {@return what start-up agreed on and the peer's private data, or null before that} */
    public @Nullable MpaParameters parameters() {
        return engine.parameters();
    }

    /** {@return a stage that completes on the event loop with this queue pair once requests flow, or with the failure} */
    public CompletionStage<QueuePair> ready() {
        return engine.ready().minimalCompletionStage();
    }

    /** {@return a stage that completes on the event loop when the stream is over and every request has completed} */
    public CompletionStage<CloseReason> closed() {
        return engine.closed().minimalCompletionStage();
    }

    /** {@return this stream's identity towards registered memory, for regions that only this peer may use} */
    public StreamAssociation stream() {
        return engine.stream();
    }

    /** {@return what crossed the wire so far; any thread may read it} */
    public Counters counters() {
        return engine.counters();
    }

    /** {@return the channel it runs on} */
    public Channel channel() {
        return engine.channel();
    }

    /**
     * Ends the connection in order and returns at once: what was posted is sent, then this side's half is closed, then the
     * peer's close is awaited, at most the close timeout. New requests are refused. {@link #closed} tells when it is over.
     */
    @Override
    public void close() {
        engine.close();
    }

    /** Closes the connection at once; what was not sent is flushed. {@link #closed} tells when it is over. */
    public void abort() {
        engine.abort(new CloseReason(EndedBy.LOCAL_APPLICATION, null, "aborted by the application", null));
    }

    @Override
    public String toString() {
        return "QueuePair[" + engine.channel() + ", " + engine.state() + "]";
    }
}
