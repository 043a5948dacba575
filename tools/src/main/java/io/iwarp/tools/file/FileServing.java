package io.iwarp.tools.file;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.MemoryWindow;
import io.iwarp.tools.cli.CommandFailedException;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Lets one client read a file from the server's memory. Each piece in memory has its own window, which the client
 * invalidates after reading. While the client reads one piece, the server loads the next from disk. Not thread-safe.
 */
final class FileServing {
    private final FileDialogue client;
    private final ByteBuf memory;
    private final int slotLength;
    private final MemoryWindow[] windows = new MemoryWindow[FileSession.SLOTS];
    private final Sha256 hash = new Sha256();

    /** @param memory {@link FileSession#SLOTS} slots */
    FileServing(FileDialogue client, ByteBuf memory, int slotLength) {
        this.client = client;
        this.memory = memory;
        this.slotLength = slotLength;
    }

    /**
     * Serves a file, and closes it.
     *
     * @param source of a known size
     * @param region the memory, registered without access rights
     * @return a line about it for the log
     */
    String serve(SourceFile source, MemoryRegion region) throws IOException, InterruptedException {
        try (SourceFile file = source) {
            long begin = System.nanoTime();
            client.send(new FileMessage.Found(file.size()));
            servePieces(file, region);
            file.requireUnchanged();
            String ours = hash.hex();
            client.send(new FileMessage.Done(ours));
            String theirs = client.receive(FileMessage.Stored.class).hash();
            if (!ours.equals(theirs)) {
                throw new CommandFailedException("the client stored SHA-256 " + theirs + " instead of " + ours);
            }
            return FileSession.report("fetched", file.name(), file.size(), System.nanoTime() - begin, ours);
        }
    }

    private void servePieces(SourceFile file, MemoryRegion region) throws IOException, InterruptedException {
        long number = 0;
        for (long served = 0; served < file.size(); number++) {
            if (number >= FileSession.SLOTS) {
                awaitTaken(number - FileSession.SLOTS);
            }
            int slot = slotOf(number);
            int length = (int) Math.min(slotLength, file.size() - served);
            ByteBuffer bytes = memory.nioBuffer(slot * slotLength, length);
            file.read(bytes);
            hash.update(bytes.flip());
            windows[slot] =
                    client.conversation().bind(region, (long) slot * slotLength, length, AccessRight.REMOTE_READ);
            client.send(new FileMessage.Served(number, client.conversation().advertised(windows[slot])));
            served += length;
        }
        for (long taken = Math.max(0, number - FileSession.SLOTS); taken < number; taken++) {
            awaitTaken(taken);
        }
    }

    /** The message is a Send with Invalidate, so the client cannot access the piece any more. */
    private void awaitTaken(long number) throws IOException, InterruptedException {
        FileMessage.Taken taken = client.receive(FileMessage.Taken.class);
        if (taken.number() != number || windows[slotOf(number)].isValid()) {
            throw new CommandFailedException("piece " + taken.number() + " was taken, expected was piece " + number
                    + " with its STag invalidated");
        }
    }

    private static int slotOf(long number) {
        return (int) (number % FileSession.SLOTS);
    }
}
