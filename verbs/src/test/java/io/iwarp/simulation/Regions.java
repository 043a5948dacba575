package io.iwarp.simulation;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.RemoteBuffer;
import io.netty.buffer.ByteBuf;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The memory of one side that its peer uses, and what the peer's requests have to have made of it. */
final class Regions {
    static final int BYTES = 32 * 1024;
    static final int NUMBERS = 8;
    /** What is in the region that the peer reads. */
    static final byte[] SOURCE = new byte[BYTES];

    private static final byte[] ZEROS = new byte[BYTES];

    static {
        for (int i = 0; i < SOURCE.length; i++) {
            SOURCE[i] = (byte) (i * 7 + (i >>> 8) * 13);
        }
    }

    private final End end;
    private final World world;
    private final Plan plan;
    private final ByteBuf targetMemory;
    private final ByteBuf sourceMemory;
    private final ByteBuf numberMemory;
    final ByteBuf localMemory;
    final MemoryRegion target;
    final MemoryRegion source;
    final MemoryRegion numbers;
    final MemoryRegion local;
    private final RemoteBuffer targetAddress;
    private final RemoteBuffer sourceAddress;
    private final RemoteBuffer numbersAddress;
    private boolean revoked;
    private byte @Nullable [] targetAtRevocation;
    private int receivedAtRevocation;

    Regions(End end) {
        this.end = end;
        this.world = end.world;
        this.plan = end.plan;
        targetMemory = zeros(BYTES);
        sourceMemory = zeros(BYTES);
        numberMemory = zeros(NUMBERS * Long.BYTES);
        localMemory = zeros(BYTES);
        sourceMemory.setBytes(0, SOURCE);
        target = end.domain.register(targetMemory, AccessRight.REMOTE_WRITE);
        source = end.domain.register(sourceMemory, AccessRight.REMOTE_READ);
        numbers = end.domain.register(numberMemory, AccessRight.REMOTE_ATOMIC);
        local = end.domain.register(localMemory, AccessRight.LOCAL_WRITE);
        targetAddress = target.remoteBuffer();
        sourceAddress = source.remoteBuffer();
        numbersAddress = numbers.remoteBuffer();
    }

    RemoteBuffer targetAddress() {
        return targetAddress;
    }

    RemoteBuffer sourceAddress() {
        return sourceAddress;
    }

    RemoteBuffer numbersAddress() {
        return numbersAddress;
    }

    private ByteBuf zeros(int bytes) {
        ByteBuf buffer = end.allocator.directBuffer(bytes, bytes);
        return buffer.writeBytes(ZEROS, 0, bytes);
    }

    void revoke() {
        revoked = true;
        int which = world.dice.below(4);
        MemoryRegion region = which == 0 ? target : which == 1 ? source : which == 2 ? numbers : local;
        world.trace().add(world, "revokes", end, which);
        if (region == target) {
            target.invalidate();
            targetAtRevocation = bytesOf(targetMemory);
            receivedAtRevocation = end.completions.received.size();
        } else {
            region.close();
        }
    }

    private static byte[] bytesOf(ByteBuf memory) {
        byte[] bytes = new byte[memory.capacity()];
        memory.getBytes(0, bytes);
        return bytes;
    }

    boolean revoked() {
        return revoked;
    }

    void judgeMemory() {
        List<Post> messages = new ArrayList<>();
        for (Post post : end.other().completions.sendOrder) {
            if (post.kind.message()) {
                messages.add(post);
            }
        }
        for (int i = 0; i < end.completions.received.size(); i++) {
            if (i >= messages.size() || messages.get(i).id != end.completions.received.get(i)) {
                // An Immediate in the form with a future carries the number too.
                world.violated(
                        "messages arrive in the order of their posts",
                        end + " message " + i + " is " + end.completions.received.get(i) + ", posted was "
                                + (i < messages.size() ? messages.get(i) : "none"));
                return;
            }
        }
        byte[] bytes = targetAtRevocation == null ? bytesOf(targetMemory) : targetAtRevocation;
        int messagesSeen = targetAtRevocation == null ? end.completions.received.size() : receivedAtRevocation;
        List<MemoryModel.Change> changes = new ArrayList<>();
        int arrived = 0;
        for (Post post : end.other().completions.sendOrder) {
            if (post.kind.write()) {
                changes.add(new MemoryModel.Change(post.offset, post.length, post.id));
            }
            if (post.kind.message() && messagesSeen-- > 0) {
                arrived = changes.size();
            }
        }
        String wrong = MemoryModel.judge(bytes, changes, arrived, plan.trouble.has(Trouble.Kind.PIECES));
        if (wrong != null) {
            world.violated("memory is as the Writes left it", end + " " + wrong);
        }
        if (targetAtRevocation != null && !Arrays.equals(targetAtRevocation, bytesOf(targetMemory))) {
            world.violated("revoked memory stays as it is", end + " was written to after invalidate() had returned");
        }
        int different = Arrays.mismatch(bytesOf(sourceMemory), SOURCE);
        if (different >= 0) {
            world.violated(
                    "memory that no peer may write to stays as it is", end + " byte " + different + " of the source");
        }
    }

    /** Atomics are carried out in the order of their posts, each once, and tell the number before it. */
    void judgeNumbers() {
        long[] model = new long[NUMBERS];
        boolean same = same(model);
        for (Post post : end.other().completions.sendOrder) {
            if (post.kind != Post.Kind.FETCH_ADD && post.kind != Post.Kind.COMPARE_SWAP) {
                continue;
            }
            int index = post.offset / Long.BYTES;
            if (post.successful) {
                same = false;
                if (post.original != model[index]) {
                    world.violated(
                            "an atomic tells the number before it",
                            end.other() + " " + post + " tells " + post.original + ", it was " + model[index]);
                }
            }
            if (post.kind == Post.Kind.FETCH_ADD) {
                model[index] += post.operand;
            } else if (model[index] == post.expected) {
                model[index] = post.operand;
            }
            same |= same(model);
        }
        if (!same) {
            world.violated("numbers are as the atomics left them", end.toString());
        }
    }

    private boolean same(long[] model) {
        boolean little = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
        for (int i = 0; i < NUMBERS; i++) {
            long number = little ? numberMemory.getLongLE(i * Long.BYTES) : numberMemory.getLong(i * Long.BYTES);
            if (number != model[i]) {
                return false;
            }
        }
        return true;
    }

    void close() {
        for (MemoryRegion region : List.of(target, source, numbers, local)) {
            region.close();
        }
    }

    void release() {
        targetMemory.release();
        sourceMemory.release();
        numberMemory.release();
        localMemory.release();
    }
}
