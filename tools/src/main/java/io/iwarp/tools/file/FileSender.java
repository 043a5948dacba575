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
    private final SourceFile file;
    private final FileDialogue server;
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

    /**
     * @param name at the server
     * @param file closed with this sender
     */
    FileSender(String name, SourceFile file, Conversation conversation) {
        this.name = name;
        this.file = file;
        this.server = new FileDialogue(conversation);
    }

    /** Returns how many bytes were sent so far. */
    long sent() {
        return sent;
    }

    /**
     * Sends the whole file, then closes the connection gracefully.
     *
     * @param maxPiece in bytes
     * @return the SHA-256 that both ends computed
     */
    String send(int maxPiece, Progress progress) throws IOException, InterruptedException {
        try {
            server.send(new FileMessage.Offer(file.size(), name));
            FileMessage.Grant grant = expect(FileMessage.Grant.class);
            if (grant.slotLength() < 1 || grant.slots() < 1) {
                throw new CommandFailedException("the server offered " + grant + ", which has no room for a file");
            }
            sendPieces(grant, Math.min(maxPiece, grant.slotLength()), progress);
            file.requireUnchanged();
            String ours = hash.hex();
            complete = true;
            server.send(new FileMessage.Done(ours));
            String theirs = expect(FileMessage.Stored.class).hash();
            if (!ours.equals(theirs)) {
                throw new CommandFailedException("the server stored SHA-256 " + theirs + ", but the file has " + ours
                        + ": do not use what it stored");
            }
            return ours;
        } catch (ConnectionClosedException e) {
            throw notConfirmed(e);
        } finally {
            server.conversation().close();
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
        String progress = file.size() == FileMessage.UNKNOWN_SIZE
                ? Bytes.exactly(sent) + " were sent"
                : String.format(Locale.ROOT, "%,d of %s were sent", sent, Bytes.exactly(file.size()));
        return new CommandFailedException("the connection to the server was lost: " + progress + ", and "
                + (complete
                        ? "the server did not confirm that it stored " + name + ": look there"
                        : "nothing was stored: start the server, and write " + name + " again")
                + " (" + ErrorLines.describe(end) + ")");
    }

    private void sendPieces(FileMessage.Grant grant, int maxPiece, Progress progress)
            throws IOException, InterruptedException {
        long size = file.size() == FileMessage.UNKNOWN_SIZE ? Long.MAX_VALUE : file.size();
        int pieceLength = (int) Math.min(maxPiece, size);
        int count = Math.min(grant.slots(), MAX_SLOTS);
        for (long number = 0; sent < size; number++) {
            int index = (int) (number % grant.slots());
            if (number < count) {
                slots.add(new Slot(ByteBufAllocator.DEFAULT.directBuffer(pieceLength, pieceLength)));
            } else {
                expect(FileMessage.Credit.class);
            }
            Slot slot = slots.get((int) (number % count));
            Endpoint.await(slot.written);
            int length = read(slot.buffer.clear(), (int) Math.min(pieceLength, size - sent));
            if (length == 0) {
                return;
            }
            slot.written = server.queuePair()
                    .write(slot.buffer, grant.memory().slice((long) index * grant.slotLength(), length));
            server.send(new FileMessage.Piece(number, length));
            sent += length;
            progress.at(sent);
        }
    }

    /** Returns how many bytes were read, 0 at the end of the file. */
    private int read(ByteBuf buffer, int maxLength) throws IOException {
        ByteBuffer bytes = buffer.nioBuffer(0, maxLength);
        file.read(bytes);
        int length = bytes.position();
        hash.update(bytes.flip());
        buffer.writerIndex(length);
        return length;
    }

    /**
     * Takes the next message, which must be of this kind; credits for the last pieces come before what ends the file.
     */
    private <M extends FileMessage> M expect(Class<M> kind) throws IOException, InterruptedException {
        while (true) {
            FileMessage message = server.receiveAnswer(name);
            if (!(message instanceof FileMessage.Credit credit)) {
                return FileDialogue.require(kind, message);
            }
            if (credit.number() != nextCredit++) {
                throw new CommandFailedException("the server gave credit for piece " + credit.number() + " instead of "
                        + (nextCredit - 1) + ": it does not keep to the protocol");
            }
            if (kind.isInstance(credit)) {
                return kind.cast(credit);
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
