package io.iwarp.examples;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The {@code iwarp} command; alone it prints its help. */
@Command(name = "iwarp", mixinStandardHelpOptions = true, description = "RDMA over TCP (iWARP) on the JVM.")
public final class Iwarp implements Runnable {
    @Spec
    private CommandSpec spec;

    private Iwarp() {}

    /** Runs the command and ends the process with its exit code. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new Iwarp()).execute(args));
    }

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
