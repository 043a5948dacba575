package io.iwarp.memory;

import io.iwarp.internal.memory.DefaultMemoryRegion;
import io.netty.buffer.ByteBuf;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.Set;
import org.apiguardian.api.API;

/**
 * Bytes of the application that a peer can access by an STag. A region is registered in a {@link ProtectionDomain}.
 * {@link #invalidate} ends its STag. {@link #close} ends its STag and releases its memory.
 *
 * <p>The region holds a reference to each of its buffers until it is closed. Meanwhile the application must not resize
 * the buffer or the buffer it was sliced from, for example by writing past its capacity. Reader and writer indexes do
 * not matter. While the STag is valid, a peer with the right to write may change the bytes at any time and in any
 * order. Read them after a message of the peer that says that they are complete, or after the STag was invalidated.
 *
 * <p><b>Atomicity.</b> A word is 8 bytes at an address that is a multiple of 8. Each word is read as a whole by the
 * Reads and atomics of peers, by {@link #getBytes}, {@link #getVolatile} and {@link #getLongs}, and by a Send or Write
 * of a {@link #slice} while peers may change the region. So they see it before or after each atomic of a peer,
 * {@link #setVolatile}, {@link #fetchAdd} or {@link #compareSwap}. An RDMA Write, a message and {@link #setBytes} may
 * be seen in part, also within a word. Several words are never a snapshot. Accesses through a {@link #buffer} or
 * {@link #view} have none of these guarantees.
 *
 * <p>Any thread may call any method, an event loop included.
 */
public sealed interface MemoryRegion extends AutoCloseable permits DefaultMemoryRegion {
    /** Returns the domain of the region. */
    ProtectionDomain protectionDomain();

    /** Returns the STag, any 32-bit value except 0. */
    int stag();

    /** Returns the tagged offset of the first byte, unsigned. */
    long baseTaggedOffset();

    /** Returns the number of bytes, at least 1. */
    long length();

    /** Returns the rights of the region, which never change. */
    Set<AccessRight> rights();

    /** Returns whether a right is among the {@link #rights}. */
    boolean grants(AccessRight right);

    /** Returns whether the memory is read-only, so that it cannot be changed through this region. */
    boolean isReadOnly();

    /** Returns whether the STag is valid: the region was not invalidated or closed. */
    boolean isValid();

    /**
     * Returns the whole region as a buffer to advertise to the peer.
     *
     * @throws RegionClosedException if the region was invalidated or closed
     */
    RemoteBuffer remoteBuffer();

    /**
     * Returns part of the region as a buffer to advertise to the peer. The peer can still access the whole region: the
     * bounds of the region are checked. Use a {@linkplain #window window} to restrict it.
     *
     * @param offset where the part begins, in bytes from the beginning of the region
     * @param length the number of bytes of the part
     * @throws IndexOutOfBoundsException if the part is not within the region
     * @throws RegionClosedException if the region was invalidated or closed
     */
    RemoteBuffer remoteBuffer(long offset, long length);

    /**
     * Returns a piece of the region, as the local memory of requests. It needs no right, except as the sink of a Read,
     * which needs {@link AccessRight#LOCAL_WRITE}.
     *
     * @param offset where the piece begins, in bytes from the beginning of the region
     * @param length the number of bytes of the piece, at least 0
     * @throws IndexOutOfBoundsException if the piece is not within the region
     * @throws RegionClosedException if the region was closed
     * @throws UnsupportedOperationException if the region is over a {@linkplain RegionBuilder#file file}
     */
    LocalBuffer slice(long offset, long length);

    /** Returns the whole region as local memory; see {@link #slice(long, long)}. */
    LocalBuffer slice();

    /**
     * Returns a builder for a window: a separate STag over part of the region.
     *
     * @param offset where the part begins, in bytes from the beginning of the region
     * @param length the number of bytes of the part, at least 1
     * @throws IndexOutOfBoundsException if the part is not within the region
     */
    WindowBuilder window(long offset, long length);

    /**
     * Returns part of the region as a buffer, without a copy. Its memory stays valid until it is released, even if the
     * region is closed before. It shows what peers change meanwhile, until the region is invalidated. Read words that
     * change with {@link #getLongs}.
     *
     * <p>A Send or Write of this buffer, or of a slice, duplicate or read-only view of it, is copied before its
     * checksum is computed while a peer may change the region, as a {@link #slice} is. Otherwise a peer could end the
     * stream by changing the bytes between checksum and transmission. The stack cannot see this of any other buffer
     * over the same memory, for example one of which the region was made, or a composite buffer with this one as a
     * component: do not post such a buffer while peers may change the region. A receive into this buffer can still be
     * filled after the region was closed; one into a {@link #slice} cannot.
     *
     * <p>If the part lies in several buffers of the region, {@link ByteBuf#nioBuffers()} gives the pieces without a
     * copy, and {@link ByteBuf#nioBuffer()} copies them.
     *
     * @param offset where the part begins, in bytes from the beginning of the region
     * @param length the number of bytes of the part, at most 2,147,483,647
     * @return the buffer, with reader index 0 and all bytes readable, to be released by the caller; it cannot grow, is
     *     read-only if the region is, and belongs to one thread, as any buffer does
     * @throws IndexOutOfBoundsException if the part is not within the region
     * @throws IllegalArgumentException if it is longer than a buffer can be
     * @throws RegionClosedException if the region was closed
     * @throws UnsupportedOperationException if the region is over a {@linkplain RegionBuilder#file file}
     */
    ByteBuf buffer(long offset, long length);

    /**
     * Returns part of the region as a read-only buffer, without a copy: {@link #buffer}, read-only. Only a Send or
     * Write of this view, or of a buffer derived from it, is copied while a peer may change the region.
     *
     * @param offset where the part begins, in bytes from the beginning of the region
     * @param length the number of bytes of the part, at most 2,147,483,647
     * @return the view, with reader index 0 and all bytes readable, to be released by the caller
     * @throws IndexOutOfBoundsException if the part is not within the region
     * @throws IllegalArgumentException if it is longer than a buffer can be
     * @throws RegionClosedException if the region was closed
     * @throws UnsupportedOperationException if the region is over a {@linkplain RegionBuilder#file file}
     */
    ByteBuf view(long offset, long length);

    /**
     * Copies bytes of the region to the writer index of a buffer, and increases the writer index by their number. Each
     * word is read {@linkplain MemoryRegion atomically}. Errors are as for {@link #view}.
     *
     * @param offset the offset of the first byte in the region
     * @param dst the destination, used by the calling thread only; it grows as {@link ByteBuf#ensureWritable} says
     * @param length the number of bytes
     */
    void getBytes(long offset, ByteBuf dst, int length);

    /**
     * Returns a copy of bytes of the region. Atomicity and errors are as for {@link #getBytes(long, ByteBuf, int)}.
     *
     * @param offset the offset of the first byte in the region
     * @param length the number of bytes
     */
    byte[] getBytes(long offset, int length);

    /**
     * Copies the {@linkplain ByteBuf#readableBytes readable bytes} of a buffer into the region, and increases the
     * reader index of the buffer by their number. It is not {@linkplain MemoryRegion atomic}. Errors are as for
     * {@link #view}.
     *
     * @param offset the offset of the first byte in the region
     * @param src the source, used by the calling thread only
     * @throws UnsupportedOperationException if the memory is read-only
     */
    void setBytes(long offset, ByteBuf src);

    /**
     * Writes all bytes of the region to a file, at the position of the channel, which moves to their end. Each word is
     * read {@linkplain MemoryRegion atomically}. Peers may change the region meanwhile; to store one point in time,
     * {@link #invalidate} it first. The bytes are durable after {@link FileChannel#force}.
     *
     * <p>Blocks, so do not call it on an event loop. Errors are as for {@link #view}.
     *
     * @throws IOException if the file cannot be written; it may have some of the bytes then
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1.0")
    void store(FileChannel file) throws IOException;

    /**
     * Replaces all bytes of the region by those of a file, from the position of the channel on, which moves to their
     * end. The counterpart of {@link #store}. It is not {@linkplain MemoryRegion atomic}.
     *
     * <p>Blocks, so do not call it on an event loop. Errors are as for {@link #setBytes}.
     *
     * @throws EOFException if the file has fewer bytes than the region, which is then not changed
     * @throws IOException if the file cannot be read; some of the bytes may be replaced then
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1.0")
    void load(FileChannel file) throws IOException;

    /**
     * Reads a word of 8 bytes in native byte order, atomically and with the memory effects of a volatile read.
     *
     * @param offset the offset of the word in the region; its address must be a multiple of 8
     * @return the word
     * @throws IndexOutOfBoundsException if the 8 bytes are not within the region
     * @throws IllegalArgumentException if the address is not a multiple of 8, or the bytes lie in two buffers
     * @throws RegionClosedException if the region was closed
     */
    long getVolatile(long offset);

    /**
     * Reads words of 8 bytes in native byte order, each {@linkplain MemoryRegion atomically}. Errors are as for
     * {@link #getVolatile}.
     *
     * @param offset the offset of the first word in the region; its address must be a multiple of 8
     * @param into takes the words, one for each of its elements
     */
    void getLongs(long offset, long[] into);

    /**
     * Writes a word of 8 bytes in native byte order, atomically and with the memory effects of a volatile write. Offset
     * and errors are as for {@link #getVolatile}.
     *
     * @param offset the offset of the word in the region
     * @param word the word to write
     * @throws UnsupportedOperationException if the memory is read-only
     */
    void setVolatile(long offset, long word);

    /**
     * Adds to a word of 8 bytes in native byte order. It is {@linkplain MemoryRegion atomic} with regard to the atomics
     * of peers, but not to RDMA Writes and {@link #setBytes}. Offset and errors are as for {@link #setVolatile}.
     *
     * @param offset the offset of the word in the region
     * @param add the addend
     * @return the previous word
     */
    long fetchAdd(long offset, long add);

    /**
     * Replaces a word of 8 bytes if it is the expected one. Atomicity is as for {@link #fetchAdd}, offset and errors
     * are as for {@link #setVolatile}.
     *
     * @param offset the offset of the word in the region
     * @param expected the word to replace
     * @param replacement the new word
     * @return the previous word; it was replaced if it equals {@code expected}
     */
    long compareSwap(long offset, long expected, long replacement);

    /**
     * Ends the registration: invalidates the STag and those of all windows of the region, which no longer counts toward
     * the limits of its domain and device. The owner reads and writes the memory until it closes the region. When this
     * method returns, no access of a peer is in progress and none can begin: no peer changes or reads the bytes any
     * more (RFC 5042 section 6.2.2). It waits for accesses in progress, each at most the copy of one segment, and may
     * be called on an event loop. A further call only waits.
     */
    void invalidate();

    /**
     * Invalidates the region and releases its buffers. When this method returns, no peer changes the bytes any more,
     * not even by a message for which part of the region was posted as a receive: such a receive fails. Posted requests
     * that send from the region are still sent, and hold the buffers until then. It waits as {@link #invalidate} does,
     * and for calls of {@link #setBytes} in progress. A further call only waits.
     */
    @Override
    void close();

    /** Returns STag, range, rights and state, without the bytes. */
    @Override
    String toString();
}
