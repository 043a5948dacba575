package io.iwarp.tools.file;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.MemoryWindow;
import io.iwarp.tools.cli.Bytes;
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
            long size = 0;
            FileMessage next = client.receive();
            for (long number = 0; next instanceof FileMessage.Piece piece; number++) {
                size += storePiece(piece, number, left(offer, size), file.partial());
                next = client.receive();
            }
            if (!(next instanceof FileMessage.Done done)) {
                throw FileDialogue.unexpected(next, "Piece or Done");
            }
            if (size < offer.size()) {
                throw new CommandFailedException("only " + size + " of " + Bytes.exactly(offer.size()) + " came");
            }
            String ours = hash.hex();
            if (!ours.equals(done.hash())) {
                throw new CommandFailedException("what arrived has SHA-256 " + ours + ", what was sent " + done.hash()
                        + ": the file changed while it was sent, or something on the way is faulty");
            }
            Path stored = file.keep();
            client.send(new FileMessage.Stored(ours));
            return FileSession.report(
                    "stored", String.valueOf(stored.getFileName()), size, System.nanoTime() - begin, ours);
        }
    }

    private static long left(FileMessage.Offer offer, long stored) {
        return offer.size() == FileMessage.UNKNOWN_SIZE ? Long.MAX_VALUE : offer.size() - stored;
    }

    /** Returns the length of the piece in bytes. */
    private int storePiece(FileMessage.Piece piece, long number, long left, PartialFile file)
            throws IOException, InterruptedException {
        long longest = Math.min(slotLength, left);
        if (piece.number() != number || piece.length() < 1 || piece.length() > longest) {
            throw new CommandFailedException("piece " + piece.number() + " of " + piece.length()
                    + " bytes came, expected was piece " + number + " of 1 to " + longest + " bytes");
        }
        ByteBuffer bytes = memory.nioBuffer((int) (number % FileSession.SLOTS) * slotLength, piece.length());
        hash.update(bytes.duplicate());
        file.append(bytes);
        client.send(new FileMessage.Credit(number));
        return piece.length();
    }
}
