package io.iwarp.tools.rdma;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.EndedBy;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.Conversation;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.ErrorLines;
import io.iwarp.tools.cli.ListenOptions;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.io.IOException;

/**
 * One client of an rping server: the server reads the memory that the client advertises, and then writes what it has
 * read to where the client says next. It sends a message after each.
 *
 * @param conversation on a connection that was accepted
 * @param maxSize of a client's memory, in bytes
 * @param allRights whether the client may use the memory into which the server reads
 */
record RpingSession(Conversation conversation, int maxSize, boolean allRights, RpingOutput output) {
    /**
     * Serves until the client leaves.
     *
     * @return whether it closed gracefully, after a whole number of pings
     */
    boolean run() throws InterruptedException {
        String client = ListenOptions.addressText(conversation.queuePair().remoteAddress());
        output.step("accepting client connection request");
        boolean between = false;
        try (MemoryRegion memory = conversation
                .queuePair()
                .region()
                .allocate(ByteBufAllocator.DEFAULT, maxSize)
                .rights(allRights ? AccessRight.values() : new AccessRight[] {AccessRight.LOCAL_WRITE})
                .register()) {
            Endpoint.await(conversation.queuePair().ready());
            while (true) {
                between = true;
                RemoteBuffer source = receive();
                between = false;
                serve(memory, source);
            }
        } catch (ConnectionClosedException e) {
            if (between && e.reason().endedBy() == EndedBy.PEER_CLOSED) {
                return true;
            }
            output.complaint(client + ": " + ErrorLines.describe(e));
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            // Whatever the step that failed: on a connection that has ended, its end is the reason.
            CloseReason end = conversation.queuePair().closeReason();
            output.complaint(client + ": " + (end == null ? ErrorLines.describe(e) : ErrorLines.describe(end)));
        } finally {
            conversation.queuePair().abort();
            output.disconnected("server");
        }
        return false;
    }

    private void serve(MemoryRegion memory, RemoteBuffer source) throws IOException, InterruptedException {
        QueuePair queuePair = conversation.queuePair();
        output.step("server posted rdma read req");
        Endpoint.await(queuePair.read(memory.slice(0, source.length()), source));
        output.step("server received read complete");
        ByteBuf text = copy(memory, (int) source.length());
        output.data("server ping data", RpingText.shown(text));
        goAhead();

        RemoteBuffer target = receive();
        int length = RpingText.length(text);
        if (length > target.length()) {
            throw new CommandFailedException(
                    "the client wants its text of " + length + " bytes in a memory of " + target.length() + " bytes");
        }
        output.step("rdma write of %d bytes to addr %x rkey %x", length, target.taggedOffset(), target.stag());
        Endpoint.await(queuePair.write(memory.slice(0, length), target));
        output.step("server rdma write complete");
        goAhead();
    }

    private RemoteBuffer receive() throws IOException, InterruptedException {
        RemoteBuffer advertised = RpingMessage.decode(conversation.receive());
        output.step(
                "Received rkey %x addr %x len %d from peer",
                advertised.stag(), advertised.taggedOffset(), advertised.length());
        if (advertised.length() > maxSize) {
            throw new CommandFailedException("the client advertises " + advertised.length() + " bytes, taken are "
                    + maxSize + ": start the server with a greater -S");
        }
        return advertised;
    }

    private void goAhead() throws IOException, InterruptedException {
        conversation.send(RpingMessage.goAhead());
        output.step("server posted go ahead");
    }

    private static ByteBuf copy(MemoryRegion memory, int length) {
        ByteBuf copy = Unpooled.buffer(length, length);
        memory.getBytes(0, copy, length);
        return copy;
    }
}
