package io.iwarp.tools.file;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;

/** Writes the bytes of a file as they arrive, without a temporary file: to stdout, a device or a pipe. */
record StreamSink(WritableByteChannel channel) implements FileSink {
    @Override
    public void append(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    /** Returns a sink that leaves the stream open. */
    static StreamSink to(OutputStream stream) {
        return new StreamSink(Channels.newChannel(new FilterOutputStream(stream) {
            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                out.write(bytes, offset, length);
            }

            @Override
            public void close() throws IOException {
                flush();
            }
        }));
    }

    /** Nothing is left to do: everything was written as it arrived. */
    @Override
    public void keep() {}

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
