package io.iwarp.tools.file;

import io.iwarp.tools.cli.CommandGroup;
import picocli.CommandLine.Command;

/** Files in the memory of a server. Without a subcommand, prints the help. */
@Command(
        name = "file",
        description = "Serves files, writes them to a server and reads them from it, by RDMA.",
        footer = "%n'iwarp help file COMMAND' describes a command.",
        subcommands = {FileServe.class, FilePut.class, FileGet.class, FileList.class})
public final class FileCommand extends CommandGroup {}
