package io.iwarp.tools.cli;

import picocli.CommandLine.ArgGroup;

/** The options of every command that connects. */
public final class ClientOptions extends ConnectionOptions {
    @ArgGroup(validate = false, order = 1, heading = "%niWARP options:%n")
    private ClientWireOptions wire = new ClientWireOptions();

    @Override
    WireOptions wire() {
        return wire;
    }
}
