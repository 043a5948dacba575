package io.iwarp.examples.kv;

import io.iwarp.Operation;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.verbs.Completion;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.IwarpChannelInitializer;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/** A cache that clients read with RDMA Reads. They put with messages, as only the server may write. */
public final class KvServer {
    private static final int RECEIVES = 16;

    private final ProtectionDomain domain = ProtectionDomain.create();
    private final MemoryRegion table = domain.region()
            .allocate(ByteBufAllocator.DEFAULT, (long) Table.SLOTS * Table.SLOT_LENGTH)
            .rights(AccessRight.REMOTE_READ)
            .register();

    private void onConnectionRequest(ConnectionRequest request) {
        QueuePair queuePair = request.queuePair();
        queuePair.completionListener(this::onCompletion);
        for (int id = 0; id < RECEIVES; id++) {
            queuePair.receiveQueue().receive(id, Unpooled.buffer(Table.SLOT_LENGTH, Table.SLOT_LENGTH));
        }
        request.accept(table.remoteBuffer());
    }

    private void onCompletion(QueuePair queuePair, Completion completion) {
        if (!completion.successful() || completion.operation() != Operation.RECEIVE) {
            return;
        }
        String[] put = completion.buffer().toString(StandardCharsets.UTF_8).split("=", 2);
        try {
            store(put[0], put[1]);
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            queuePair.abort(); // not a valid client
            return;
        }
        queuePair
                .receiveQueue()
                .receive(completion.workRequestId(), completion.buffer().clear());
        queuePair.sendQueue().send(-1, Unpooled.copiedBuffer("stored", StandardCharsets.UTF_8));
    }

    /** Synchronized, as clients on different event loops may put to the same slot. */
    private synchronized void store(String key, String value) {
        ByteBuf slot = Table.encode(key, value);
        table.span().put(Table.slotOf(key), slot, 0, slot.readableBytes());
    }

    /**
     * Serves until the process ends.
     *
     * @param args the port, or 0 for any free port
     */
    public static void main(String[] args) throws Exception {
        int port = args.length > 0 ? Integer.parseInt(args[0]) : 7471;
        KvServer server = new KvServer();
        IwarpListener listener = IwarpListener.listen(
                        new ServerBootstrap()
                                .group(new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory()))
                                .channel(NioServerSocketChannel.class),
                        IwarpChannelInitializer.responder(server.domain, server::onConnectionRequest),
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                .get();
        System.out.println("listening on port " + ((InetSocketAddress) listener.localAddress()).getPort());
    }
}
