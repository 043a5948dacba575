package io.iwarp.tools.file;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Where the bytes of a file that is read from a server go. Not thread-safe. */
interface FileSink extends AutoCloseable {
    /** Appends all remaining bytes. */
    void append(ByteBuffer bytes) throws IOException;

    /** Keeps what was appended: the file is complete. */
    void keep() throws IOException;

    /** Discards what was not kept, as far as that is possible. */
    @Override
    void close() throws IOException;

    /** Opens a sink once the size of the file is known. */
    interface Target {
        /** Opens the sink of a file of {@code size} bytes. */
        FileSink open(long size) throws IOException;
    }
}
