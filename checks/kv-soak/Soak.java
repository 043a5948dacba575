import io.iwarp.examples.kv.KvClient;
import io.iwarp.examples.kv.KvClient.Found;
import io.iwarp.memory.ProtectionDomain;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Clients of the key-value example that write, replace and read back, with connections that are reset at random. Fails
 * if a write that was acknowledged cannot be read, or a value is not whole. Each client has a journal of its
 * acknowledged writes, which outlives a process that is killed.
 *
 * <p>Soak HOST:PORT JOURNALS NAME CLIENTS SECONDS works; Soak HOST:PORT JOURNALS checks all journals of the folder.
 */
final class Soak {
    private static final int KEYS = 8;
    private static final String SUFFIX = ".journal";
    private static final Pattern LINE = Pattern.compile("(\\S+) (\\d+)\\.");
    private static final AtomicLong READS = new AtomicLong();
    private static final AtomicLong WRITES = new AtomicLong();
    private static final AtomicLong CONNECTIONS = new AtomicLong();
    private static final AtomicLong RETRIES = new AtomicLong();

    private final InetSocketAddress server;
    private final Path folder;
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

    private Soak(String address, Path folder) {
        int colon = address.lastIndexOf(':');
        int port = Integer.parseInt(address.substring(colon + 1));
        this.server = new InetSocketAddress(address.substring(0, colon), port);
        this.folder = folder;
    }

    public static void main(String[] args) throws Exception {
        Soak soak = new Soak(args[0], Files.createDirectories(Path.of(args[1])));
        try {
            if (args.length == 2) {
                soak.check();
            } else {
                soak.work(args[2], Integer.parseInt(args[3]), Integer.parseInt(args[4]));
            }
            System.exit(0);
        } catch (IOException | ExecutionException e) {
            System.err.println("soak: " + e.getMessage());
            System.exit(1);
        }
    }

    private KvClient connect() throws IOException, InterruptedException {
        CONNECTIONS.incrementAndGet();
        return KvClient.connect(group, domain, server, null);
    }

    private List<Path> journals() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(SUFFIX)).toList();
        }
    }

    /** Returns the last acknowledged write of each key. A line that is cut off does not count. */
    private static Map<String, Long> read(Path journal) throws IOException {
        Map<String, Long> last = new HashMap<>();
        for (String line : Files.readAllLines(journal)) {
            Matcher write = LINE.matcher(line);
            if (write.matches()) {
                last.merge(write.group(1), Long.valueOf(write.group(2)), Math::max);
            }
        }
        return last;
    }

    private void check() throws IOException, InterruptedException {
        long keys = 0;
        long writes = 0;
        try (KvClient client = connect()) {
            for (Path journal : journals()) {
                for (Map.Entry<String, Long> last : read(journal).entrySet()) {
                    requireNotLost(last.getKey(), numberOf(last.getKey(), client.get(last.getKey())), last.getValue());
                    keys++;
                    writes += last.getValue();
                }
            }
        }
        System.out.printf("all %,d keys have their last of %,d acknowledged writes%n", keys, writes);
    }

    private void work(String name, int clients, int seconds) throws Exception {
        List<String> foreign = new ArrayList<>();
        for (Path journal : journals()) {
            foreign.addAll(read(journal).keySet());
        }
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        ExecutorService threads = Executors.newFixedThreadPool(clients);
        ExecutorCompletionService<Void> running = new ExecutorCompletionService<>(threads);
        List<Worker> workers = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            Worker worker = new Worker(name + "-" + i, foreign);
            workers.add(worker);
            running.submit(() -> worker.run(deadline), null);
        }
        ThreadLocalRandom random = ThreadLocalRandom.current();
        for (int ended = 0; ended < clients; ) {
            Future<Void> end = running.poll(random.nextInt(50, 1000), TimeUnit.MILLISECONDS);
            if (end == null) {
                workers.get(random.nextInt(clients)).reset();
            } else {
                end.get();
                ended++;
            }
        }
        System.out.printf(
                "%,d reads, %,d acknowledged writes, %,d connections, %,d reads that met a change%n",
                READS.get(), WRITES.get(), CONNECTIONS.get(), RETRIES.get());
    }

    /** Returns the value of a write: the key and the number determine it, so that a reader recognises a torn one. */
    private static byte[] value(String key, long number) {
        Random random = new Random(key.hashCode() * 31L + number);
        byte[] letters = new byte[random.nextInt(key.endsWith("short") ? 8 : 8000)];
        for (int i = 0; i < letters.length; i++) {
            letters[i] = (byte) ('a' + random.nextInt(26));
        }
        return (key + " " + number + " " + new String(letters, StandardCharsets.US_ASCII))
                .getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns the number of the write that stored what was found, 0 if nothing was. */
    private static long numberOf(String key, Optional<Found> found) {
        if (found.isEmpty()) {
            return 0;
        }
        String text = found.get().text();
        String[] parts = text.split(" ", 3);
        long number = parts.length == 3 && parts[1].matches("\\d{1,18}") ? Long.parseLong(parts[1]) : -1;
        if (!Arrays.equals(value(key, number), found.get().value())) {
            throw new IllegalStateException("'" + key + "' has " + text.length() + " bytes that were never written: '"
                    + text.substring(0, Math.min(100, text.length())) + "'");
        }
        return number;
    }

    private static void requireNotLost(String key, long number, long acknowledged) {
        if (number < acknowledged) {
            throw new IllegalStateException("'" + key + "' has write " + number + ", but write " + acknowledged
                    + " was acknowledged: it was lost");
        }
    }

    /** One client. One thread runs it, and another one resets its connection at any time. */
    private final class Worker {
        private final List<String> keys = new ArrayList<>();
        private final List<String> foreign;
        private final OutputStream journal;
        private final Map<String, Long> acknowledged;
        private KvClient client;
        private boolean isReset;

        Worker(String name, List<String> foreign) throws IOException {
            this.foreign = foreign;
            for (int i = 0; i < KEYS; i++) {
                keys.add("soak/" + name + "/" + i + (i % 2 == 0 ? "/long" : "/short"));
            }
            Path file = folder.resolve(name + SUFFIX);
            acknowledged = Files.exists(file) ? read(file) : new HashMap<>();
            journal = Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            journal.write('\n');
        }

        void run(long deadline) {
            try (journal) {
                while (System.nanoTime() - deadline < 0) {
                    try {
                        step(connected());
                    } catch (IOException e) {
                        requireReset(e);
                    }
                }
                disconnect();
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e.getMessage(), e);
            }
        }

        private void step(KvClient connected) throws IOException, InterruptedException {
            String key = keys.get(ThreadLocalRandom.current().nextInt(KEYS));
            int choice = ThreadLocalRandom.current().nextInt(100);
            if (choice < 10 && !foreign.isEmpty()) {
                String other = foreign.get(ThreadLocalRandom.current().nextInt(foreign.size()));
                numberOf(other, connected.get(other));
                READS.incrementAndGet();
                return;
            }
            Optional<Found> before = connected.get(key);
            READS.incrementAndGet();
            long number = numberOf(key, before);
            requireNotLost(key, number, acknowledged.getOrDefault(key, 0L));
            if (choice < 60) {
                return;
            }
            byte[] next = value(key, number + 1);
            // A put of a connection that was reset may arrive in between: then nothing is changed.
            boolean stored = before.isPresent() && choice < 75
                    ? connected.replace(key, before.get().value(), next).isEmpty()
                    : connected.putIfVersion(key, next, before.map(Found::version).orElse(0L)).isPresent();
            if (stored) {
                acknowledged.put(key, number + 1);
                journal.write((key + " " + (number + 1) + ".\n").getBytes(StandardCharsets.US_ASCII));
                WRITES.incrementAndGet();
            }
        }

        private KvClient connected() throws IOException, InterruptedException {
            synchronized (this) {
                if (client != null) {
                    return client;
                }
            }
            KvClient fresh;
            try {
                fresh = connect();
            } catch (IOException e) {
                throw new IllegalStateException("cannot connect: " + e.getMessage(), e);
            }
            synchronized (this) {
                client = fresh;
                isReset = false;
            }
            return fresh;
        }

        /** Ends the connection with a TCP reset, as if this process was killed. */
        synchronized void reset() {
            if (client != null) {
                isReset = true;
                KvClient ending = client;
                var channel = ending.queuePair().channel();
                // Only the event loop closes the socket, which takes no option after that.
                channel.eventLoop().execute(() -> {
                    if (channel.isActive()) {
                        channel.config().setOption(ChannelOption.SO_LINGER, 0);
                    }
                    ending.queuePair().abort();
                });
            }
        }

        private void requireReset(IOException failure) throws IOException {
            synchronized (this) {
                if (!isReset) {
                    throw failure;
                }
            }
            disconnect();
        }

        private void disconnect() {
            KvClient ended;
            synchronized (this) {
                ended = client;
                client = null;
            }
            if (ended != null) {
                RETRIES.addAndGet(ended.retries());
                ended.close();
            }
        }
    }
}
