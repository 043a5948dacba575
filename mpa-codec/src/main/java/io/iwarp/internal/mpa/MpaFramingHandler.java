package io.iwarp.internal.mpa;

import io.iwarp.Counter;
import io.iwarp.ProtocolError;
import io.iwarp.Role;
import io.iwarp.internal.ConnectionCounters;
import io.iwarp.internal.EventLoopBuffers;
import io.iwarp.internal.EventLoopTasks;
import io.iwarp.internal.InputBudget;
import io.iwarp.internal.ProtocolFault;
import io.iwarp.internal.memory.StreamAssociation;
import io.iwarp.memory.IwarpDevice;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.mpa.StartMode;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * MPA in Full Operation: turns the bytes of the transport into ULPDUs for DDP, and back (RFC 5044 sections 3 to 5, 7.2
 * and 8). One object serves one channel.
 *
 * <p><b>Start.</b> The handler waits for {@link MpaEvent.Established}, passes it up, and then works with its
 * parameters. It fires {@link MpaEvent.TransmitReady} when DDP may send: at once for the initiator and for both ends of
 * a pre-agreed start; for the responder after the first valid FPDU and before the ULPDU of that FPDU is passed up
 * (section 7.1.2, rule 4). If Established reports a failed set-up, {@link MpaEvent.Fault} is fired first, and what the
 * peer sends is discarded. On {@link MpaEvent.Rejected} it passes the event up and removes itself.
 *
 * <p><b>Inbound</b> each ULPDU is passed to the {@link UlpduReceiver} by a call, and not up the pipeline. Bytes are
 * parsed in place. Only an incomplete FPDU is copied, into a buffer of its own, which grows with what arrives to at
 * most {@link FpduDecoder#maxWireLength()} bytes. It must be complete within {@link MpaSettings#fpduTimeout}. After an
 * error the handler fires {@link MpaEvent.Fault}, once, and discards everything else that the peer sends. It never
 * closes the channel, which is up to the layers above after their last message. When the peer closes its half of the
 * connection, the handler fires {@link MpaEvent.InputShutdown}, after the Fault if the FIN is inside an FPDU.
 *
 * <p>A receiver that cannot take a ULPDU stalls the input. Until a {@code read} comes down the pipeline, nothing is
 * read from the transport ({@code autoRead} is off), bytes already read wait, and the TCP window stops the peer.
 *
 * <p><b>Outbound</b> it takes {@link Ulpdu}s of at most {@link Mulpdu#MAX} bytes. FPDUs are gathered and written on
 * flush, when the batch is full, or with a write whose promise is not void. That promise completes when the transport
 * has taken all bytes up to that FPDU. A write fails and sends nothing if the ULPDU is too long
 * ({@link IllegalArgumentException}), before TransmitReady ({@link IllegalStateException}), or if the message is
 * something else ({@link UnsupportedOperationException}; the message is released). An empty {@link ByteBuf} is passed
 * on in order with the FPDUs.
 *
 * <p>The FPDUs of a batch are next to each other in one buffer. A large payload without markers is sent by reference: a
 * slice of that buffer with everything encoded so far, then a slice of the payload. The rest of the FPDU goes into the
 * buffer again. It grows only while no slice of it is in flight, because growing moves its bytes.
 *
 * <p>While bytes are sent, the MULPDU follows the segment size of the connection, which TCP may change at any time, if
 * the transport reports it (section 4.5). {@link MpaEvent.MulpduChanged} announces a change after a flush. ULPDUs made
 * for an earlier, larger MULPDU are sent unchanged.
 */
public final class MpaFramingHandler extends ChannelDuplexHandler {

    /** A batch of FPDUs with this many bytes is full; holds the largest FPDU with all its markers. */
    static final int BATCH_LIMIT = 64 * 1024;

    /** The number of bytes between two checks of the MSS, each of which is a system call. */
    static final int MSS_CHECK_INTERVAL = 1 << 20;

    private static final int MIN_BATCH_CAPACITY = 512;

    /** Enough for a full window of 1 MiB and the batch that is being filled. */
    private static final EventLoopBuffers BATCHES = new EventLoopBuffers(BATCH_LIMIT, 18);

    private enum Phase {
        STARTING,
        RECEIVING,
        /** An error was found. Input is ignored. */
        FAULTED,
        /** The channel is closed or closing, or the handler was removed. */
        ENDED
    }

    private enum Output {
        /** Nothing may be sent. */
        NOT_READY,
        /** TransmitReady was fired, or only a Terminate may be sent. */
        READY,
        /** The channel is closed, or the handler was removed. */
        ENDED
    }

    private enum PauseReason {
        /** The receiver refused the last ULPDU. A read delivers it again. */
        STALL,
        /** An incomplete FPDU waits for memory of the device. */
        MEMORY
    }

    private final MpaSettings settings;
    private final ConnectionCounters counters;
    private final ToIntFunction<Channel> segmentSize;
    private final long fpduTimeoutNanos;
    private final InputBudget inputBudget;
    private final UlpduReceiver receiver;
    private Phase phase = Phase.STARTING;
    private boolean isParsing;
    private @Nullable FpduInput input;
    private @Nullable FpduEncoder encoder;
    /** The FPDUs of a batch. Those before {@code writtenBytes} were written to the transport. */
    private @Nullable ByteBuf batch;

    private int writtenBytes;
    private Output output = Output.NOT_READY;
    private int mulpdu;
    /** The position of the next check of the MSS, never reached if the settings fix it. */
    private long nextMssCheck;

    private @Nullable Future<?> firstFpduDelay;

    /** Why reading is paused; empty if it is not. */
    private final Set<PauseReason> pauses = EnumSet.noneOf(PauseReason.class);
    /** A read was requested while reading was paused. */
    private boolean isReadPending;

    private boolean isAutoReadSuspended;
    private boolean isInputShutdownPending;

    /** Runs while an FPDU may be incomplete. One timer serves all FPDUs that follow each other closely. */
    private @Nullable Future<?> fpduTimer;
    /** The start of the FPDU that was incomplete when the timer was started. */
    private long timedFpdu;

    /**
     * Creates the handler of one channel.
     *
     * @param settings may fix the segment size
     * @param counters counts the traffic of the stream
     * @param receiver takes the ULPDUs of the peer
     */
    public MpaFramingHandler(MpaSettings settings, ConnectionCounters counters, UlpduReceiver receiver) {
        this(settings, counters, TcpSegmentSize::of, new InputBudget(Long.MAX_VALUE), receiver);
    }

    /**
     * Creates the handler of one channel whose incomplete FPDUs count towards the limit of a device.
     *
     * @param settings may fix the segment size
     * @param counters counts the traffic of the stream
     * @param stream belongs to that device; see {@link IwarpDevice.Builder#maxPartialFpduBytes}
     * @param receiver takes the ULPDUs of the peer
     */
    public MpaFramingHandler(
            MpaSettings settings, ConnectionCounters counters, StreamAssociation stream, UlpduReceiver receiver) {
        this(settings, counters, TcpSegmentSize::of, stream.inputBudget(), receiver);
    }

    /** Creates the handler with another source of the segment size. */
    MpaFramingHandler(
            MpaSettings settings,
            ConnectionCounters counters,
            ToIntFunction<Channel> segmentSize,
            InputBudget inputBudget,
            UlpduReceiver receiver) {
        this.settings = settings;
        this.counters = counters;
        this.segmentSize = segmentSize;
        this.fpduTimeoutNanos = settings.fpduTimeout().toNanos();
        this.inputBudget = inputBudget;
        this.receiver = receiver;
        this.nextMssCheck = settings.emss() > 0 ? Long.MAX_VALUE : MSS_CHECK_INTERVAL;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof MpaEvent.Established established) {
            start(ctx, established);
        } else if (event instanceof MpaEvent.Rejected) {
            ctx.fireUserEventTriggered(event);
            if (!ctx.isRemoved()) {
                ctx.pipeline().remove(this);
            }
        } else if (event instanceof ChannelInputShutdownEvent) {
            onInputShutdown(ctx);
            ctx.fireUserEventTriggered(event);
        } else {
            ctx.fireUserEventTriggered(event);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (!(message instanceof ByteBuf bytes)) {
            ctx.fireChannelRead(message);
            return;
        }
        FpduInput in = input;
        if (in == null && phase == Phase.STARTING) {
            bytes.release();
            throw new IllegalStateException(
                    "bytes of the peer reached MPA framing before the end of the start-up; add an"
                            + " MpaStartupHandler before it");
        }
        if (in == null || phase != Phase.RECEIVING) {
            bytes.release();
            return;
        }
        counters.add(Counter.BYTES_RECEIVED, bytes.readableBytes());
        in.add(bytes);
        if (isStalled()) {
            in.stall();
        } else if (!isParsing) {
            parse(ctx, in);
        }
    }

    /**
     * Starts the timeout for an incomplete FPDU. There is none during a stall, in which bytes stay undecoded, and none
     * while the FPDU waits for memory, since its rest is not read.
     */
    private void watchIncompleteFpdu(ChannelHandlerContext ctx, FpduInput in) {
        if (fpduTimer == null && in.insideFpdu() && !isAwaitingMemory()) {
            timedFpdu = in.position();
            fpduTimer = ctx.executor().schedule(() -> onFpduTimeout(ctx, in), fpduTimeoutNanos, TimeUnit.NANOSECONDS);
        }
    }

    private void onFpduTimeout(ChannelHandlerContext ctx, FpduInput in) {
        fpduTimer = null;
        if (phase != Phase.RECEIVING || !in.insideFpdu() || isAwaitingMemory()) {
            return;
        }
        if (in.position() == timedFpdu) {
            fault(
                    ctx,
                    new ProtocolFault(
                            ProtocolError.MPA_CONNECTION_LOST,
                            "the peer did not complete the FPDU at stream byte " + in.position() + " within "
                                    + settings.fpduTimeout() + ", " + in.held() + " bytes of it have arrived"));
        } else {
            watchIncompleteFpdu(ctx, in);
        }
    }

    /** Also redelivers the ULPDU that caused the stall. */
    @Override
    public void read(ChannelHandlerContext ctx) {
        FpduInput in = input;
        if (isStalled() && in != null && phase == Phase.RECEIVING && !isParsing) {
            redeliver(ctx, in);
        }
        if (isAwaitingMemory()) {
            isReadPending = true;
        } else if (!isStalled()) {
            ctx.read();
        }
    }

    private void redeliver(ChannelHandlerContext ctx, FpduInput in) {
        pauses.remove(PauseReason.STALL);
        isParsing = true;
        try {
            deliver(ctx, in);
        } finally {
            isParsing = false;
        }
        parse(ctx, in);
        if (!isStalled()) {
            if (isInputShutdownPending) {
                isInputShutdownPending = false;
                onInputShutdown(ctx);
            }
            endStall(ctx);
        }
        ctx.fireChannelReadComplete();
    }

    private boolean isStalled() {
        return pauses.contains(PauseReason.STALL);
    }

    private boolean isAwaitingMemory() {
        return pauses.contains(PauseReason.MEMORY);
    }

    private void stall(ChannelHandlerContext ctx) {
        pauses.add(PauseReason.STALL);
        stopReading(ctx);
    }

    private void endStall(ChannelHandlerContext ctx) {
        pauses.remove(PauseReason.STALL);
        resumeReading(ctx);
    }

    /** Stops reading while the device has no memory for an incomplete FPDU. */
    private void awaitMemory(ChannelHandlerContext ctx, FpduInput in) {
        if (in.waitsForMemory() && phase == Phase.RECEIVING) {
            pauses.add(PauseReason.MEMORY);
            stopReading(ctx);
        }
    }

    /** May be called by any thread. A rejected task needs no handling: a terminating loop closes its channels. */
    private void wake(ChannelHandlerContext ctx) {
        EventLoopTasks.execute(ctx.executor(), () -> onMemory(ctx, Objects.requireNonNull(input)), () -> {});
    }

    /** Resumes reading if the incomplete FPDU was granted memory. */
    private void onMemory(ChannelHandlerContext ctx, FpduInput in) {
        if (isAwaitingMemory() && !in.waitsForMemory()) {
            pauses.remove(PauseReason.MEMORY);
            cancel(fpduTimer);
            fpduTimer = null;
            watchIncompleteFpdu(ctx, in);
            resumeReading(ctx);
            if (isReadPending) {
                isReadPending = false;
                ctx.read();
            }
        }
    }

    private void stopReading(ChannelHandlerContext ctx) {
        if (ctx.channel().config().isAutoRead()) {
            isAutoReadSuspended = true;
            ctx.channel().config().setAutoRead(false);
        }
    }

    private void resumeReading(ChannelHandlerContext ctx) {
        if (isAutoReadSuspended && pauses.isEmpty()) {
            isAutoReadSuspended = false;
            ctx.channel().config().setAutoRead(true);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (phase == Phase.RECEIVING && input != null && input.insideFpdu()) {
            fault(ctx, lostInside(input, "the connection ended"));
        }
        end();
        ctx.fireChannelInactive();
    }

    /** Reports a lost connection (error 2/0/01) and passes the cause on. */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (cause instanceof IOException && phase == Phase.RECEIVING) {
            fault(
                    ctx,
                    new ProtocolFault(
                            ProtocolError.MPA_CONNECTION_LOST, "the transport reported: " + cause.getMessage()));
        }
        ctx.fireExceptionCaught(cause);
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        if (message instanceof Ulpdu outgoing) {
            send(ctx, outgoing, promise);
        } else if (message instanceof ByteBuf bytes && !bytes.isReadable()) {
            writeBatch(ctx, ctx.voidPromise());
            ctx.write(bytes, promise);
        } else {
            ReferenceCountUtil.release(message);
            promise.tryFailure(new UnsupportedOperationException("an RDMA stream carries only FPDUs, got "
                    + message.getClass().getName()
                    + ": post it as an operation instead of writing it"));
        }
    }

    @Override
    public void flush(ChannelHandlerContext ctx) {
        writeBatch(ctx, ctx.voidPromise());
        ctx.flush();
        if (encoder != null && encoder.position() >= nextMssCheck) {
            checkMss(ctx, encoder);
        }
    }

    /** A local close ends reception immediately. An FPDU that it truncates is not an error. */
    @Override
    public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
        endInput();
        ctx.close(promise);
    }

    /** Writes all bytes of accepted ULPDUs while the channel can still take them. */
    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        if (ctx.channel().isActive()) {
            writeBatch(ctx, ctx.voidPromise());
            ctx.flush();
        }
        end();
    }

    private void start(ChannelHandlerContext ctx, MpaEvent.Established established) {
        if (phase == Phase.ENDED) {
            ctx.fireUserEventTriggered(established);
            return;
        }
        if (phase != Phase.STARTING) {
            throw new IllegalStateException("MPA start-up ended twice on " + ctx.channel());
        }
        AgreedParameters agreed = established.parameters();
        input = new FpduInput(
                ctx.alloc(), new FpduDecoder(ctx.alloc(), agreed, counters), inputBudget, () -> wake(ctx));
        encoder = new FpduEncoder(agreed, counters);
        mulpdu = agreed.mulpdu();
        phase = Phase.RECEIVING;
        ctx.fireUserEventTriggered(established);
        ProtocolFault failed = established.setupFault();
        if (phase != Phase.RECEIVING) {
            return;
        }
        if (failed != null) {
            failSetup(ctx, failed);
        } else if (mayTransmitFirst(agreed)) {
            beginTransmit(ctx);
        }
    }

    /** An inbound FPDU cancels the delay, since it proves that the peer is ready to receive. */
    private void beginTransmit(ChannelHandlerContext ctx) {
        long nanos = settings.firstFpduDelay().toNanos();
        if (nanos == 0) {
            transmitReady(ctx);
            return;
        }
        Runnable afterDelay = () -> {
            if (output == Output.NOT_READY && phase == Phase.RECEIVING) {
                transmitReady(ctx);
            }
        };
        firstFpduDelay = ctx.executor().schedule(afterDelay, nanos, TimeUnit.NANOSECONDS);
    }

    private void transmitReady(ChannelHandlerContext ctx) {
        output = Output.READY;
        ctx.fireUserEventTriggered(new MpaEvent.TransmitReady());
    }

    /** Reports first that nothing may be sent except a Terminate. */
    private void failSetup(ChannelHandlerContext ctx, ProtocolFault failed) {
        output = Output.READY;
        fault(ctx, failed);
        if (phase == Phase.FAULTED) {
            transmitReady(ctx);
        }
    }

    private boolean mayTransmitFirst(AgreedParameters agreed) {
        return agreed.role() == Role.INITIATOR || settings.start() == StartMode.PREAGREED;
    }

    private void parse(ChannelHandlerContext ctx, FpduInput in) {
        isParsing = true;
        try {
            boolean more = true;
            while (more && phase == Phase.RECEIVING && !isStalled()) {
                more = parseOne(ctx, in);
            }
        } finally {
            isParsing = false;
            if (phase != Phase.RECEIVING) {
                in.release();
            }
        }
        awaitMemory(ctx, in);
        watchIncompleteFpdu(ctx, in);
    }

    private boolean parseOne(ChannelHandlerContext ctx, FpduInput in) {
        switch (in.next()) {
            case FPDU -> deliver(ctx, in);
            case FAULT -> fault(ctx, Objects.requireNonNull(in.fault()));
            case INCOMPLETE -> {
                return false;
            }
        }
        return true;
    }

    private void deliver(ChannelHandlerContext ctx, FpduInput in) {
        if (output == Output.NOT_READY) {
            transmitReady(ctx);
        }
        if (phase == Phase.RECEIVING && !in.deliver(receiver) && phase == Phase.RECEIVING) {
            stall(ctx);
            in.stall();
        }
    }

    /**
     * Adds a ULPDU to the current batch, or fails the promise. Unless the promise is void, all bytes so far are written
     * with it. A failed write can end the output during this call.
     */
    private void send(ChannelHandlerContext ctx, Ulpdu ulpdu, ChannelPromise promise) {
        FpduEncoder to = encoder;
        if (to == null || output == Output.NOT_READY) {
            promise.tryFailure(new IllegalStateException("a ULPDU of " + ulpdu.length()
                    + " bytes was written before MPA was ready to send; wait for MpaEvent.TransmitReady"));
            return;
        }
        if (ulpdu.length() > Mulpdu.MAX) {
            promise.tryFailure(new IllegalArgumentException("the ULPDU has " + ulpdu.length()
                    + " bytes (expected: 0 to " + Mulpdu.MAX + "); cut the message into smaller segments"));
            return;
        }
        try {
            if (output == Output.READY) {
                encode(ctx, to, ulpdu);
            }
        } catch (Throwable unreadable) {
            // The payload was released or shrunk; nothing of the ULPDU has been encoded.
            promise.tryFailure(unreadable);
            return;
        }
        if (output == Output.ENDED) {
            endOutput();
            promise.tryFailure(new ClosedChannelException());
        } else if (!promise.isVoid()) {
            writeBatch(ctx, promise);
        }
    }

    private void encode(ChannelHandlerContext ctx, FpduEncoder to, Ulpdu ulpdu) {
        if (!to.markers() && ulpdu.isReferable()) {
            addByReference(ctx, to, ulpdu);
        } else {
            to.encode(ulpdu, batchFor(ctx, to.wireLength(ulpdu.length())));
        }
    }

    private void addByReference(ChannelHandlerContext ctx, FpduEncoder to, Ulpdu ulpdu) {
        int aroundPayload = FpduEncoder.fpduLength(ulpdu.length()) - ulpdu.payloadLength();
        ByteBuf out = batchFor(ctx, aroundPayload);
        ByteBuf payload = ulpdu.payload().retainedSlice(ulpdu.payloadIndex(), ulpdu.payloadLength());
        boolean encoded = false;
        try {
            to.encodeHead(ulpdu, out);
            encoded = true;
        } finally {
            if (!encoded) {
                payload.release();
            }
        }
        int end = out.writerIndex();
        ByteBuf head = out.retainedSlice(writtenBytes, end - writtenBytes);
        writtenBytes = end;
        to.encodeTrailer(ulpdu, out);
        ctx.write(head, ctx.voidPromise());
        ctx.write(payload, ctx.voidPromise());
    }

    /**
     * Returns the batch with at least a number of writable bytes. A new buffer grows with the encoded bytes, to at most
     * twice their size, since the peer decides how long it is held.
     */
    private ByteBuf batchFor(ChannelHandlerContext ctx, int bytes) {
        ByteBuf current = batch;
        if (current != null && current.capacity() - current.writerIndex() < bytes) {
            int grown = current.writerIndex() + bytes;
            if (writtenBytes == 0 && grown <= BATCH_LIMIT) {
                return current.capacity(Math.min(BATCH_LIMIT, Math.max(grown, 2 * current.capacity())));
            }
            writeBatch(ctx, ctx.voidPromise());
            current = null;
        }
        if (current == null) {
            current = BATCHES.take(ctx.alloc(), Math.max(bytes, MIN_BATCH_CAPACITY));
            batch = current;
            writtenBytes = 0;
        }
        return current;
    }

    /** Writes the batch to the transport. */
    private void writeBatch(ChannelHandlerContext ctx, ChannelPromise promise) {
        ByteBuf full = batch;
        if (full == null || encoder == null) {
            return;
        }
        batch = null;
        encoder.endBurst();
        full.readerIndex(writtenBytes);
        if (full.isReadable()) {
            ctx.write(full, promise);
        } else {
            full.release();
        }
    }

    /** Checks the MSS, and reports a changed MULPDU to the layers above. */
    private void checkMss(ChannelHandlerContext ctx, FpduEncoder current) {
        nextMssCheck = current.position() + MSS_CHECK_INTERVAL;
        int emss = segmentSize.applyAsInt(ctx.channel());
        int newMulpdu =
                emss == TcpSegmentSize.UNKNOWN ? mulpdu : Mulpdu.limitedMulpdu(settings, emss, current.markers());
        if (newMulpdu != mulpdu) {
            mulpdu = newMulpdu;
            ctx.fireUserEventTriggered(new MpaEvent.MulpduChanged(newMulpdu));
        }
    }

    private void onInputShutdown(ChannelHandlerContext ctx) {
        if (isStalled() && phase == Phase.RECEIVING) {
            isInputShutdownPending = true;
            return;
        }
        if (phase == Phase.RECEIVING && input != null && input.insideFpdu()) {
            fault(ctx, lostInside(input, "the peer closed its direction"));
        }
        if (phase == Phase.RECEIVING || phase == Phase.FAULTED) {
            ctx.fireUserEventTriggered(new MpaEvent.InputShutdown());
        }
    }

    private void fault(ChannelHandlerContext ctx, ProtocolFault found) {
        phase = Phase.FAULTED;
        if (!isParsing && input != null) {
            input.release();
        }
        pauses.remove(PauseReason.MEMORY);
        endStall(ctx);
        ctx.fireUserEventTriggered(new MpaEvent.Fault(found, output != Output.NOT_READY));
    }

    private static ProtocolFault lostInside(FpduInput in, String event) {
        return new ProtocolFault(
                ProtocolError.MPA_CONNECTION_LOST,
                event
                        + " inside the FPDU at stream byte "
                        + in.position()
                        + ", of which "
                        + in.held()
                        + " bytes have arrived");
    }

    private void endInput() {
        phase = Phase.ENDED;
        if (input != null && !isParsing) {
            input.release();
        }
    }

    private void end() {
        endInput();
        cancel(firstFpduDelay);
        cancel(fpduTimer);
        endOutput();
    }

    /** Releases the batch. Later writes fail. */
    private void endOutput() {
        output = Output.ENDED;
        if (encoder != null) {
            encoder.endBurst();
        }
        if (batch != null) {
            batch.release();
            batch = null;
        }
    }

    private static void cancel(@Nullable Future<?> timer) {
        if (timer != null) {
            timer.cancel(false);
        }
    }
}
