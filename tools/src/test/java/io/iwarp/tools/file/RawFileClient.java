package io.iwarp.tools.file;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.tools.PlainEndpoint;
import io.iwarp.tools.cli.Conversation;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.PeerAddress;
import io.iwarp.tools.cli.ServerOptions;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOption;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** A client of the file server that says what the test wants, true or not. */
final class RawFileClient implements AutoCloseable {
    private final Endpoint endpoint = PlainEndpoint.open();
    private final Conversation conversation = new Conversation();
    private final String address;

    private RawFileClient(String address) {
        this.address = address;
    }

    static RawFileClient connect(String address) throws Exception {
        RawFileClient client = new RawFileClient(address);
        try {
            client.endpoint.connect(
                    new PeerAddress.Converter().convert(address).resolve(),
                    new ServerOptions().settings().build(),
                    FileServe.PROTOCOL.request(),
                    client.conversation::attach);
        } catch (Exception e) {
            client.endpoint.close();
            throw e;
        }
        return client;
    }

    String address() {
        return address;
    }

    void says(FileMessage message) throws Exception {
        conversation.send(message.encode());
    }

    void givesBack(RemoteBuffer memory, FileMessage message) throws Exception {
        conversation.sendWithInvalidate(message.encode(), memory);
    }

    /** Returns what is there. */
    byte[] reads(RemoteBuffer source) throws Exception {
        ByteBuf sink = ByteBufAllocator.DEFAULT.directBuffer((int) source.length(), (int) source.length());
        try {
            Endpoint.await(conversation.queuePair().read(sink, source));
            return ByteBufUtil.getBytes(sink);
        } finally {
            sink.release();
        }
    }

    void says(byte... bytes) throws Exception {
        conversation.send(Unpooled.wrappedBuffer(bytes));
    }

    void writes(byte[] bytes, RemoteBuffer target) throws Exception {
        conversation.queuePair().write(Unpooled.wrappedBuffer(bytes), target);
    }

    FileMessage hears() throws Exception {
        return FileMessage.decode(conversation.receive());
    }

    /** Passes over messages. */
    CloseReason hearsTheEnd() throws Exception {
        while (true) {
            try {
                conversation.receive();
            } catch (ConnectionClosedException e) {
                return e.reason();
            }
        }
    }

    /** As if the process was killed: no good-bye, and a reset. */
    void dies() {
        conversation.queuePair().channel().config().setOption(ChannelOption.SO_LINGER, 0);
        conversation.queuePair().abort();
    }

    @Override
    public void close() throws IOException {
        conversation.queuePair().close();
        conversation
                .queuePair()
                .closed()
                .orTimeout(Endpoint.patienceSeconds(), TimeUnit.SECONDS)
                .join();
        endpoint.close();
    }
}
