package io.iwarp.internal.transport;

import io.netty.channel.Channel;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.nio.NioIoEvent;
import io.netty.channel.nio.NioIoOps;
import io.netty.util.concurrent.FastThreadLocal;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads from the channel that delivered last before a polling event loop polls its transport for channels with input.
 * Saves one system call per round trip at each end.
 *
 * <p>A direct read is the read that Netty does for an event of the transport: errors, the end of the stream and
 * {@code channelReadComplete} take the same path. The transport is polled after {@value #MAX_TRIES} direct reads at the
 * latest, so that other channels are read and a reset is detected. A channel whose last read was large is not read
 * directly: more bytes arrive during the poll, so bulk data takes fewer reads.
 *
 * <p>Used by the thread of the event loop alone.
 */
public final class DirectReads {
    private static final FastThreadLocal<DirectReads> OF_LOOP = new FastThreadLocal<>();
    private static final int MAX_TRIES = 8;
    private static final int MAX_BYTES = 4096;

    /** The event of a channel with input; null if the transport has none, such as io_uring. */
    private final @Nullable IoEvent readable;

    private final BooleanSupplier mayPoll;

    private @Nullable Channel channel;
    private int bytesRead;
    private int tries;

    /**
     * @param transport the transport's handler of the event loop
     * @param mayPoll whether the event loop has nothing else to do and must not sleep
     */
    public DirectReads(IoHandler transport, BooleanSupplier mayPoll) {
        this.mayPoll = mayPoll;
        // Found by name, because the classes of an unused transport may be absent.
        this.readable = switch (transport.getClass().getName()) {
            case "io.netty.channel.nio.NioIoHandler" -> (NioIoEvent) () -> NioIoOps.READ;
            case "io.netty.channel.epoll.EpollIoHandler" -> (EpollIoEvent) () -> EpollIoOps.EPOLLIN;
            default -> null;
        };
    }

    /** Makes these the direct reads of the current thread. */
    public void install() {
        OF_LOOP.set(this);
    }

    /** Returns the direct reads of the current event loop; null if it does not poll. */
    static @Nullable DirectReads ofCurrentLoop() {
        return OF_LOOP.getIfExists();
    }

    /**
     * A channel of the event loop has read.
     *
     * @param bytes the bytes of all reads of one event; -1 at the end of the stream
     */
    void onRead(Channel from, int bytes) {
        if (bytes != 0) {
            bytesRead = bytes;
            channel = bytes > 0 && bytes <= MAX_BYTES ? from : null;
        }
    }

    /**
     * Reads until a read delivers bytes, or the transport has to be asked.
     *
     * @return whether a read delivered bytes or the end of the stream
     */
    public boolean read() {
        while (tries < MAX_TRIES && mayPoll.getAsBoolean()) {
            Channel channel = this.channel;
            if (channel == null || readable == null || !isReadable(channel)) {
                this.channel = null;
                break;
            }
            tries++;
            bytesRead = 0;
            // Netty's channels need no registration for a read.
            ((IoHandle) channel.unsafe()).handle(null, readable);
            if (bytesRead != 0) {
                return true;
            }
        }
        tries = 0;
        return false;
    }

    private static boolean isReadable(Channel channel) {
        return channel.isActive()
                && channel.isRegistered()
                && channel.eventLoop().inEventLoop()
                && channel.config().isAutoRead();
    }
}
