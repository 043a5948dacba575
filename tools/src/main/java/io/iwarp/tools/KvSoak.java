package io.iwarp.tools;

import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.OptionCheck;
import io.iwarp.tools.kv.KvConnection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** Writes, reads back and aborts connections. Fails if an acknowledged write is lost. */
@Command(
        name = "soak",
        mixinStandardHelpOptions = true,
        customSynopsis = "iwarp kv-client HOST:PORT soak [OPTIONS]",
        description =
                "Write, compare-swap and read back from several clients, with connections aborted at random, and fail if"
                        + " a write that was acknowledged cannot be read or a value is not whole. Journals in a folder tell what"
                        + " was acknowledged, also to the next run with the same name after this one was killed.")
final class KvSoak implements Callable<Integer> {
    private static final int MOST_CLIENTS = 1024;
    private static final int LEAST_PAUSE_MILLIS = 50;
    private static final int MOST_PAUSE_MILLIS = 1000;

    @Spec
    private CommandSpec spec;

    @ParentCommand
    private KvClient client;

    @Option(names = "--journals", paramLabel = "DIR", required = true, description = "The folder of the journals.")
    private Path folder;

    @Option(
            names = "--name",
            paramLabel = "NAME",
            defaultValue = "soak",
            description = "Begins the names of the keys; no two may run at the same time with the same.")
    private String name;

    @Option(names = "--clients", paramLabel = "N", defaultValue = "16", description = "Connections.")
    private int clients;

    @Option(names = "--duration", paramLabel = "S", defaultValue = "60", description = "How long, in seconds.")
    private int seconds;

    @Option(
            names = "--check",
            description = "Only look whether all that the journals of the folder tell of can be read.",
            showDefaultValue = Visibility.NEVER)
    private boolean checking;

    @Override
    public Integer call() throws Exception {
        OptionCheck.require(spec, clients >= 1 && clients <= MOST_CLIENTS, "--clients must be 1 to " + MOST_CLIENTS);
        OptionCheck.require(spec, seconds >= 1, "--duration must be at least 1");
        OptionCheck.require(spec, name.matches("[\\w-]+"), "--name takes letters, digits, _ and -");
        Files.createDirectories(folder);
        try (Endpoint endpoint = client.open()) {
            if (checking) {
                check(endpoint);
            } else {
                soak(endpoint);
            }
        }
        return 0;
    }

    private void check(Endpoint endpoint) throws IOException, InterruptedException, CommandFailedException {
        long checked = 0;
        long writes = 0;
        try (KvConnection cache = client.connect(endpoint)) {
            for (Path journal : journals()) {
                for (Map.Entry<String, Long> last : KvJournal.read(journal).entrySet()) {
                    KvSoakClient.verify(cache, KvSoakKey.of(last.getKey()), last.getValue());
                    checked++;
                    writes += last.getValue();
                }
            }
        }
        spec.commandLine()
                .getOut()
                .printf(Locale.ROOT, "all %,d keys have their last of %,d acknowledged writes%n", checked, writes);
    }

    private List<Path> journals() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(KvJournal.SUFFIX))
                    .toList();
        }
    }

    private void soak(Endpoint endpoint) throws IOException, InterruptedException, CommandFailedException {
        List<KvSoakKey> foreign = new ArrayList<>();
        for (Path journal : journals()) {
            KvJournal.read(journal).keySet().forEach(key -> foreign.add(KvSoakKey.of(key)));
        }
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        ExecutorService threads = Executors.newFixedThreadPool(clients);
        try {
            List<KvSoakClient> working = new ArrayList<>();
            ExecutorCompletionService<Void> running = new ExecutorCompletionService<>(threads);
            for (int i = 0; i < clients; i++) {
                String clientName = name + "-" + i;
                KvJournal journal = KvJournal.open(folder.resolve(clientName + KvJournal.SUFFIX));
                KvSoakClient one = new KvSoakClient(clientName, () -> client.connect(endpoint), journal, foreign);
                working.add(one);
                running.submit(() -> {
                    one.run(deadline);
                    return null;
                });
            }
            abortAtRandom(working, running);
            tell(working);
        } finally {
            threads.shutdownNow();
        }
    }

    /** Waits until all have ended. Fails as soon as one fails. */
    private void abortAtRandom(List<KvSoakClient> working, ExecutorCompletionService<Void> running)
            throws IOException, InterruptedException, CommandFailedException {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        int ended = 0;
        while (ended < clients) {
            Future<Void> end =
                    running.poll(random.nextInt(LEAST_PAUSE_MILLIS, MOST_PAUSE_MILLIS), TimeUnit.MILLISECONDS);
            if (end == null) {
                working.get(random.nextInt(clients)).abort();
                continue;
            }
            try {
                end.get();
                ended++;
            } catch (ExecutionException e) {
                throw Endpoint.failureOf(e);
            }
        }
    }

    private void tell(List<KvSoakClient> working) {
        KvSoakClient.Totals sum =
                working.stream().map(KvSoakClient::totals).reduce(KvSoakClient.Totals.NONE, KvSoakClient.Totals::plus);
        spec.commandLine()
                .getOut()
                .printf(
                        Locale.ROOT,
                        "%,d reads, %,d acknowledged writes, %,d connections, %,d reads that met a change%n",
                        sum.reads(),
                        sum.writes(),
                        sum.connections(),
                        sum.retries());
    }
}
