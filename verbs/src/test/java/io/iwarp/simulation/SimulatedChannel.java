package io.iwarp.simulation;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelId;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.channel.socket.DuplexChannel;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A socket of the simulated kernel, which behaves towards its pipeline as Netty's NIO sockets do. */
final class SimulatedChannel extends AbstractChannel implements DuplexChannel {
    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);

    private record Address(String name) implements java.io.Serializable {}

    private static final class SocketName extends SocketAddress {
        private static final long serialVersionUID = 1;
        private final Address address;

        SocketName(String name) {
            address = new Address(name);
        }

        @Override
        public String toString() {
            return address.name();
        }
    }

    private static final class Id implements ChannelId {
        private static final long serialVersionUID = 1;
        private final String name;

        Id(String name) {
            this.name = name;
        }

        @Override
        public String asShortText() {
            return name;
        }

        @Override
        public String asLongText() {
            return name;
        }

        @Override
        public int compareTo(ChannelId other) {
            return name.compareTo(other.asLongText());
        }
    }

    private final World world;
    private final String name;
    private final Pipe in;
    private final Pipe out;
    private final Config config = new Config();
    private final SocketAddress address;
    private @Nullable SimulatedChannel peer;
    private @Nullable SimulatedLoop loop;
    private boolean open = true;
    private boolean readPending;
    private boolean inputShutdown;
    private boolean outputShutdown;
    private boolean endSeen;
    private boolean writeBlocked;
    private @Nullable IOException error;
    private boolean errorRead;
    /** Set while the application has turned reading off, and has not asked for more since. */
    private boolean pausedByApplication;

    SimulatedChannel(World world, String name, Pipe in, Pipe out) {
        super(null, new Id(name));
        this.world = world;
        this.name = name;
        this.in = in;
        this.out = out;
        this.address = new SocketName(name);
    }

    void connectedTo(SimulatedChannel other) {
        peer = other;
    }

    void runsOn(SimulatedLoop its) {
        loop = its;
    }

    SimulatedLoop loop() {
        return Objects.requireNonNull(loop);
    }

    Pipe in() {
        return in;
    }

    Pipe out() {
        return out;
    }

    /** Returns the bytes that wait for the transport, as Netty counts them. */
    long pendingOutput() {
        ChannelOutboundBuffer queue = unsafe().outboundBuffer();
        return queue == null ? 0 : queue.totalPendingWriteBytes();
    }

    boolean pausedByApplication() {
        return pausedByApplication;
    }

    void pausedByApplication(boolean paused) {
        pausedByApplication = paused;
    }

    /** Returns whether there is something to read that was not asked for. */
    boolean inputWaits() {
        return open && !inputShutdown && !readPending && (in.readable() > 0 || in.atEnd());
    }

    boolean hasInput() {
        return open
                && isRegistered()
                && !inputShutdown
                && readPending
                && (in.readable() > 0 || in.atEnd() || unreadError());
    }

    private boolean unreadError() {
        return error != null && !errorRead;
    }

    boolean hasRoom() {
        return open && writeBlocked && (out.room() > 0 || error != null);
    }

    /** The selector tells that there is something to read, or room to write. */
    void onSelected() {
        if (hasRoom() && (!hasInput() || world.dice.permille(500))) {
            world.trace().add(world, "writable", this);
            ((Unsafe) unsafe()).flushOn();
        } else {
            world.trace().add(world, "readable", this, in.readable(), in.atEnd() ? "end" : "");
            readAll();
        }
    }

    /** The connection is lost; this side learns of it with its next read or write. */
    void fail(String cause) {
        if (open && error == null) {
            world.trace().add(world, "lost", this, cause);
            error = new IOException(cause);
            in.kill();
            out.kill();
            if (world.dice.permille(500)) {
                in.discardArrived();
            }
        }
    }

    boolean failed() {
        return error != null;
    }

    private void readAll() {
        ChannelPipeline pipeline = pipeline();
        RecvByteBufAllocator.ExtendedHandle handle =
                (RecvByteBufAllocator.ExtendedHandle) unsafe().recvBufAllocHandle();
        handle.reset(config);
        ByteBuf buffer = null;
        boolean close = false;
        try {
            do {
                buffer = handle.allocate(config.getAllocator());
                handle.lastBytesRead(readInto(buffer, handle));
                if (handle.lastBytesRead() <= 0) {
                    buffer.release();
                    buffer = null;
                    close = handle.lastBytesRead() < 0;
                    if (close) {
                        readPending = false;
                    }
                    break;
                }
                handle.incMessagesRead(1);
                readPending = false;
                pipeline.fireChannelRead(buffer);
                buffer = null;
            } while (handle.continueReading());
            handle.readComplete();
            pipeline.fireChannelReadComplete();
            if (close) {
                closeOnRead(pipeline);
            }
        } catch (Throwable e) {
            onReadFailure(pipeline, handle, buffer, e);
        }
    }

    private int readInto(ByteBuf buffer, RecvByteBufAllocator.ExtendedHandle handle) throws IOException {
        handle.attemptedBytesRead(buffer.writableBytes());
        if (in.readable() == 0 && unreadError()) {
            errorRead = true;
            throw new IOException(String.valueOf(error == null ? null : error.getMessage()));
        }
        if (in.atEnd()) {
            return -1;
        }
        return in.read(buffer);
    }

    private void onReadFailure(
            ChannelPipeline pipeline,
            RecvByteBufAllocator.ExtendedHandle handle,
            @Nullable ByteBuf buffer,
            Throwable failure) {
        if (failure instanceof Violation violation) {
            throw violation;
        }
        if (buffer != null) {
            if (buffer.isReadable()) {
                readPending = false;
                pipeline.fireChannelRead(buffer);
            } else {
                buffer.release();
            }
        }
        handle.readComplete();
        pipeline.fireChannelReadComplete();
        pipeline.fireExceptionCaught(failure);
        if (failure instanceof OutOfMemoryError || failure instanceof IOException) {
            closeOnRead(pipeline);
        }
    }

    private void closeOnRead(ChannelPipeline pipeline) {
        if (!inputShutdown) {
            if (config.isAllowHalfClosure()) {
                inputShutdown = true;
                pipeline.fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
            } else {
                unsafe().close(voidPromise());
            }
        } else if (!endSeen) {
            endSeen = true;
            pipeline.fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
        }
    }

    @Override
    protected void doBeginRead() {
        if (!inputShutdown) {
            readPending = true;
        }
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer buffer) throws Exception {
        writeBlocked = false;
        while (true) {
            Object message = buffer.current();
            if (message == null) {
                return;
            }
            ByteBuf bytes = (ByteBuf) message;
            if (bytes.isReadable()) {
                if (error != null) {
                    throw new IOException("Broken pipe");
                }
                int count = out.write(bytes);
                if (count > 0) {
                    buffer.progress(count);
                }
                if (bytes.isReadable()) {
                    writeBlocked = true;
                    return;
                }
            }
            buffer.remove();
        }
    }

    @Override
    protected void doShutdownOutput() {
        outputShutdown = true;
        world.trace().add(world, "shut down output", this);
        out.end();
    }

    @Override
    protected void doClose() {
        if (!open) {
            return;
        }
        boolean unread = in.readable() > 0;
        world.trace().add(world, "closed", this, unread ? "with unread input" : "");
        open = false;
        inputShutdown = true;
        outputShutdown = true;
        writeBlocked = false;
        SimulatedChannel other = peer;
        if (other == null) {
            out.end();
            in.unwanted(() -> {});
            return;
        }
        if (unread) {
            reset(other);
        } else {
            out.end();
            in.unwanted(() -> reset(other));
        }
    }

    private void reset(SimulatedChannel other) {
        world.after(world.dice.between(0, 100_000), "reset", () -> other.fail("Connection reset"));
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new Unsafe();
    }

    private final class Unsafe extends AbstractUnsafe {
        @Override
        public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
            promise.setFailure(new UnsupportedOperationException("connected from the start"));
        }

        @Override
        protected void flush0() {
            if (!writeBlocked) {
                super.flush0();
            }
        }

        void flushOn() {
            super.flush0();
        }
    }

    private final class Config extends DefaultChannelConfig {
        private boolean allowHalfClosure;

        Config() {
            super(SimulatedChannel.this);
        }

        boolean isAllowHalfClosure() {
            return allowHalfClosure;
        }

        @Override
        public Map<ChannelOption<?>, Object> getOptions() {
            return getOptions(super.getOptions(), ChannelOption.ALLOW_HALF_CLOSURE);
        }

        @Override
        @SuppressWarnings("unchecked")
        public <T> T getOption(ChannelOption<T> option) {
            return option.equals(ChannelOption.ALLOW_HALF_CLOSURE)
                    ? (T) Boolean.valueOf(allowHalfClosure)
                    : super.getOption(option);
        }

        @Override
        public <T> boolean setOption(ChannelOption<T> option, T value) {
            if (option.equals(ChannelOption.ALLOW_HALF_CLOSURE)) {
                allowHalfClosure = (Boolean) value;
                return true;
            }
            return option.equals(ChannelOption.TCP_NODELAY) || super.setOption(option, value);
        }

        @Override
        protected void autoReadCleared() {
            if (eventLoop().inEventLoop()) {
                readPending = false;
            } else {
                eventLoop().execute(() -> {
                    if (!isAutoRead()) {
                        readPending = false;
                    }
                });
            }
        }
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return loop instanceof SimulatedLoop;
    }

    @Override
    protected SocketAddress localAddress0() {
        return address;
    }

    @Override
    protected @Nullable SocketAddress remoteAddress0() {
        return peer == null ? null : peer.address;
    }

    @Override
    protected void doBind(SocketAddress local) {
        throw new UnsupportedOperationException("connected from the start");
    }

    @Override
    protected void doDisconnect() {
        doClose();
    }

    @Override
    public ChannelConfig config() {
        return config;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public boolean isActive() {
        return open;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    @Override
    public boolean isInputShutdown() {
        return inputShutdown;
    }

    @Override
    public boolean isOutputShutdown() {
        return outputShutdown;
    }

    @Override
    public boolean isShutdown() {
        return inputShutdown && outputShutdown;
    }

    @Override
    public ChannelFuture shutdownOutput() {
        return shutdownOutput(newPromise());
    }

    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
        if (eventLoop().inEventLoop()) {
            ((AbstractUnsafe) unsafe()).shutdownOutput(promise);
        } else {
            eventLoop().execute(() -> ((AbstractUnsafe) unsafe()).shutdownOutput(promise));
        }
        return promise;
    }

    @Override
    public ChannelFuture shutdownInput() {
        return shutdownInput(newPromise());
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
        throw new UnsupportedOperationException("no code shuts down input");
    }

    @Override
    public ChannelFuture shutdown() {
        return shutdown(newPromise());
    }

    @Override
    public ChannelFuture shutdown(ChannelPromise promise) {
        throw new UnsupportedOperationException("no code shuts down both halves");
    }

    @Override
    public String toString() {
        return name;
    }
}
