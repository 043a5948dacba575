package io.iwarp.rdmap;

import io.iwarp.CloseReason;
import io.iwarp.Counter;
import io.iwarp.Operation;
import io.iwarp.ProtocolError;
import io.iwarp.Role;
import io.iwarp.ddp.DdpEnd;
import io.iwarp.ddp.DdpMessage;
import io.iwarp.ddp.UntaggedBuffer;
import io.iwarp.ddp.UntaggedQueue;
import io.iwarp.internal.ConnectionCounters;
import io.iwarp.internal.ProtocolFault;
import io.iwarp.internal.memory.StreamAssociation;
import io.iwarp.internal.mpa.AgreedParameters;
import io.iwarp.internal.mpa.FpduEncoder;
import io.iwarp.internal.mpa.MpaEvent;
import io.iwarp.internal.mpa.Ulpdu;
import io.iwarp.internal.mpa.WirePosition;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.mpa.MpaParameters;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One end of a stream without sockets, under virtual time: RDMAP above the sending and the receiving half of DDP. Its
 * owner carries the ULPDUs of the {@link #wire}, lets the transport take more, and advances the time. It is also the
 * layer above RDMAP, and records all calls.
 */
final class SimulatedStream implements RdmapUlp, AutoCloseable {
    static final RdmapSettings TIMEOUTS =
            new RdmapSettings(Duration.ofSeconds(5), Duration.ofMinutes(1), Duration.ofMinutes(1), true);

    /** ULPDUs that the transport has taken, in order. */
    final Deque<byte[]> wire = new ArrayDeque<>();

    /** The requests that are complete. */
    final List<RdmapRequest> completed = new ArrayList<>();

    /** The messages that the application got. */
    final List<byte[]> received = new ArrayList<>();

    /** Why the stream ended, once for each report. */
    final List<CloseReason> ended = new ArrayList<>();

    /** The error of the Terminate that was sent. */
    @Nullable
    ProtocolError terminateSent;

    /** What the peer has done, with the bytes of each. */
    final List<String> served = new ArrayList<>();

    final ConnectionCounters counters = new ConnectionCounters();
    final StreamState state = new StreamState();
    final RdmapHandler stream;
    final StreamAssociation association;

    /** How large the next segment may be. */
    IntSupplier mulpdu = () -> 1024;

    /** What the application returns when a request is complete. */
    @Nullable
    ProtocolFault verdict;

    Runnable onReady = () -> {};
    Runnable onReadComplete = () -> {};

    /** Whether the transport takes all that is flushed during the flush. */
    boolean takesAtOnce;

    /** Whether a message that finds no receive waits for one. */
    boolean awaitsReceives;

    /** How many requests the application posted that find no place. */
    int waitingRequests;

    boolean peerClosedHalf;

    /** How often RDMAP has flushed. */
    int flushes;

    private final DdpEnd ddp;
    private final Ulpdu ulpdu = new Ulpdu();
    private final FpduEncoder encoder =
            new FpduEncoder(AgreedParameters.builder(Role.INITIATOR).crc(false).build(), new ConnectionCounters());
    private final Requests requests = new Requests();
    private final Receives receives = new Receives();
    private boolean outputClosed;
    private boolean closed;
    private boolean disconnected;
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final ChannelHandlerContext context;

    SimulatedStream(ProtectionDomain domain, RdmapSettings timeouts) {
        this.association = StreamAssociation.open(domain);
        WirePosition position = new WirePosition(channel, counters);
        this.stream = new RdmapHandler(timeouts, this, association, counters, position, state, this::closeOutput);
        this.ddp = new DdpEnd(association, stream, counters);
        channel.freezeTime();
        channel.pipeline().addLast(new Connection(), stream);
        this.context = channel.pipeline().context(stream);
    }

    /** Start-up is over, and requests may flow. */
    SimulatedStream established(AgreedParameters agreed) {
        takeEvent(new MpaEvent.Established(agreed));
        takeEvent(new MpaEvent.TransmitReady());
        return this;
    }

    // What the test does

    /** Posts a receive. */
    void post(int room) {
        UntaggedBuffer buffer = new UntaggedBuffer();
        buffer.sink().wrap(Unpooled.wrappedBuffer(new byte[room]), 0, room);
        receives.buffers.add(buffer);
    }

    /** Posts requests, and lets those start that may. */
    void submit(RdmapRequest... posted) {
        requests.posted.addAll(List.of(posted));
        stream.startRequests();
    }

    /**
     * A ULPDU comes, and ends a burst of input.
     *
     * @return false if it is held back and has to come again
     */
    boolean take(byte[] bytes) {
        boolean taken = ddp.receive(Unpooled.wrappedBuffer(bytes));
        if (taken) {
            counters.add(Counter.BYTES_RECEIVED, bytes.length);
        }
        ddp.endBurst();
        stream.onReadComplete();
        return taken;
    }

    /** An event of MPA. */
    void takeEvent(MpaEvent event) {
        stream.userEventTriggered(context, event);
    }

    /** The transport has failed. */
    void takeFailure(Throwable cause) {
        stream.exceptionCaught(context, cause);
    }

    /** The FIN of the peer comes. */
    void takeFinish() {
        peerClosedHalf = true;
        ddp.peerClosedHalf();
        takeEvent(new MpaEvent.InputShutdown());
    }

    /** A fault of the layer below. */
    void takeFault(ProtocolFault fault) {
        ddp.fail(fault);
    }

    /** The application flushes the channel. */
    void flush() {
        channel.flush();
    }

    /** The transport takes all that was flushed. */
    void transmit() {
        boolean more = true;
        while (more) {
            more = transmitSegment();
        }
    }

    /**
     * The transport takes one segment.
     *
     * @return whether there was one
     */
    boolean transmitSegment() {
        if (closed || !ddp.sendable()) {
            return false;
        }
        if (!ddp.cut(ulpdu, mulpdu.getAsInt())) {
            DdpMessage message = ddp.current();
            long cut = ddp.currentBytesCut();
            ddp.drop();
            stream.onSourceRevoked(message, cut);
            return true;
        }
        byte[] bytes = bytes();
        wire.add(bytes);
        counters.add(Counter.BYTES_SENT, bytes.length);
        DdpMessage sent = ddp.take(counters.get(Counter.BYTES_SENT));
        if (sent != null) {
            stream.onSent(sent);
        }
        return true;
    }

    private byte[] bytes() {
        ByteBuf fpdu = Unpooled.buffer();
        encoder.encode(ulpdu, fpdu);
        return ByteBufUtil.getBytes(fpdu, FpduEncoder.ULPDU_LENGTH_LENGTH, ulpdu.length());
    }

    /** Lets time pass; what is due comes in its order. */
    void pass(Duration time) {
        long rest = time.toNanos();
        while (rest > 0) {
            long due = channel.runScheduledPendingTasks();
            long step = due < 0 ? rest : Math.min(due, rest);
            channel.advanceTimeBy(step, TimeUnit.NANOSECONDS);
            rest -= step;
        }
        channel.runScheduledPendingTasks();
    }

    /** The connection is gone: this end has closed it, the other end has, or the network has lost it. */
    void disconnect() {
        if (!disconnected) {
            disconnected = true;
            close();
            stream.channelInactive(context);
        }
    }

    /** Returns whether this end has sent FIN, and everything before it is on the wire. */
    boolean finished() {
        return outputClosed && !ddp.sendable();
    }

    /** Returns whether a message waits for a receive. */
    boolean awaitingReceive() {
        return receives.awaited && receives.buffers.isEmpty();
    }

    /** Returns whether this end has closed the connection. */
    boolean closedConnection() {
        return closed;
    }

    private ChannelFuture closeOutput(Channel closed) {
        outputClosed = true;
        return closed.newSucceededFuture();
    }

    /** This end closes the connection. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            ddp.drop();
            ddp.release();
            ddp.silence();
        }
    }

    // What RDMAP tells

    @Override
    public UntaggedQueue receiveQueue() {
        return receives;
    }

    @Override
    public void onEstablished(MpaParameters parameters) {}

    @Override
    public void onReady() {
        onReady.run();
    }

    @Override
    public void onClosing() {}

    @Override
    public RequestQueue requestQueue() {
        return requests;
    }

    @Override
    public void onServed(Operation operation, long bytes) {
        served.add(operation + " " + bytes);
    }

    @Override
    public void onTerminateSent(@Nullable ProtocolError error) {
        terminateSent = error;
    }

    @Override
    public void onTerminateReceived(@Nullable ProtocolError error) {}

    @Override
    public void onInputShutdown() {}

    @Override
    public void onReadComplete() {
        onReadComplete.run();
    }

    @Override
    public void onEnhancedSetupRefused() {}

    @Override
    public void onRejected(MpaEvent.Rejected rejection) {}

    @Override
    public void onEnded(CloseReason reason) {
        ended.add(reason);
    }

    /**
     * What RDMAP makes its connection do. The channel is given nothing, so it has taken what is on the {@link #wire}.
     */
    private final class Connection extends ChannelOutboundHandlerAdapter {
        @Override
        public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
            ddp.write((DdpMessage) message);
        }

        @Override
        public void flush(ChannelHandlerContext ctx) {
            ddp.flush();
            flushes++;
            if (takesAtOnce) {
                transmit();
            }
        }

        @Override
        public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
            SimulatedStream.this.close();
        }
    }

    /** The requests of the application. */
    private final class Requests implements RequestQueue {
        private final Deque<RdmapRequest> posted = new ArrayDeque<>();
        private final Deque<RdmapRequest> started = new ArrayDeque<>();

        @Override
        public @Nullable RdmapRequest next() {
            return posted.peek();
        }

        @Override
        public void start() {
            started.add(posted.remove());
        }

        @Override
        public int waitingCount() {
            return posted.size() + waitingRequests;
        }

        @Override
        public @Nullable ProtocolFault completeDone() {
            ProtocolFault fault = null;
            while (fault == null && !started.isEmpty() && started.peek().done()) {
                completed.add(started.remove());
                fault = verdict;
            }
            return fault;
        }
    }

    /** The receives of the application. */
    private final class Receives implements UntaggedQueue {
        private final List<UntaggedBuffer> buffers = new ArrayList<>();
        private boolean awaited;

        @Override
        public int available() {
            return buffers.size();
        }

        @Override
        public boolean awaitBuffer() {
            awaited = awaitsReceives;
            return awaited;
        }

        @Override
        public @Nullable UntaggedBuffer buffer(int ahead) {
            return Integer.compareUnsigned(ahead, buffers.size()) < 0 ? buffers.get(ahead) : null;
        }

        @Override
        public @Nullable ProtocolFault deliver(UntaggedBuffer buffer) {
            buffers.remove(0);
            byte[] message = new byte[(int) buffer.messageLength()];
            buffer.sink().get(0, Unpooled.wrappedBuffer(message), 0, message.length);
            received.add(message);
            return null;
        }
    }
}
