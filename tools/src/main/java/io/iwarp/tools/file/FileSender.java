package io.iwarp.tools.file;

import io.iwarp.ConnectionClosedException;
import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.Conversation;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.ErrorLines;
import io.iwarp.tools.cli.Progress;
import io.iwarp.verbs.Completion;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads a file piece by piece and writes it into the server's memory. While one piece travels, the next is read. */
final class FileSender implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(FileSender.class);
    /** The maximum number of slots to use: enough to overlap reading and writing without wasting memory. */
    private static final int MAX_SLOTS = 4;

    private final String name;
    private final FileChannel file;
    private final long size;
    private final Conversation conversation;
    private final List<Slot> slots = new ArrayList<>();
    private final Sha256 hash = new Sha256();
    private long nextCredit;
    /** Bytes that were posted. */
    private long sent;
    /** Whether the server may have stored the file, as it has all pieces and the hash. */
    private boolean complete;

    /** A buffer, and the Write that reads from it. */
    private static final class Slot {
        private final ByteBuf buffer;
        private CompletableFuture<Completion> written;

        Slot(ByteBuf buffer) {
            this.buffer = buffer;
            this.written = CompletableFuture.completedFuture(null);
        }
    }

    private FileSender(String name, FileChannel file, long size, Conversation conversation) {
        this.name = name;
        this.file = file;
        this.size = size;
        this.conversation = conversation;
    }

    static FileSender open(Path path, Conversation conversation) throws IOException {
        FileChannel file = FileChannel.open(path, StandardOpenOption.READ);
        return new FileSender(path.getFileName().toString(), file, file.size(), conversation);
    }

    String name() {
        return name;
    }

    long size() {
        return size;
    }

    /**
     * Sends the whole file.
     *
     * @param maxPiece in bytes
     * @return the SHA-256 that both ends computed
     */
    String send(int maxPiece, Progress progress) throws IOException, InterruptedException {
        try {
            conversation.send(new FileMessage.Offer(size, name).encode());
            FileMessage.Grant grant = expect(FileMessage.Grant.class);
            if (grant.slotLength() < 1 || grant.slots() < 1) {
                throw new CommandFailedException("the server offered " + grant + ", which has no room for a file");
            }
            sendPieces(grant, Math.min(maxPiece, grant.slotLength()), progress);
            String ours = hash.hex();
            complete = true;
            conversation.send(new FileMessage.Done(ours).encode());
            String theirs = expect(FileMessage.Stored.class).hash();
            if (!ours.equals(theirs)) {
                throw new CommandFailedException("the server stored SHA-256 " + theirs + ", but the file has " + ours
                        + ": do not use what it stored");
            }
            return ours;
        } catch (ConnectionClosedException e) {
            throw notConfirmed(e);
        }
    }

    /** Reads the server's refusal, which it sends before it closes. A lost server sends none. */
    private CommandFailedException notConfirmed(ConnectionClosedException end)
            throws IOException, InterruptedException {
        try {
            expect(FileMessage.Refused.class);
        } catch (ConnectionClosedException nothingElseArrived) {
            LOGGER.debug("the server was lost", end);
        }
        String progress = String.format(Locale.ROOT, "%,d of %s were sent", sent, Bytes.exactly(size));
        return new CommandFailedException("the connection to the server was lost: " + progress + ", and "
                + (complete
                        ? "the server did not confirm that it stored " + name + ": look there"
                        : "nothing was stored: start the server, and write " + name + " again")
                + " (" + ErrorLines.describe(end) + ")");
    }

    private void sendPieces(FileMessage.Grant grant, int pieceLength, Progress progress)
            throws IOException, InterruptedException {
        int count = Math.min(grant.slots(), MAX_SLOTS);
        for (int i = 0; i < count; i++) {
            slots.add(new Slot(ByteBufAllocator.DEFAULT.directBuffer(pieceLength, pieceLength)));
        }
        for (long number = 0; sent < size; number++) {
            int index = (int) (number % grant.slots());
            Slot slot = slots.get((int) (number % count));
            if (number >= count) {
                expect(FileMessage.Credit.class);
            }
            Endpoint.await(slot.written);
            int length = (int) Math.min(pieceLength, size - sent);
            read(slot.buffer.clear(), length);
            slot.written =
                    conversation.write(slot.buffer, grant.memory().slice((long) index * grant.slotLength(), length));
            conversation.send(new FileMessage.Piece(number, length).encode());
            sent += length;
            progress.at(sent);
        }
    }

    private void read(ByteBuf buffer, int length) throws IOException {
        ByteBuffer bytes = buffer.nioBuffer(0, length);
        while (bytes.hasRemaining()) {
            if (file.read(bytes) < 0) {
                throw new CommandFailedException(name + " became shorter while it was read: try again");
            }
        }
        hash.update(bytes.flip());
        buffer.writerIndex(length);
    }

    /**
     * Takes the next message, which must be of this kind; credits for the last pieces come before what ends the file.
     */
    private <M extends FileMessage> M expect(Class<M> kind) throws IOException, InterruptedException {
        while (true) {
            FileMessage message = FileMessage.decode(conversation.receive());
            if (message instanceof FileMessage.Refused refused) {
                throw new CommandFailedException("the server refused " + name + ": " + refused.reason());
            }
            if (message instanceof FileMessage.Credit credit && credit.number() != nextCredit++) {
                throw new CommandFailedException("the server gave credit for piece " + credit.number() + " instead of "
                        + (nextCredit - 1) + ": it does not keep to the protocol");
            }
            if (kind.isInstance(message)) {
                return kind.cast(message);
            }
            if (!(message instanceof FileMessage.Credit)) {
                throw new CommandFailedException("the server sent " + message + " where " + kind.getSimpleName()
                        + " was expected: it does not keep to the protocol");
            }
        }
    }

    /** Call this method after the queue pair is closed. */
    @Override
    public void close() throws IOException {
        slots.forEach(slot -> slot.buffer.release());
        slots.clear();
        file.close();
    }
}
