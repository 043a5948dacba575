package io.iwarp.examples.kv;

import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.Completion;
import io.iwarp.verbs.IwarpChannelInitializer;
import io.iwarp.verbs.IwarpConnector;
import io.iwarp.verbs.QueuePair;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Stores values through a {@link KvServer}, and reads them from its memory. */
public final class KvClient {
    private static final int ATTEMPTS = 100;

    private final QueuePair queuePair;
    private final RemoteBuffer table;

    private KvClient(QueuePair queuePair) {
        this.queuePair = queuePair;
        table = queuePair.remoteBuffers().get(0);
    }

    private void put(String keyAndValue) throws Exception {
        ByteBuf answer = Unpooled.buffer(64, 64);
        CompletableFuture<Completion> answered = queuePair.receive(answer);
        queuePair.send(Unpooled.copiedBuffer(keyAndValue, StandardCharsets.UTF_8));
        answered.get(10, TimeUnit.SECONDS);
    }

    /** Returns the value, or null if there is none. */
    private String get(String key) throws Exception {
        ByteBuf slot = Unpooled.directBuffer(Table.SLOT_LENGTH, Table.SLOT_LENGTH);
        try {
            for (int attempt = 1; ; attempt++) {
                queuePair
                        .read(slot.clear(), table.slice(Table.slotOf(key), Table.SLOT_LENGTH))
                        .get();
                try {
                    return Table.decode(slot, key);
                } catch (IllegalStateException beingWritten) {
                    if (attempt == ATTEMPTS) {
                        throw beingWritten;
                    }
                }
            }
        } finally {
            slot.release();
        }
    }

    /**
     * Runs the client.
     *
     * @param args the host and port of the server, then the operations: KEY=VALUE puts, KEY gets
     */
    public static void main(String[] args) throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try {
            QueuePair queuePair = new IwarpConnector(
                            new Bootstrap().group(group).channel(NioSocketChannel.class),
                            IwarpChannelInitializer.initiator(ProtectionDomain.create()))
                    .connect(new InetSocketAddress(args[0], Integer.parseInt(args[1])))
                    .get();
            KvClient client = new KvClient(queuePair);
            for (int i = 2; i < args.length; i++) {
                if (args[i].contains("=")) {
                    client.put(args[i]);
                } else {
                    System.out.println(args[i] + " is " + client.get(args[i]));
                }
            }
            queuePair.close();
            queuePair.closed().toCompletableFuture().get();
        } finally {
            group.shutdownGracefully().sync();
        }
    }
}
