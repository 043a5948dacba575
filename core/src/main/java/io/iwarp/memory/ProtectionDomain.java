package io.iwarp.memory;

import io.iwarp.internal.memory.DefaultProtectionDomain;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletableFuture;

/**
 * Groups streams and memory: a stream can access only regions of its domain (RFC 5041 section 8.2, RFC 5042 section
 * 6.1.1). If peers do not trust each other, put their streams into separate domains, or register regions for one stream
 * with {@code QueuePair.region}.
 *
 * <p>Any thread may call any method.
 */
public sealed interface ProtectionDomain extends AutoCloseable permits DefaultProtectionDomain {
    /** Returns a new domain on a new device, so that it shares no STags and limits. */
    static ProtectionDomain create() {
        return IwarpDevice.create().createProtectionDomain();
    }

    /** Returns the device whose STags and limits this domain uses. */
    IwarpDevice device();

    /** Returns the limits of this domain. The limits of the device apply as well. */
    DomainLimits limits();

    /** Returns the number of registered regions of this domain, whose STags are valid. */
    int regionCount();

    /** Returns the number of bytes of all registered regions of this domain. */
    long registeredBytes();

    /**
     * Returns the number of regions that were refused because this limit of the domain was reached. 0 for limits of the
     * device, which {@link IwarpDevice#refusals(MemoryLimit)} counts.
     */
    long refusals(MemoryLimit limit);

    /**
     * Registers all bytes of one direct buffer, from index 0 to its capacity, under tagged offsets from 0 on, for all
     * streams of the domain. See {@link RegionBuilder#buffers} for the requirements on the buffer.
     *
     * @param direct a direct buffer; the region retains it, and releases it when it is closed
     * @param rights the rights of the region; may be none
     * @return the region
     * @throws IllegalArgumentException if the buffer cannot be registered; the message says what to do
     * @throws IllegalStateException if the domain was closed
     * @throws ResourceLimitException if a limit of the domain or the device is reached
     */
    MemoryRegion register(ByteBuf direct, AccessRight... rights);

    /**
     * Allocates memory that is zero, and registers it. {@link #region} has more options.
     *
     * @param length the number of bytes, at least 1
     * @param rights the rights of the region; may be none
     * @return the region, which releases its memory when it is closed
     * @throws IllegalStateException if the domain was closed
     * @throws ResourceLimitException if a limit of the domain or the device is reached
     */
    MemoryRegion allocate(long length, AccessRight... rights);

    /** Returns a builder for a region of this domain. */
    RegionBuilder region();

    /**
     * Closes the domain: nothing can be registered in it any more, and no connection uses it. Connections that are
     * {@linkplain io.iwarp.ConnectionState#DRAINING closing} go on to their end, which {@link #closed} reports; regions
     * for one of them alone end with it. Closing again does nothing.
     *
     * @throws IllegalStateException if other regions or connections of the domain are open; then the domain stays open
     */
    @Override
    void close();

    /**
     * Returns a future that completes when the domain is {@linkplain #close closed} and its last connection has ended,
     * on the thread that closes the domain or on the event loop of that connection.
     */
    CompletableFuture<Void> closed();

    /** Returns what is registered now, and whether the domain was closed. */
    @Override
    String toString();
}
