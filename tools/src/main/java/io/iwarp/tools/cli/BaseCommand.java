package io.iwarp.tools.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command and its output. */
public abstract class BaseCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    protected final CommandSpec spec() {
        return spec;
    }

    /** Returns where results go. */
    protected final Output out() {
        return new Output(spec.commandLine().getOut());
    }

    /** Returns where errors go that do not end the command. */
    protected final Output err() {
        return new Output(spec.commandLine().getErr());
    }
}
