package io.iwarp.tools.file;

import io.iwarp.tools.cli.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Files in the memory of a server. Without a subcommand, prints the help. */
@Command(
        name = "file",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description = "Serves files, writes them to a server and reads them from it, by RDMA.",
        footer = "%n'iwarp help file COMMAND' describes a command.",
        subcommands = {FileServe.class, FilePut.class, FileGet.class, FileList.class})
public final class FileCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
