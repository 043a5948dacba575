package io.iwarp.tools.rdma;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.Conversation;
import io.iwarp.tools.cli.Meter;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;

/**
 * The side of rping that has the memory: it advertises a text, which the server reads, and then another place, to which
 * the server writes what it has read.
 *
 * @param conversation on a connection that was made
 * @param size of the text, in bytes
 * @param allRights whether the server may do more with the memory than it needs
 */
record RpingClient(Conversation conversation, int size, boolean allRights, RpingOutput output) {
    /**
     * Pings, then closes the connection gracefully.
     *
     * @param count the number of pings, 0 for no limit
     * @param validate whether what the server writes must be what it has read
     * @param meter counts and times the pings
     */
    void run(long count, boolean validate, Meter meter) throws IOException, InterruptedException {
        QueuePair queuePair = conversation.queuePair();
        try (MemoryRegion start = region(AccessRight.REMOTE_READ);
                MemoryRegion sink = region(AccessRight.REMOTE_WRITE)) {
            ByteBuf text = Unpooled.buffer(size, size);
            for (long ping = 0; count == 0 || ping < count; ping++) {
                RpingText.fill(text, ping);
                start.setBytes(0, text.duplicate());
                long begin = System.nanoTime();
                advertise(start);
                advertise(sink);
                meter.took(System.nanoTime() - begin);
                meter.done(1);
                check(text, sink, ping, validate);
            }
            conversation.close();
        } finally {
            queuePair.abort();
            output.disconnected("client");
        }
    }

    private MemoryRegion region(AccessRight right) {
        AccessRight[] rights = allRights ? AccessRight.values() : new AccessRight[] {right};
        return conversation
                .queuePair()
                .region()
                .allocate(ByteBufAllocator.DEFAULT, size)
                .rights(rights)
                .register();
    }

    /** Advertises memory to the server, and waits for its answer. */
    private void advertise(MemoryRegion memory) throws IOException, InterruptedException {
        RemoteBuffer advertised = memory.remoteBuffer();
        output.step("RDMA addr %x rkey %x len %d", advertised.taggedOffset(), advertised.stag(), advertised.length());
        conversation.send(RpingMessage.advertisement(advertised));
        RpingMessage.requireMessage(conversation.receive());
        output.step("recv completion");
    }

    private void check(ByteBuf text, MemoryRegion sink, long ping, boolean validate) {
        ByteBuf found = Unpooled.buffer(size, size);
        sink.getBytes(0, found, size);
        if (validate && !ByteBufUtil.equals(text, found)) {
            throw new CommandFailedException("data mismatch! What the server wrote in ping " + ping
                    + " is not what it had to read: it, or something on the way, is faulty");
        }
        output.data("ping data", RpingText.shown(found));
    }
}
