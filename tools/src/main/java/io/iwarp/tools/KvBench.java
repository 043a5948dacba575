package io.iwarp.tools;

import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.OptionCheck;
import io.iwarp.tools.kv.KvConnection;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** Measures the rate of gets and puts. */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        customSynopsis = "iwarp kv-client HOST:PORT bench [OPTIONS]",
        description =
                "Get and put values of the keys bench-0, bench-1, ... as fast as the answers come, and tell rate and"
                        + " round-trip times.")
final class KvBench implements Callable<Integer> {
    private static final int MOST_CLIENTS = 1024;
    private static final int PERCENT = 100;
    private static final int DIGITS = 3;
    private static final double NANOS_PER_MICRO = 1e3;
    private static final int MOST_BYTES = 1 << 16;

    @Spec
    private CommandSpec spec;

    @ParentCommand
    private KvClient client;

    @Option(
            names = "--clients",
            paramLabel = "N",
            defaultValue = "4",
            description = "Connections, each of which does one operation after the other.")
    private int clients;

    @Option(names = "--duration", paramLabel = "S", defaultValue = "5", description = "How long, in seconds.")
    private int seconds;

    @Option(
            names = "--puts",
            paramLabel = "PERCENT",
            defaultValue = "10",
            description = "How many of the operations are puts.")
    private int puts;

    @Option(names = "--keys", paramLabel = "N", defaultValue = "1000", description = "How many keys there are.")
    private int keys;

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            defaultValue = "100",
            converter = Bytes.Converter.class,
            description = "How many bytes a value has.")
    private long size;

    /** What one client measured, in nanoseconds. */
    private record Result(Histogram gets, Histogram puts, long retries) {}

    @Override
    public Integer call() throws Exception {
        OptionCheck.require(spec, clients >= 1 && clients <= MOST_CLIENTS, "--clients must be 1 to " + MOST_CLIENTS);
        OptionCheck.require(spec, seconds >= 1, "--duration must be at least 1");
        OptionCheck.require(spec, puts >= 0 && puts <= PERCENT, "--puts must be 0 to " + PERCENT);
        OptionCheck.require(spec, keys >= 1, "--keys must be at least 1");
        OptionCheck.require(spec, size >= 0 && size <= MOST_BYTES, "--size must be 0 to " + MOST_BYTES);
        ExecutorService threads = Executors.newFixedThreadPool(clients);
        try (Endpoint endpoint = client.open()) {
            fill(endpoint);
            tell(measure(endpoint, threads));
        } finally {
            threads.shutdownNow();
        }
        return 0;
    }

    private void fill(Endpoint endpoint) throws IOException, InterruptedException, CommandFailedException {
        try (KvConnection cache = client.connect(endpoint)) {
            for (int key = 0; key < keys; key++) {
                cache.put("bench-" + key, new byte[(int) size]);
            }
        }
    }

    private Result measure(Endpoint endpoint, ExecutorService threads)
            throws IOException, InterruptedException, CommandFailedException {
        List<Future<Result>> running = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            KvConnection cache = client.connect(endpoint);
            running.add(threads.submit(() -> load(cache)));
        }
        Result all = new Result(new Histogram(DIGITS), new Histogram(DIGITS), 0);
        for (Future<Result> one : running) {
            Result result;
            try {
                result = one.get();
            } catch (ExecutionException e) {
                throw Endpoint.failureOf(e);
            }
            all.gets.add(result.gets);
            all.puts.add(result.puts);
            all = new Result(all.gets, all.puts, all.retries + result.retries);
        }
        return all;
    }

    private Result load(KvConnection cache) throws IOException, InterruptedException, CommandFailedException {
        Histogram gets = new Histogram(DIGITS);
        Histogram stored = new Histogram(DIGITS);
        ThreadLocalRandom random = ThreadLocalRandom.current();
        byte[] value = new byte[(int) size];
        try (cache) {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
            long begin = System.nanoTime();
            while (begin - end < 0) {
                String key = "bench-" + random.nextInt(keys);
                boolean put = random.nextInt(PERCENT) < puts;
                if (put) {
                    random.nextBytes(value);
                    cache.put(key, value);
                } else if (cache.get(key).isEmpty()) {
                    throw new CommandFailedException("the server has lost the key '" + key + "': was it started anew?");
                }
                long now = System.nanoTime();
                (put ? stored : gets).recordValue(now - begin);
                begin = now;
            }
            return new Result(gets, stored, cache.retries());
        }
    }

    private void tell(Result result) {
        tell("get", result.gets);
        tell("put", result.puts);
        spec.commandLine()
                .getOut()
                .printf(Locale.ROOT, "reads that met a change and were repeated: %,d%n", result.retries);
    }

    private void tell(String name, Histogram times) {
        spec.commandLine()
                .getOut()
                .printf(
                        Locale.ROOT,
                        "%s %,12.0f/s   median %,8.1f us   99 %% %,8.1f us   99.9 %% %,8.1f us   %,d in all%n",
                        name,
                        (double) times.getTotalCount() / seconds,
                        times.getValueAtPercentile(50) / NANOS_PER_MICRO,
                        times.getValueAtPercentile(99) / NANOS_PER_MICRO,
                        times.getValueAtPercentile(99.9) / NANOS_PER_MICRO,
                        times.getTotalCount());
    }
}
