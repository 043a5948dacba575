package io.iwarp.tools.cli;

import picocli.CommandLine.ArgGroup;

/** The options of every command that only listens. */
public final class ServerOptions extends ConnectionOptions {
    @ArgGroup(validate = false, order = 1, heading = "%niWARP options:%n")
    private WireOptions wire = new WireOptions();

    @Override
    WireOptions wire() {
        return wire;
    }
}
