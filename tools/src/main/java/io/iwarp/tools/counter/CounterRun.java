package io.iwarp.tools.counter;

import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.Interval;
import io.iwarp.tools.cli.ListenOptions;
import io.iwarp.tools.cli.Load;
import io.iwarp.tools.cli.Loads;
import io.iwarp.tools.cli.MeasureOptions;
import io.iwarp.tools.cli.Measurement;
import io.iwarp.tools.cli.ResultFile;
import io.iwarp.tools.cli.Story;
import io.iwarp.verbs.QueuePairSettings;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;

/** Several clients that count at the same time, and the check that nothing was lost. */
final class CounterRun {
    private final Endpoint endpoint;
    private final Story story;
    private final MeasureOptions measuring;
    private final ResultFile file;
    private final int clients;
    private final CounterDone work;
    private final List<CounterWorker> workers = new ArrayList<>();

    /** @param file takes the results as JSON */
    CounterRun(
            Endpoint endpoint, Story story, MeasureOptions measuring, ResultFile file, int clients, CounterDone work) {
        this.endpoint = endpoint;
        this.story = story;
        this.measuring = measuring;
        this.file = file;
        this.clients = clients;
        this.work = work;
    }

    /**
     * Connects all clients, then lets them count; fails if the numbers are not exactly what was added. Ctrl-C ends it
     * without the check.
     */
    void run(SocketAddress server, QueuePairSettings settings) throws IOException, InterruptedException {
        try {
            Loads loads = new Loads();
            for (int i = 0; i < clients; i++) {
                CounterWorker worker = CounterWorker.connect(endpoint, server, settings, loads, work);
                workers.add(worker);
                loads.add(worker);
            }
            story.step("connect", "%s to %s", Bytes.count(clients, "client"), ListenOptions.addressText(server));
            List<MeasureOptions.Work> underLock = workers.stream()
                    .map(worker -> (MeasureOptions.Work) worker::countUnderLock)
                    .toList();
            if (isWhole("spin lock", "round", measuring.measure("spin lock", Long.BYTES, underLock))
                    && isWhole(
                            "fetch-add",
                            "operation",
                            loads.measure(measuring, "fetch-add", Long.BYTES, false, MeasureOptions.UNLIMITED))) {
                Endpoint.close(workers.stream().map(Load::queuePair).toList());
                check();
            }
        } finally {
            workers.forEach(worker -> worker.queuePair().abort());
        }
    }

    /** Prints the result of a phase, and returns whether the phase came to its end. */
    private boolean isWhole(String name, String noun, Measurement measured) throws IOException {
        Interval total = measured.total();
        List<String> summary = total.summary(0, noun);
        story.step(name, "%s", summary.get(0));
        story.step("", "%s", summary.get(1));
        measuring.write(file, json -> {
            json.writeStringField("op", "counter, " + name);
            json.writeNumberField("clients", clients);
            total.write(json, Long.BYTES);
        });
        measured.requireNoFailure();
        return !measured.cutShort();
    }

    /** Checks the totals of the client that finished last. */
    private void check() {
        CounterTotals last = workers.get(0).totals();
        for (CounterWorker worker : workers) {
            last = worker.totals().atWork() <= last.atWork() ? worker.totals() : last;
        }
        if (last.conclusive() && !last.exact()) {
            throw new CommandFailedException(last.verdict() + ": please report it");
        }
        long refusals = workers.stream().mapToLong(CounterWorker::refusals).sum();
        story.step("lock", "it was busy %,d times", refusals);
        story.step("check", "%s", last.verdict());
    }
}
