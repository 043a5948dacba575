package io.iwarp.examples;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.StreamAssociation;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One client of the write server, on a thread of its own. */
final class WriteSession {
    /** While one slot is stored, the other is written by the client. */
    static final int SLOTS = 2;

    private static final Logger LOGGER = LoggerFactory.getLogger(WriteSession.class);

    private final Conversation conversation;
    private final ProtectionDomain domain;
    private final TargetDirectory target;
    private final BufferPool pool;
    private final int slotLength;
    private final PrintWriter out;
    private final String client;

    /**
     * @param conversation with a queue pair that is being accepted
     * @param pool of buffers of {@link #SLOTS} slots
     */
    WriteSession(
            Conversation conversation,
            ProtectionDomain domain,
            TargetDirectory target,
            BufferPool pool,
            int slotLength,
            PrintWriter out) {
        this.conversation = conversation;
        this.domain = domain;
        this.target = target;
        this.pool = pool;
        this.slotLength = slotLength;
        this.out = out;
        this.client =
                ListenOptions.addressText(conversation.queuePair().channel().remoteAddress());
    }

    /** {@return whether a file was stored} Serves the client to the end and prints how that was. */
    boolean run() {
        try {
            serve();
            return true;
        } catch (CommandFailedException | IOException | RuntimeException e) {
            LOGGER.debug("{} failed", client, e);
            out.println(ErrorLines.oneLine(client + " failed, nothing was kept: " + ErrorLines.describe(e)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            out.println(client + " was cut off, nothing was kept: the server ends");
        } finally {
            conversation.queuePair().abort();
        }
        return false;
    }

    private void serve() throws IOException, InterruptedException, CommandFailedException {
        Endpoint.await(conversation.queuePair().ready());
        ByteBuf memory = takeMemory();
        try (MemoryRegion region = register(memory)) {
            talk(memory, region);
        } finally {
            // The region is closed, so this client cannot reach the memory that the next one gets.
            pool.giveBack(memory);
        }
    }

    /** For this client alone: another one that knows the STag cannot use it. */
    private MemoryRegion register(ByteBuf memory) {
        StreamAssociation stream = conversation.queuePair().stream();
        return domain.region().buffers(memory).rights(AccessRight.REMOTE_WRITE).stream(stream)
                .register();
    }

    private ByteBuf takeMemory() throws IOException, InterruptedException, CommandFailedException {
        try {
            return pool.take();
        } catch (OutOfMemoryError e) {
            refuse("the server has no memory left for another client: try again later");
            conversation.close();
            throw new CommandFailedException("no direct memory is left for its buffer: choose a smaller --buffer or"
                    + " fewer --clients, or start java with a greater -XX:MaxDirectMemorySize");
        }
    }

    /** Ends the connection in order in any case, and before the region is closed, so that the client hears why. */
    private void talk(ByteBuf memory, MemoryRegion region)
            throws IOException, InterruptedException, CommandFailedException {
        try {
            store(memory, region);
        } catch (CommandFailedException | ProtocolException e) {
            refuse(String.valueOf(e.getMessage()));
            throw e;
        } catch (FileSystemException e) {
            refuse("the server cannot store it: look there for the reason");
            throw e;
        } catch (InterruptedException e) {
            refuse("the server is being stopped");
            throw e;
        } finally {
            conversation.close();
        }
    }

    private void refuse(String reason) throws IOException, InterruptedException, CommandFailedException {
        conversation.send(new FileMessage.Refused(reason).encode());
    }

    private void store(ByteBuf memory, MemoryRegion region)
            throws IOException, InterruptedException, CommandFailedException {
        FileMessage.Offer offer = receive(FileMessage.Offer.class);
        try (TargetDirectory.PartialFile file = target.begin(offer.name(), offer.size())) {
            long begin = System.nanoTime();
            conversation.send(new FileMessage.Grant(slotLength, region.remoteBuffer()).encode());
            Sha256 hash = new Sha256();
            storePieces(offer.size(), memory, file, hash);
            FileMessage.Done done = receive(FileMessage.Done.class);
            String ours = hash.hex();
            if (!ours.equals(done.hash())) {
                throw new CommandFailedException("what arrived has SHA-256 " + ours + ", what was sent " + done.hash()
                        + ": the file changed meanwhile, or something on the way is faulty");
            }
            Path stored = file.keep();
            conversation.send(new FileMessage.Stored(ours).encode());
            long nanos = System.nanoTime() - begin;
            out.println(client + " stored " + stored.getFileName() + ": " + Octets.exactly(offer.size()) + " in "
                    + Octets.time(nanos) + ", " + Octets.rate(offer.size(), nanos) + System.lineSeparator()
                    + "SHA-256 " + ours);
        }
    }

    private void storePieces(long size, ByteBuf memory, TargetDirectory.PartialFile file, Sha256 hash)
            throws IOException, InterruptedException, CommandFailedException {
        long stored = 0;
        for (long number = 0; stored < size; number++) {
            FileMessage.Piece piece = receive(FileMessage.Piece.class);
            long greatest = Math.min(slotLength, size - stored);
            if (piece.number() != number || piece.length() < 1 || piece.length() > greatest) {
                throw new CommandFailedException("piece " + piece.number() + " of " + piece.length()
                        + " octets came, expected was piece " + number + " of 1 to " + greatest + " octets");
            }
            ByteBuffer octets = memory.nioBuffer((int) (number % SLOTS) * slotLength, piece.length());
            hash.update(octets.duplicate());
            file.append(octets);
            stored += piece.length();
            conversation.send(new FileMessage.Credit(number).encode());
        }
    }

    private <M extends FileMessage> M receive(Class<M> expected)
            throws IOException, InterruptedException, CommandFailedException {
        FileMessage message = FileMessage.decode(conversation.receive());
        if (!expected.isInstance(message)) {
            throw new CommandFailedException("a message " + message.getClass().getSimpleName() + " came, expected was "
                    + expected.getSimpleName());
        }
        return expected.cast(message);
    }
}
