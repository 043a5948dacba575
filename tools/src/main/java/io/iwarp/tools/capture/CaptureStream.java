package io.iwarp.tools.capture;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The file of a capture. If it cannot be written, for example because the disk is full, the traffic goes on: further
 * bytes are dropped, and {@link #close} throws the first failure.
 *
 * <p>Not safe for use by several threads: {@link Capture} locks it.
 */
final class CaptureStream extends OutputStream {
    private static final int BUFFER_BYTES = 1 << 16;

    private final Path path;
    private final OutputStream file;
    private @Nullable IOException failure;

    /** Creates the file, or empties it. */
    CaptureStream(Path path) throws IOException {
        this.path = path;
        this.file = new BufferedOutputStream(Files.newOutputStream(path), BUFFER_BYTES);
    }

    @Override
    public void write(int value) {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        if (failure == null) {
            try {
                file.write(bytes, offset, length);
            } catch (IOException e) {
                failure = e;
            }
        }
    }

    @Override
    public void flush() {
        if (failure == null) {
            try {
                file.flush();
            } catch (IOException e) {
                failure = e;
            }
        }
    }

    @Override
    public void close() throws IOException {
        try {
            // This also writes what is still in the buffer.
            file.close();
        } catch (IOException e) {
            failure = failure == null ? e : failure;
        }
        if (failure != null) {
            throw new IOException("the capture " + path + " is not complete: " + failure.getMessage(), failure);
        }
    }
}
