package io.iwarp.internal.mpa;

import io.iwarp.Counter;
import io.iwarp.Counters;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import java.util.function.LongSupplier;

/**
 * The number of bytes of a stream that the transport has taken and received. All deadlines and limits that depend on
 * the progress of the peer read it. Bytes in the queue of the transport do not count as taken.
 *
 * <p>It is computed on demand. Call all methods on the event loop of the channel.
 */
public final class WirePosition {
    /** The bytes that Netty adds for each message in {@link ChannelOutboundBuffer#totalPendingWriteBytes}. */
    private static final int ENTRY_OVERHEAD =
            Integer.getInteger("io.netty.transport.outboundBufferEntrySizeOverhead", 96);

    private final Channel channel;
    private final Counters counters;
    private final LongSupplier written;
    private long takenBytes;

    /** Creates the position of a stream whose FPDUs are the bytes on the wire. */
    public WirePosition(Channel channel, Counters counters) {
        this(channel, counters, () -> counters.get(Counter.BYTES_SENT));
    }

    /**
     * Creates the position of a stream whose transport changes the number of bytes, as TLS does.
     *
     * @param counters of the stream
     * @param written returns how many bytes were handed to the channel's own queue
     */
    public WirePosition(Channel channel, Counters counters, LongSupplier written) {
        this.channel = channel;
        this.counters = counters;
        this.written = written;
    }

    /** Returns how many bytes were handed to the transport. It has taken {@link #taken} of them. */
    public long written() {
        return written.getAsLong();
    }

    /** Returns how many bytes the transport has taken. Never decreases, and is exact to the byte after a flush. */
    public long taken() {
        ChannelOutboundBuffer queue = channel.unsafe().outboundBuffer();
        if (queue != null) {
            long pending =
                    queue.totalPendingWriteBytes() - (long) ENTRY_OVERHEAD * queue.size() - queue.currentProgress();
            takenBytes = Math.max(takenBytes, written() - pending);
        }
        return takenBytes;
    }

    /** Returns how many bytes the transport has received, also of incomplete FPDUs. Never decreases. */
    public long received() {
        return counters.get(Counter.BYTES_RECEIVED);
    }
}
