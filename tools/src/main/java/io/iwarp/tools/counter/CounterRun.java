package io.iwarp.tools.counter;

import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.ListenOptions;
import io.iwarp.tools.cli.Story;
import io.iwarp.verbs.QueuePairSettings;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Several clients that count at the same time, and the check that nothing was lost. */
final class CounterRun {
    private static final double NANOS_PER_SECOND = 1e9;

    private final Endpoint endpoint;
    private final Story story;
    private final int clients;
    private final CounterDone work;

    CounterRun(Endpoint endpoint, Story story, int clients, CounterDone work) {
        this.endpoint = endpoint;
        this.story = story;
        this.clients = clients;
        this.work = work;
    }

    /** Connects all clients, then lets them count; fails if the numbers are not exactly what was added. */
    void run(SocketAddress server, QueuePairSettings settings) throws IOException, InterruptedException {
        List<CounterWorker> workers = new ArrayList<>();
        ExecutorService threads = Executors.newFixedThreadPool(clients);
        try {
            for (int i = 0; i < clients; i++) {
                workers.add(CounterWorker.connect(endpoint, server, settings, work));
            }
            story.step("connect", "%s to %s", Bytes.count(clients, "client"), ListenOptions.addressText(server));
            underLock(threads, workers);
            CounterTotals totals = byFetchAdd(threads, workers);
            for (CounterWorker worker : workers) {
                worker.close();
            }
            tell(totals);
        } catch (IOException | InterruptedException | RuntimeException e) {
            workers.forEach(CounterWorker::abort);
            throw e;
        } finally {
            threads.shutdownNow();
        }
    }

    private void underLock(ExecutorService threads, List<CounterWorker> workers)
            throws IOException, InterruptedException {
        long begin = System.nanoTime();
        List<Callable<Void>> tasks = new ArrayList<>();
        for (CounterWorker worker : workers) {
            tasks.add(() -> {
                worker.countUnderLock();
                return null;
            });
        }
        runAll(threads, tasks);
        long refusals = workers.stream().mapToLong(CounterWorker::refusals).sum();
        tellPhase("spin lock", "read, added and wrote back", work.rounds(), System.nanoTime() - begin);
        story.step("", "each time under a lock of CmpSwap, which was busy %,d times", refusals);
    }

    /** Returns the totals of the client that finished last. */
    private CounterTotals byFetchAdd(ExecutorService threads, List<CounterWorker> workers)
            throws IOException, InterruptedException {
        long begin = System.nanoTime();
        List<Callable<CounterTotals>> tasks = new ArrayList<>();
        for (CounterWorker worker : workers) {
            tasks.add(worker::count);
        }
        CounterTotals last = null;
        for (CounterTotals totals : runAll(threads, tasks)) {
            if (last == null || totals.atWork() <= last.atWork()) {
                last = totals;
            }
        }
        tellPhase("fetch-add", "added", work.adds(), System.nanoTime() - begin);
        return Objects.requireNonNull(last, "there is at least one client");
    }

    private void tellPhase(String name, String verb, long each, long nanos) {
        story.step(
                name,
                "%s %s %,d times each in %s, %,.0f/s",
                Bytes.count(clients, "client"),
                verb,
                each,
                Bytes.time(nanos),
                clients * each / (nanos / NANOS_PER_SECOND));
    }

    private void tell(CounterTotals totals) {
        if (totals.conclusive() && !totals.exact()) {
            throw new CommandFailedException(totals.verdict() + ": please report it");
        }
        story.step("check", "%s", totals.verdict());
    }

    /** The first failure ends the wait. */
    private static <T> List<T> runAll(ExecutorService threads, List<Callable<T>> tasks)
            throws IOException, InterruptedException {
        CompletionService<T> running = new ExecutorCompletionService<>(threads);
        tasks.forEach(running::submit);
        List<T> results = new ArrayList<>();
        for (int i = 0; i < tasks.size(); i++) {
            try {
                results.add(running.take().get());
            } catch (ExecutionException e) {
                throw Endpoint.failureOf(e);
            }
        }
        return results;
    }
}
