package io.iwarp.tools;

import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.ErrorLines;
import io.iwarp.tools.kv.KvConflictException;
import io.iwarp.tools.kv.KvConnection;
import io.iwarp.tools.kv.KvValue;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One client of the soak test: writes its keys and reads its own and other clients' keys. Fails if an acknowledged
 * write cannot be read or a value is corrupt. One thread runs it. Another thread may abort its connection at any time;
 * the client then reconnects.
 */
final class KvSoakClient {
    private static final int KEYS = 8;
    private static final int PERCENT = 100;
    private static final int OWN_READS = 50;
    private static final int FOREIGN_READS = 60;

    private final Connector connector;
    private final KvJournal journal;
    private final SplittableRandom random = new SplittableRandom();
    private final List<KvSoakKey> keys = new ArrayList<>();
    private final List<KvSoakKey> foreign;
    /** The values of the keys that this connection read last. */
    private final Map<KvSoakKey, Seen> seen = new HashMap<>();

    private final AtomicLong reads = new AtomicLong();
    private final AtomicLong writes = new AtomicLong();
    private final AtomicLong connections = new AtomicLong();
    private final AtomicLong retries = new AtomicLong();
    private @Nullable KvConnection cache;
    private boolean aborted;

    /**
     * The work of one or more clients.
     *
     * @param reads the number of reads
     * @param writes the number of acknowledged writes
     * @param connections the number of connections
     * @param retries the number of reads that were repeated because of a concurrent change
     */
    record Totals(long reads, long writes, long connections, long retries) {
        static final Totals NONE = new Totals(0, 0, 0, 0);

        Totals plus(Totals other) {
            return new Totals(
                    reads + other.reads,
                    writes + other.writes,
                    connections + other.connections,
                    retries + other.retries);
        }
    }

    /** A value by its number, and the version that it had; both 0 if there was none. */
    private record Seen(long number, long version) {}

    /**
     * @param name the name of the client, unique among running clients
     * @param connector connects to the server
     * @param journal the client's journal
     * @param foreign the keys of other clients to read
     */
    KvSoakClient(String name, Connector connector, KvJournal journal, List<KvSoakKey> foreign) {
        this.connector = connector;
        this.journal = journal;
        this.foreign = foreign;
        for (int i = 0; i < KEYS; i++) {
            keys.add(KvSoakKey.of(name, i));
        }
    }

    /** Works until the deadline. */
    void run(long deadlineNanos) throws Exception {
        try (journal) {
            while (System.nanoTime() - deadlineNanos < 0) {
                try {
                    step(connection());
                } catch (IOException e) {
                    requireAborted(e);
                }
            }
            disconnect();
        }
    }

    private void step(KvConnection connected) throws IOException, InterruptedException, CommandFailedException {
        int choice = random.nextInt(PERCENT);
        KvSoakKey key = keys.get(random.nextInt(KEYS));
        if (choice < OWN_READS) {
            look(connected, key);
        } else if (choice < FOREIGN_READS && !foreign.isEmpty()) {
            KvSoakKey other = foreign.get(random.nextInt(foreign.size()));
            Optional<KvValue> found = connected.get(other.name());
            if (found.isPresent()) {
                other.number(found.get().bytes());
            }
            reads.incrementAndGet();
        } else {
            write(connected, key);
        }
    }

    /** Reads a key of this client. Its value must be the last acknowledged write or an unacknowledged later one. */
    private Seen look(KvConnection connected, KvSoakKey key)
            throws IOException, InterruptedException, CommandFailedException {
        Seen now = check(connected, key, journal.last(key.name()));
        reads.incrementAndGet();
        seen.put(key, now);
        return now;
    }

    /** Returns the value of a key. It must be at least as new as the last acknowledged write. */
    static long verify(KvConnection connected, KvSoakKey key, long acknowledged)
            throws IOException, InterruptedException, CommandFailedException {
        return check(connected, key, acknowledged).number();
    }

    private static Seen check(KvConnection connected, KvSoakKey key, long acknowledged)
            throws IOException, InterruptedException, CommandFailedException {
        Optional<KvValue> found = connected.get(key.name());
        Seen now = found.isEmpty()
                ? new Seen(0, 0)
                : new Seen(key.number(found.get().bytes()), found.get().version());
        requireNotLost(key, now.number(), acknowledged);
        return now;
    }

    private static void requireNotLost(KvSoakKey key, long number, long acknowledged) throws CommandFailedException {
        if (number < acknowledged) {
            throw new CommandFailedException("'" + key.name() + "' has write " + number + ", but write " + acknowledged
                    + " was acknowledged: it was lost");
        }
    }

    private void write(KvConnection connected, KvSoakKey key)
            throws IOException, InterruptedException, CommandFailedException {
        Seen before = seen.containsKey(key) ? Objects.requireNonNull(seen.get(key)) : look(connected, key);
        // After a failure, read the unknown state again.
        seen.remove(key);
        long next = before.number() + 1;
        if (key.kind() == KvSoakKey.Kind.SWAPPED && before.number() > 0) {
            byte[] found = connected
                    .compareSwap(key.name(), key.value(before.number()), key.value(next))
                    .orElseThrow(() -> new CommandFailedException("'" + key.name() + "' has gone"));
            long number = key.number(found);
            requireNotLost(key, number, journal.last(key.name()));
            if (number == before.number()) {
                acknowledge(key, new Seen(next, before.version()));
            }
            return;
        }
        try {
            acknowledge(key, new Seen(next, connected.put(key.name(), key.value(next), before.version())));
        } catch (KvConflictException e) {
            // A put of an aborted connection arrived after this connection had read the key.
            look(connected, key);
        }
    }

    private void acknowledge(KvSoakKey key, Seen now) throws IOException {
        journal.add(key.name(), now.number());
        seen.put(key, now);
        writes.incrementAndGet();
    }

    private KvConnection connection() throws IOException, InterruptedException, CommandFailedException {
        synchronized (this) {
            if (cache != null) {
                return cache;
            }
        }
        KvConnection fresh;
        try {
            fresh = connector.connect();
        } catch (IOException e) {
            throw new CommandFailedException("cannot connect: " + ErrorLines.describe(e));
        }
        connections.incrementAndGet();
        seen.clear();
        synchronized (this) {
            cache = fresh;
            aborted = false;
        }
        return fresh;
    }

    /** Aborts the connection during any operation. Any thread may call this method. */
    synchronized void abort() {
        if (cache != null) {
            aborted = true;
            cache.abort();
        }
    }

    private void requireAborted(IOException failure) throws IOException {
        synchronized (this) {
            if (!aborted) {
                throw failure;
            }
        }
        disconnect();
    }

    private void disconnect() throws IOException {
        KvConnection ended;
        synchronized (this) {
            ended = cache;
            cache = null;
        }
        if (ended != null) {
            retries.addAndGet(ended.retries());
            ended.close();
        }
    }

    /** Returns the work done so far. Any thread may call this method. */
    Totals totals() {
        return new Totals(reads.get(), writes.get(), connections.get(), retries.get());
    }

    /** Connects to the server. */
    interface Connector {
        KvConnection connect() throws IOException, InterruptedException, CommandFailedException;
    }
}
