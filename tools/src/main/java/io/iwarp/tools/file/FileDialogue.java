package io.iwarp.tools.file;

import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.Conversation;
import io.iwarp.verbs.QueuePair;
import java.io.IOException;

/** Either side of what {@link FileMessage} describes. Not thread-safe. Do not call it on an event loop. */
record FileDialogue(Conversation conversation) {
    QueuePair queuePair() {
        return conversation.queuePair();
    }

    void send(FileMessage message) throws IOException, InterruptedException {
        conversation.send(message.encode());
    }

    /** Waits for the next message, of any kind. */
    FileMessage receive() throws IOException, InterruptedException {
        return FileMessage.decode(conversation.receive());
    }

    /** Server: waits for the next message, which must be of this kind. */
    <M extends FileMessage> M receive(Class<M> expected) throws IOException, InterruptedException {
        FileMessage message = receive();
        if (!expected.isInstance(message)) {
            throw unexpected(message, expected.getSimpleName());
        }
        return expected.cast(message);
    }

    /** Returns the failure of a server for a message of an unexpected kind. */
    static CommandFailedException unexpected(FileMessage message, String expected) {
        return new CommandFailedException(
                "a message " + message.getClass().getSimpleName() + " came, expected was " + expected);
    }

    /**
     * Client: waits for the next message. Fails if the server refuses.
     *
     * @param file what the client has asked for
     */
    FileMessage receiveAnswer(String file) throws IOException, InterruptedException {
        FileMessage message = receive();
        if (message instanceof FileMessage.Refused refused) {
            throw new CommandFailedException("the server refused " + file + ": " + refused.reason());
        }
        return message;
    }

    /** Client: checks that the server's message is of this kind. */
    static <M extends FileMessage> M require(Class<M> expected, FileMessage message) {
        if (!expected.isInstance(message)) {
            throw new CommandFailedException("the server sent " + message + " where " + expected.getSimpleName()
                    + " was expected: it does not keep to the protocol");
        }
        return expected.cast(message);
    }
}
