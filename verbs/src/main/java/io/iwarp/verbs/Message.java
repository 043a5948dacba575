package io.iwarp.verbs;

import io.iwarp.memory.MemoryWindow;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * A message of the peer: the payload of a Send, or Immediate Data. A {@link MessageListener} gets it for the time of
 * the call; code that takes it with {@link QueuePair#nextMessage} releases its {@link #bytes}. Immutable, except for
 * the bytes.
 */
public final class Message {
    private final Completion receive;
    private final ByteBuf bytes;

    Message(CompletionView receive) {
        this.receive = receive.copy();
        ByteBuf buffer = receive.buffer();
        bytes = buffer == null ? Unpooled.EMPTY_BUFFER : buffer;
    }

    /**
     * Returns the payload as the readable bytes of a buffer; empty for Immediate Data. {@linkplain ByteBuf#retain()
     * Retain} it to keep it after the call of a listener.
     */
    public ByteBuf bytes() {
        return bytes;
    }

    /** Returns whether this is Immediate Data (RFC 7306 section 6). */
    public boolean hasImmediate() {
        return receive.hasImmediate();
    }

    /**
     * Returns the Immediate Data.
     *
     * @throws IllegalStateException if this {@linkplain #hasImmediate is none}
     */
    public long immediate() {
        return receive.immediate();
    }

    /** Returns whether the peer requested an event with this message ({@link PostOptions#solicited}). */
    public boolean solicited() {
        return receive.solicited();
    }

    /** Returns the STag of this side that the message invalidated, or 0 if it invalidated none. */
    public int invalidatedStag() {
        return receive.invalidatedStag();
    }

    /**
     * Returns the window that the message invalidated; null if it invalidated none, or the STag of a region
     * ({@link #invalidatedStag}).
     */
    public @Nullable MemoryWindow invalidatedWindow() {
        return receive.invalidatedWindow();
    }

    @Override
    public String toString() {
        String content = hasImmediate() ? "Immediate Data " + immediate() : bytes.readableBytes() + " bytes";
        return "Message[" + content + (solicited() ? ", solicited" : "")
                + (invalidatedStag() == 0 ? "" : String.format(", invalidated STag 0x%08x", invalidatedStag())) + "]";
    }
}
