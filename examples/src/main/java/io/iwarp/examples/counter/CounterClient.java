package io.iwarp.examples.counter;

import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.QueuePair;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Adds 1 to the counter of a {@link CounterServer} many times, with several requests in flight. */
public final class CounterClient {
    private CounterClient() {}

    /**
     * Runs the client.
     *
     * @param args the host and port of the server, and the number of additions
     */
    public static void main(String[] args) throws Exception {
        if (args.length < 3) {
            System.err.println("usage: CounterClient HOST PORT ADDITIONS");
            System.exit(2);
        }
        int adds = Integer.parseInt(args[2]);
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try {
            QueuePair queuePair = Iwarp.client(group)
                    .connect(args[0], Integer.parseInt(args[1]))
                    .get();
            RemoteBuffer counter = queuePair.remoteBuffer();
            CompletableFuture<Long> last = null;
            for (int i = 0; i < adds; i++) {
                if (queuePair.sendQueue().room() == 0) {
                    queuePair.sendQueue().whenRoom(1).get();
                }
                last = queuePair.fetchAdd(counter, 1);
            }
            long before = last == null ? -1 : last.get(); // requests complete in the order of their posts
            System.out.println("added " + adds + ", the counter is now at least " + (before + 1));
            queuePair.closeGracefully().get();
        } finally {
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        }
    }
}
