package io.iwarp.tools.file;

import io.iwarp.tools.cli.Conversation;
import io.iwarp.tools.cli.Endpoint;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine.Command;

/** Prints which files a file server has. */
@Command(
        name = "list",
        description = "Lists the files that a file server offers: the size of each in bytes, and its name.",
        footer = {"%nExample:", "  iwarp file list 127.0.0.1:7471"})
final class FileList extends FileClient {
    private static final int CHUNK = 1 << 16;

    @Override
    protected void run() throws Exception {
        Conversation conversation = new Conversation();
        ByteArrayOutputStream list = new ByteArrayOutputStream();
        try (Endpoint endpoint = open();
                FileFetcher fetcher = new FileFetcher(FileMessage.LIST, conversation, endpoint.domain(), CHUNK, 1)) {
            connect(endpoint, conversation);
            fetcher.fetch(size -> StreamSink.to(list), size -> progress("list", size));
        }
        list.toString(StandardCharsets.UTF_8).lines().forEach(out()::line);
    }
}
