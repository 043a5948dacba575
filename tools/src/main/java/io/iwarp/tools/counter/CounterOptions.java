package io.iwarp.tools.counter;

import io.iwarp.tools.cli.OptionCheck;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** How much is counted. */
final class CounterOptions {
    private static final int MOST_CLIENTS = 256;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = "--clients",
            paramLabel = "N",
            defaultValue = "4",
            description = "How many clients count at the same time, each on a connection of its own.")
    private int clients;

    @Option(
            names = "--adds",
            paramLabel = "N",
            defaultValue = "100000",
            description = "How often each client adds 1 to the counter, by FetchAdd.")
    private long adds;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "1000",
            description =
                    "How often each client takes the lock by CmpSwap, and adds 1 to the number under it by an RDMA"
                            + " Read and an RDMA Write.")
    private long rounds;

    int clients() {
        return clients;
    }

    /** Returns what one client does. */
    CounterDone work() {
        OptionCheck.require(command, clients >= 1 && clients <= MOST_CLIENTS, "--clients must be 1 to " + MOST_CLIENTS);
        OptionCheck.require(command, adds >= 0, "--adds " + adds + " is negative");
        OptionCheck.require(command, rounds >= 0, "--rounds " + rounds + " is negative");
        return new CounterDone(adds, rounds);
    }
}
