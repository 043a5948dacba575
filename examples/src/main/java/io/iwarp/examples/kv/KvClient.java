package io.iwarp.examples.kv;

import io.iwarp.examples.kv.Protocol.Condition;
import io.iwarp.examples.kv.Protocol.Entry;
import io.iwarp.examples.kv.Protocol.Hash;
import io.iwarp.examples.kv.Protocol.Outcome;
import io.iwarp.examples.kv.Protocol.Put;
import io.iwarp.examples.kv.Protocol.Reply;
import io.iwarp.examples.kv.Protocol.Slot;
import io.iwarp.examples.kv.Protocol.TornReadException;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.Completion;
import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A connection to a {@link KvServer}. It gets values by RDMA Reads, without code of the server, and puts them by
 * messages.
 *
 * <p>It does one operation at a time, and waits for it. Not thread-safe; do not call it on an event loop.
 */
public final class KvClient implements AutoCloseable {
    /** Where entries are read to; both buckets of a key are before it. */
    private static final int ENTRY = 2 * Protocol.BUCKET_LENGTH;

    private final QueuePair queuePair;
    private final long timeoutMillis;
    private final RemoteBuffer index;
    private final RemoteBuffer values;
    private final RemoteBuffer counters;
    private final long buckets;
    private final ByteBuf bytes = ByteBufAllocator.DEFAULT.directBuffer(ENTRY + Entry.MAX);
    private final MemoryRegion sink;
    private final ByteBuf reply = ByteBufAllocator.DEFAULT.directBuffer(Reply.MAX, Reply.MAX);
    private final byte[] seed = new byte[Protocol.SEED_LENGTH];
    private long retries;

    /**
     * A value that was found.
     *
     * @param slot of the key
     * @param version of the put that stored it, at least 1
     * @param value the value
     */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares values that were found
    public record Found(long slot, long version, byte[] value) {
        /** Returns the value as text. */
        public String text() {
            return new String(value, StandardCharsets.UTF_8);
        }
    }

    /**
     * Takes over a connection to a server. {@link #close} ends it.
     *
     * @param timeoutMillis how long an operation may take
     */
    KvClient(QueuePair queuePair, ProtectionDomain domain, long timeoutMillis)
            throws IOException, InterruptedException {
        this.queuePair = queuePair;
        this.timeoutMillis = timeoutMillis;
        sink = domain.register(bytes, AccessRight.LOCAL_WRITE);
        List<RemoteBuffer> memory = queuePair.remoteBuffers();
        if (memory.size() != 3) {
            close();
            throw new IOException("the other side is not a KvServer: check the address");
        }
        index = memory.get(0);
        values = memory.get(1);
        counters = memory.get(2);
        buckets = (index.length() - Protocol.SEED_LENGTH) / Protocol.BUCKET_LENGTH;
        await(queuePair.read(sink.slice(0, Protocol.SEED_LENGTH), index.slice(0, Protocol.SEED_LENGTH)));
        bytes.getBytes(0, seed);
    }

    /**
     * Connects.
     *
     * @param tls null to send everything in the clear
     */
    public static KvClient connect(
            EventLoopGroup group, ProtectionDomain domain, InetSocketAddress server, SslContext tls)
            throws IOException, InterruptedException {
        Iwarp.Client client = Iwarp.client(group).domain(domain);
        if (tls != null) {
            client.tls(tls);
        }
        long timeout = TimeUnit.SECONDS.toMillis(30);
        return new KvClient(await(client.connect(server), timeout), domain, timeout);
    }

    /** Returns the value of a key, and counts a hit. */
    public Optional<Found> get(String key) throws IOException, InterruptedException {
        Optional<Found> found = find(Protocol.key(key));
        // The reply is not awaited: replies to the next operation follow it.
        found.ifPresent(value -> queuePair.fetchAdd(counter(value.slot()), 1));
        return found;
    }

    /** Returns how often clients got a key. */
    public Optional<Long> hits(String key) throws IOException, InterruptedException {
        Optional<Found> found = find(Protocol.key(key));
        return found.isEmpty()
                ? Optional.empty()
                : Optional.of(await(queuePair.fetchAdd(counter(found.get().slot()), 0)));
    }

    private RemoteBuffer counter(long slot) {
        return counters.slice(slot * Protocol.COUNTER_LENGTH, Protocol.COUNTER_LENGTH);
    }

    private Optional<Found> find(byte[] key) throws IOException, InterruptedException {
        Hash hash = Hash.of(seed, key, buckets);
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
        while (System.nanoTime() - deadline < 0) {
            try {
                return findEntry(hash, key);
            } catch (TornReadException e) {
                // The server was changing it. It is done when the next Read arrives.
                retries++;
            }
        }
        throw new IOException("the key changed each time that it was read: too many clients write it");
    }

    private Optional<Found> findEntry(Hash hash, byte[] key)
            throws IOException, InterruptedException, TornReadException {
        CompletableFuture<Completion> first = readBucket(hash.first(), 0);
        CompletableFuture<Completion> second = readBucket(hash.second(), Protocol.BUCKET_LENGTH);
        await(first);
        await(second);
        for (int i = 0; i < 2 * Protocol.BUCKET_SLOTS; i++) {
            Slot slot = Slot.decode(bytes, i * Protocol.SLOT_LENGTH);
            if (slot.mayHold(hash, key)) {
                if (slot.valueLength() < 0 || slot.valueLength() > Protocol.MAX_VALUE) {
                    throw new IOException("the server's index has " + slot + ": it is not a KvServer");
                }
                await(queuePair.read(
                        sink.slice(ENTRY, slot.entryLength()), values.slice(slot.offset(), slot.entryLength())));
                if (Entry.isOf(key, bytes, ENTRY, slot)) {
                    long bucket = i < Protocol.BUCKET_SLOTS ? hash.first() : hash.second();
                    long number = bucket * Protocol.BUCKET_SLOTS + i % Protocol.BUCKET_SLOTS;
                    return Optional.of(new Found(number, slot.version(), Entry.value(bytes, ENTRY, slot)));
                }
            }
        }
        return Optional.empty();
    }

    private CompletableFuture<Completion> readBucket(long bucket, int at) {
        long offset = Protocol.SEED_LENGTH + bucket * Protocol.BUCKET_LENGTH;
        return queuePair.read(sink.slice(at, Protocol.BUCKET_LENGTH), index.slice(offset, Protocol.BUCKET_LENGTH));
    }

    /**
     * Stores a value.
     *
     * @return its version
     * @throws IOException if the server has no room, or the connection has ended
     */
    public long put(String key, byte[] value) throws IOException, InterruptedException {
        return ask(new Put(Condition.ALWAYS, 0, new byte[0], Protocol.key(key), value))
                .version();
    }

    /**
     * Stores a value if the key has a version, or is new for version 0.
     *
     * @return the new version, or empty if the key has another version: nothing was changed then
     */
    public Optional<Long> putIfVersion(String key, byte[] value, long version)
            throws IOException, InterruptedException {
        Reply now = ask(new Put(Condition.VERSION, version, new byte[0], Protocol.key(key), value));
        return now.outcome() == Outcome.DONE ? Optional.of(now.version()) : Optional.empty();
    }

    /**
     * Replaces a value if it is the expected one.
     *
     * @return empty if it was replaced, otherwise the value that the key has; version 0 if there is no such key
     */
    public Optional<Found> replace(String key, byte[] expected, byte[] value) throws IOException, InterruptedException {
        Reply now = ask(new Put(Condition.VALUE, 0, expected, Protocol.key(key), value));
        return now.outcome() == Outcome.DONE ? Optional.empty() : Optional.of(new Found(-1, now.version(), now.text()));
    }

    private Reply ask(Put put) throws IOException, InterruptedException {
        CompletableFuture<Completion> replied = queuePair.receive(reply.clear());
        await(queuePair.send(put.encode()));
        await(replied);
        Reply now = Reply.decode(reply);
        if (now.outcome() == Outcome.NO_ROOM) {
            throw new IOException(new String(now.text(), StandardCharsets.UTF_8));
        }
        return now;
    }

    private <T> T await(CompletableFuture<T> result) throws IOException, InterruptedException {
        return await(result, timeoutMillis);
    }

    private static <T> T await(CompletableFuture<T> result, long millis) throws IOException, InterruptedException {
        try {
            return result.get(millis, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new IOException(e.getCause().getMessage(), e.getCause());
        } catch (TimeoutException e) {
            throw new IOException("no reply from the server for " + millis + " ms", e);
        }
    }

    /** Returns the connection. */
    public QueuePair queuePair() {
        return queuePair;
    }

    /** Returns how often a read was repeated because the server was changing what it read. */
    public long retries() {
        return retries;
    }

    /** Closes the connection gracefully, and waits for that. */
    @Override
    public void close() {
        queuePair.close();
        queuePair.closed().join();
        sink.close();
        bytes.release();
        reply.release();
    }

    /**
     * Runs one operation.
     *
     * @param args the server as HOST:PORT, then get KEY, put KEY VALUE, cas KEY OLD NEW or hits KEY, and options
     */
    public static void main(String[] args) throws InterruptedException {
        try {
            System.out.println(execute(args));
        } catch (IOException | IllegalArgumentException e) {
            System.err.println(Options.printable("KvClient: " + e.getMessage()));
            System.exit(1);
        }
    }

    /** Runs one operation, and returns what to print. */
    static String execute(String... args) throws IOException, InterruptedException {
        Options options = Options.parse(args, Set.of("help", "with-version"), Set.of("if-version"));
        List<String> words = options.words();
        String usage = "HOST:PORT get [--with-version] KEY | put [--if-version N] KEY VALUE"
                + " | cas KEY OLD NEW | hits KEY   [--cert FILE --key FILE --ca FILE]";
        if (options.has("help")) {
            return "usage: KvClient " + usage;
        }
        if (words.size() < 3) {
            throw new IllegalArgumentException(usage);
        }
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try (ProtectionDomain domain = ProtectionDomain.create();
                KvClient client = connect(group, domain, options.server(), options.clientTls())) {
            return client.run(words.get(1), words.subList(2, words.size()), options);
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        }
    }

    private String run(String operation, List<String> words, Options options) throws IOException, InterruptedException {
        String key = words.get(0);
        return switch (operation) {
            case "get" -> {
                Found found = get(key).orElseThrow(() -> none(key));
                yield Options.printable((options.has("with-version") ? found.version() + " " : "") + found.text());
            }
            case "hits" -> String.valueOf(hits(key).orElseThrow(() -> none(key)));
            case "put" -> {
                if (!options.has("if-version")) {
                    yield "version " + put(key, utf8(words, 1));
                }
                long version = options.number("if-version", 0);
                yield "version "
                        + putIfVersion(key, utf8(words, 1), version)
                                .orElseThrow(() -> new IllegalArgumentException(
                                        "'" + key + "' does not have version " + version + ": nothing was changed"));
            }
            case "cas" -> {
                Optional<Found> other = replace(key, utf8(words, 1), utf8(words, 2));
                if (other.isPresent()) {
                    throw other.get().version() == 0
                            ? none(key)
                            : new IllegalArgumentException("'" + key + "' is not '" + words.get(1) + "' but '"
                                    + other.get().text() + "': nothing was changed");
                }
                yield "replaced";
            }
            default -> throw new IllegalArgumentException("there is no operation " + operation);
        };
    }

    private static IllegalArgumentException none(String key) {
        return new IllegalArgumentException("there is no key '" + key + "'");
    }

    private static byte[] utf8(List<String> words, int number) {
        if (words.size() <= number) {
            throw new IllegalArgumentException("a value is missing");
        }
        return words.get(number).getBytes(StandardCharsets.UTF_8);
    }
}
