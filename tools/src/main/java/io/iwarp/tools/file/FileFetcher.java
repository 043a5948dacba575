package io.iwarp.tools.file;

import io.iwarp.ConnectionClosedException;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.Conversation;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.Progress;
import io.iwarp.verbs.Completion;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;

/**
 * Reads a file from the server's memory with RDMA Reads, several in flight at a time, and stores it. Not thread-safe.
 */
final class FileFetcher implements AutoCloseable {
    private final String name;
    private final FileDialogue server;
    private final int chunkLength;
    private final List<Sink> sinks = new ArrayList<>();
    private final ArrayDeque<Sink> underWay = new ArrayDeque<>();
    private final Sha256 hash = new Sha256();

    /** A buffer, and the Read that fills it. */
    private static final class Sink {
        private final ByteBuf buffer;
        private final MemoryRegion region;
        private CompletableFuture<Completion> read = new CompletableFuture<>();
        private int length;

        /** Registered once. Otherwise each Read would register its sink. */
        Sink(ProtectionDomain domain, int capacity) {
            buffer = ByteBufAllocator.DEFAULT.directBuffer(capacity, capacity);
            region = domain.region()
                    .buffers(buffer)
                    .rights(AccessRight.LOCAL_WRITE)
                    .register();
        }

        void close() {
            region.close();
            buffer.release();
        }
    }

    /**
     * @param name at the server
     * @param chunkLength of each Read, in bytes
     * @param reads the maximum number of Reads in flight
     */
    FileFetcher(String name, Conversation conversation, ProtectionDomain domain, int chunkLength, int reads) {
        this.name = name;
        this.server = new FileDialogue(conversation);
        this.chunkLength = chunkLength;
        for (int i = 0; i < reads; i++) {
            sinks.add(new Sink(domain, chunkLength));
        }
    }

    /** The result: the length in bytes, and the SHA-256 that both ends computed. */
    record Fetched(long size, String hash) {}

    /**
     * Fetches the whole file, then closes the connection gracefully.
     *
     * @param begin makes the progress bar, once the size is known
     */
    Fetched fetch(FileSink.Target target, LongFunction<Progress> begin) throws IOException, InterruptedException {
        try {
            server.send(new FileMessage.Fetch(name));
            long size = expect(FileMessage.Found.class).size();
            if (size < 0) {
                throw new CommandFailedException(
                        "the server announced a file of " + size + " bytes: it does not keep to the protocol");
            }
            try (FileSink sink = target.open(size);
                    Progress progress = begin.apply(size)) {
                readPieces(size, sink, progress);
                String ours = requireSameHash();
                sink.keep();
                server.send(new FileMessage.Stored(ours));
                return new Fetched(size, ours);
            }
        } catch (ConnectionClosedException e) {
            lookForRefusal();
            throw e;
        } finally {
            server.conversation().close();
        }
    }

    private void readPieces(long size, FileSink file, Progress progress) throws IOException, InterruptedException {
        long stored = 0;
        for (long number = 0; stored < size; number++) {
            FileMessage.Served piece = expect(FileMessage.Served.class);
            long length = piece.memory().length();
            if (piece.number() != number || length < 1 || length > size - stored) {
                throw new CommandFailedException("the server served piece " + piece.number() + " of " + length
                        + " bytes, expected was piece " + number + " of 1 to " + (size - stored)
                        + " bytes: it does not keep to the protocol");
            }
            readPiece(piece.memory(), stored, file, progress);
            // All its Reads have completed, so the right to read is not needed any more.
            server.conversation().sendWithInvalidate(new FileMessage.Taken(number).encode(), piece.memory());
            stored += length;
        }
    }

    private void readPiece(RemoteBuffer piece, long before, FileSink file, Progress progress)
            throws IOException, InterruptedException {
        long stored = before;
        for (long posted = 0; posted < piece.length(); posted += chunkLength) {
            if (underWay.size() == sinks.size()) {
                stored += store(file);
                progress.at(stored);
            }
            int number = (int) (posted / chunkLength % sinks.size());
            Sink sink = sinks.get(number);
            sink.length = (int) Math.min(chunkLength, piece.length() - posted);
            sink.read = server.queuePair().read(sink.region.slice(0, sink.length), piece.slice(posted, sink.length));
            underWay.add(sink);
        }
        while (!underWay.isEmpty()) {
            stored += store(file);
            progress.at(stored);
        }
    }

    /** Waits for the oldest Read, stores its data, and returns its length in bytes. */
    private int store(FileSink file) throws IOException, InterruptedException {
        Sink sink = underWay.remove();
        Endpoint.await(sink.read);
        ByteBuffer bytes = sink.buffer.nioBuffer(0, sink.length);
        hash.update(bytes.duplicate());
        file.append(bytes);
        return sink.length;
    }

    private String requireSameHash() throws IOException, InterruptedException {
        String theirs = expect(FileMessage.Done.class).hash();
        String ours = hash.hex();
        if (!ours.equals(theirs)) {
            throw new CommandFailedException("what arrived has SHA-256 " + ours + ", what the server read " + theirs
                    + ": nothing was kept, something on the way is faulty");
        }
        return ours;
    }

    private <M extends FileMessage> M expect(Class<M> kind) throws IOException, InterruptedException {
        return FileDialogue.require(kind, server.receiveAnswer(name));
    }

    /**
     * Reads the server's refusal, which it sends before it closes, possibly after pieces that are not read any more.
     */
    private void lookForRefusal() throws IOException, InterruptedException {
        while (true) {
            server.receiveAnswer(name);
        }
    }

    /** Call this method after the queue pair is closed. */
    @Override
    public void close() {
        sinks.forEach(Sink::close);
        sinks.clear();
    }
}
