package io.iwarp.examples.echo;

import io.iwarp.Operation;
import io.iwarp.verbs.Completion;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;

/** Sends each message back to the client that sent it. */
public final class EchoServer {
    /** A client may have this many messages in flight, each of at most {@link #MAX_MESSAGE} bytes. */
    private static final int RECEIVES = 16;

    private static final int MAX_MESSAGE = 4096;

    private EchoServer() {}

    /** Posts receives before accepting: a message that finds no receive ends the connection. */
    private static void onConnectionRequest(ConnectionRequest request) {
        QueuePair queuePair = request.queuePair();
        queuePair.completionListener(EchoServer::onCompletion);
        for (int id = 0; id < RECEIVES; id++) {
            queuePair.receiveQueue().receive(id, Unpooled.buffer(MAX_MESSAGE, MAX_MESSAGE));
        }
        request.accept();
    }

    /** Sends the buffer of a receive back, then posts it as a receive again. */
    private static void onCompletion(QueuePair queuePair, Completion completion) {
        if (!completion.successful()) {
            return; // the connection has ended
        }
        ByteBuf message = completion.buffer();
        if (completion.operation() == Operation.RECEIVE) {
            queuePair.sendQueue().send(completion.workRequestId(), message);
        } else {
            queuePair.receiveQueue().receive(completion.workRequestId(), message.clear());
        }
    }

    /**
     * Serves until the process ends.
     *
     * @param args the port, or 0 for any free port
     */
    public static void main(String[] args) throws Exception {
        int port = args.length > 0 ? Integer.parseInt(args[0]) : 7471;
        IwarpListener listener = Iwarp.server(new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory()))
                .onRequest(EchoServer::onConnectionRequest)
                .listen("localhost", port)
                .get();
        System.out.println("listening on port " + listener.port());
    }
}
