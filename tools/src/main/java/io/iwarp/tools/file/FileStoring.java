package io.iwarp.tools.file;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.MemoryWindow;
import io.iwarp.tools.cli.CommandFailedException;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Stores the file that one client writes into the server's memory. Not thread-safe. */
final class FileStoring {
    private final FileDialogue client;
    private final TargetDirectory target;
    private final ByteBuf memory;
    private final int slotLength;
    private final Sha256 hash = new Sha256();

    /** @param memory {@link FileSession#SLOTS} slots */
    FileStoring(FileDialogue client, TargetDirectory target, ByteBuf memory, int slotLength) {
        this.client = client;
        this.target = target;
        this.memory = memory;
        this.slotLength = slotLength;
    }

    /**
     * Stores a file.
     *
     * @param region the memory, registered without access rights
     * @return a line about it for the log
     */
    String store(FileMessage.Offer offer, MemoryRegion region) throws IOException, InterruptedException {
        try (TargetDirectory.NamedFile file = target.begin(offer.name(), offer.size())) {
            long begin = System.nanoTime();
            MemoryWindow window = client.conversation().bind(region, 0, region.length(), AccessRight.REMOTE_WRITE);
            client.send(new FileMessage.Grant(slotLength, client.conversation().advertised(window)));
            storePieces(offer.size(), file.partial());
            FileMessage.Done done = client.receive(FileMessage.Done.class);
            String ours = hash.hex();
            if (!ours.equals(done.hash())) {
                throw new CommandFailedException("what arrived has SHA-256 " + ours + ", what was sent " + done.hash()
                        + ": the file changed meanwhile, or something on the way is faulty");
            }
            Path stored = file.keep();
            client.send(new FileMessage.Stored(ours));
            return FileSession.report("stored", stored, offer.size(), System.nanoTime() - begin, ours);
        }
    }

    private void storePieces(long size, PartialFile file) throws IOException, InterruptedException {
        long stored = 0;
        for (long number = 0; stored < size; number++) {
            FileMessage.Piece piece = client.receive(FileMessage.Piece.class);
            long greatest = Math.min(slotLength, size - stored);
            if (piece.number() != number || piece.length() < 1 || piece.length() > greatest) {
                throw new CommandFailedException("piece " + piece.number() + " of " + piece.length()
                        + " bytes came, expected was piece " + number + " of 1 to " + greatest + " bytes");
            }
            ByteBuffer bytes = memory.nioBuffer((int) (number % FileSession.SLOTS) * slotLength, piece.length());
            hash.update(bytes.duplicate());
            file.append(bytes);
            stored += piece.length();
            client.send(new FileMessage.Credit(number));
        }
    }
}
