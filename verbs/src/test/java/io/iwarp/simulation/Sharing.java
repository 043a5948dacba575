package io.iwarp.simulation;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.MemoryWindow;
import io.iwarp.memory.RegionClosedException;
import io.iwarp.memory.RemoteBuffer;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Memory of one side that both sides write to while it is sent, and a window over its target that is bound again and
 * again.
 */
final class Sharing {
    static final int BYTES = 48 * 1024;
    /** Long enough to be sent by reference. */
    static final int MAX = 24 * 1024;

    private final End end;
    private final MemoryRegion target;
    private final ByteBuf memory;
    private final MemoryRegion region;
    private @Nullable MemoryWindow window;
    private boolean taken;

    Sharing(End end, MemoryRegion target) {
        this.end = end;
        this.target = target;
        boolean used = end.plan.trouble.has(Trouble.Kind.SHARED_SOURCES);
        memory = end.allocator.directBuffer(used ? BYTES : 1);
        // Both sides write other bytes.
        memory.writeBytes(MemoryModel.pattern(end.name.hashCode(), 0, memory.capacity()));
        region = end.domain.register(memory, AccessRight.REMOTE_WRITE);
    }

    MemoryRegion region() {
        return region;
    }

    RemoteBuffer shared(int offset, int length) {
        return region.remoteBuffer(offset, length);
    }

    /** Returns the window of the peer alone, until its message came back; null if there is none. */
    @Nullable
    RemoteBuffer takeWindow() {
        MemoryWindow now = window;
        if (now == null || taken) {
            return null;
        }
        try {
            RemoteBuffer address = now.remoteBuffer();
            taken = true;
            return address;
        } catch (RegionClosedException revoked) {
            return null;
        }
    }

    /** The peer has not used it. */
    void offerWindow() {
        taken = false;
    }

    void bind() {
        if (!end.plan.trouble.has(Trouble.Kind.WINDOWS)) {
            return;
        }
        try {
            window = end.queuePair()
                    .window(target, 0, target.length())
                    .rights(AccessRight.REMOTE_WRITE)
                    .bind();
            taken = false;
        } catch (RegionClosedException revoked) {
            window = null;
        }
    }

    /** A message arrived, and may have invalidated the window. */
    void onMessage(int invalidated) {
        MemoryWindow now = window;
        if (invalidated == 0 || now == null) {
            return;
        }
        if (now.stag() != invalidated || now.isValid()) {
            end.world.violated(
                    "an invalidated window is over", end + " a message invalidated another STag, or nothing");
        }
        now.close();
        bind();
    }

    void dispose() {
        if (window != null) {
            window.close();
        }
        region.close();
        memory.release();
    }
}
