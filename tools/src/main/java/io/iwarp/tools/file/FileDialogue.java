package io.iwarp.tools.file;

import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.Conversation;
import java.io.IOException;

/** The server's side of what {@link FileMessage} describes. Not thread-safe. Do not call it on an event loop. */
final class FileDialogue {
    private final Conversation conversation;

    FileDialogue(Conversation conversation) {
        this.conversation = conversation;
    }

    Conversation conversation() {
        return conversation;
    }

    void send(FileMessage message) throws IOException, InterruptedException {
        conversation.send(message.encode());
    }

    /** Waits for the next message, of any kind. */
    FileMessage receive() throws IOException, InterruptedException {
        return FileMessage.decode(conversation.receive());
    }

    /** Waits for the next message, which must be of this kind. */
    <M extends FileMessage> M receive(Class<M> expected) throws IOException, InterruptedException {
        FileMessage message = receive();
        if (!expected.isInstance(message)) {
            throw unexpected(message, expected.getSimpleName());
        }
        return expected.cast(message);
    }

    /** Returns the failure for a message of an unexpected kind. */
    static CommandFailedException unexpected(FileMessage message, String expected) {
        return new CommandFailedException(
                "a message " + message.getClass().getSimpleName() + " came, expected was " + expected);
    }
}
