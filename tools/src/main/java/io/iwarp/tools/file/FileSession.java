package io.iwarp.tools.file;

import io.iwarp.ConnectionClosedException;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.Conversation;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.ErrorLines;
import io.iwarp.tools.cli.ListenOptions;
import io.iwarp.tools.cli.Output;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.FileSystemException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One client of the file server, on a thread of its own: it writes a file, or reads one. */
final class FileSession {
    /** Two slots: one for the client, one for the disk. */
    static final int SLOTS = 2;

    private static final Logger LOGGER = LoggerFactory.getLogger(FileSession.class);

    private final FileDialogue dialogue;
    private final ProtectionDomain domain;
    private final TargetDirectory directory;
    private final int slotLength;
    private final Output out;
    private final String client;
    /** What a failure means for the file. */
    private String loss = "nothing was kept";

    /** @param conversation with a queue pair that is being accepted */
    FileSession(
            Conversation conversation, ProtectionDomain domain, TargetDirectory directory, int slotLength, Output out) {
        this.dialogue = new FileDialogue(conversation);
        this.domain = domain;
        this.directory = directory;
        this.slotLength = slotLength;
        this.out = out;
        this.client = ListenOptions.addressText(conversation.queuePair().remoteAddress());
    }

    /** Serves the client, prints the result, and returns whether a file was stored or fetched. */
    boolean run() {
        try {
            serve();
            return true;
        } catch (IOException | RuntimeException e) {
            LOGGER.debug("{} failed", client, e);
            out.line(client + " failed, " + loss + ": " + ErrorLines.describe(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            out.line(client + " disconnected, " + loss + ": the server exits");
        } finally {
            dialogue.queuePair().abort();
        }
        return false;
    }

    private void serve() throws IOException, InterruptedException {
        Endpoint.await(dialogue.queuePair().ready());
        ByteBuf memory = takeMemory();
        // No access rights: the windows of a client grant them.
        try (MemoryRegion region = domain.region().buffers(memory).register()) {
            talk(memory, region);
        } finally {
            // The region is closed, so this client cannot reach memory that others get.
            memory.release();
        }
    }

    private ByteBuf takeMemory() throws IOException, InterruptedException {
        try {
            int length = SLOTS * slotLength;
            return ByteBufAllocator.DEFAULT.directBuffer(length, length).setZero(0, length);
        } catch (OutOfMemoryError e) {
            refuse("the server has no memory left for another client: try again later");
            dialogue.conversation().close();
            throw new CommandFailedException("no direct memory is left for its buffer: choose a smaller --buffer or"
                    + " fewer --clients, or start java with a greater -XX:MaxDirectMemorySize");
        }
    }

    /** Always closes the connection gracefully and before the region, so that the client receives the reason. */
    private void talk(ByteBuf memory, MemoryRegion region) throws IOException, InterruptedException {
        try {
            out.line(client + " " + answer(dialogue.receive(), memory, region));
        } catch (CommandFailedException | ProtocolException e) {
            refuse(String.valueOf(e.getMessage()));
            throw e;
        } catch (ConnectionClosedException e) {
            throw e;
        } catch (ClosedByInterruptException e) {
            // File I/O throws its own exception and leaves the thread interrupted, which would end the wait below.
            Thread.interrupted();
            throw stopped();
        } catch (FileSystemException e) {
            // Its message has a path of the server.
            refuse("the server cannot access its file: look there for the reason");
            throw e;
        } catch (IOException e) {
            refuse("the server cannot access its file (" + e.getMessage()
                    + "): make room there, or look for the reason");
            throw e;
        } catch (InterruptedException e) {
            throw stopped();
        } finally {
            dialogue.conversation().close();
        }
    }

    private InterruptedException stopped() throws IOException, InterruptedException {
        refuse("the server is being stopped");
        return new InterruptedException("the server is being stopped");
    }

    /** Handles the request in the client's first message. Returns a line about it for the log. */
    private String answer(FileMessage first, ByteBuf memory, MemoryRegion region)
            throws IOException, InterruptedException {
        if (first instanceof FileMessage.Offer offer) {
            return new FileStoring(dialogue, directory, memory, slotLength).store(offer, region);
        }
        if (first instanceof FileMessage.Fetch fetch) {
            loss = "it has not all of the file";
            return new FileServing(dialogue, memory, slotLength).serve(directory.open(fetch.name()), region);
        }
        throw FileDialogue.unexpected(first, "Offer or Fetch");
    }

    private void refuse(String reason) throws IOException, InterruptedException {
        dialogue.send(new FileMessage.Refused(reason));
    }

    /** Returns the log line for a file that was transferred successfully. */
    static String report(String verb, String file, long size, long nanos, String hash) {
        return verb + " " + file + ": " + Bytes.exactly(size) + " in " + Bytes.time(nanos) + ", "
                + Bytes.rate(size, nanos) + ", SHA-256 " + hash;
    }
}
