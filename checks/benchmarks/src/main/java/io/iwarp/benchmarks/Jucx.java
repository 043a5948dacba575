package io.iwarp.benchmarks;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.openucx.jucx.UcxCallback;
import org.openucx.jucx.UcxUtils;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpEndpointParams;
import org.openucx.jucx.ucp.UcpParams;
import org.openucx.jucx.ucp.UcpRequest;
import org.openucx.jucx.ucp.UcpWorker;
import org.openucx.jucx.ucp.UcpWorkerParams;

/**
 * One end of tagged messages over UCX from Java. The client sends messages, and now and then says how many it has sent;
 * the server answers when it has received as many. Both spin, as {@code ucx_perftest} does. Needs libucp on the
 * machine.
 */
abstract class Jucx implements AutoCloseable {
    static final long DATA = 1;
    static final long SENT = 2;
    static final long RECEIVED = 3;
    static final int WINDOW = 128;
    private static final long WHOLE_TAG = -1;

    private final UcpContext context = new UcpContext(new UcpParams().requestTagFeature());
    private final UcpWorker worker = context.newWorker(new UcpWorkerParams());
    private final ByteBuffer number =
            ByteBuffer.allocateDirect(Long.BYTES).order(ByteOrder.nativeOrder()); // both ends are on one machine
    private String failure = "";

    final UcpWorker worker() {
        return worker;
    }

    final UcpEndpoint connect(UcpEndpointParams parameters) {
        return worker.newEndpoint(parameters
                .setPeerErrorHandlingMode()
                .setErrorHandler((endpoint, status, message) -> failure = "the connection ended: " + message));
    }

    /** Lets UCX work until there was something to do, or at least once. */
    final void progress() throws Exception {
        worker.progress();
        if (!failure.isEmpty()) {
            throw new IllegalStateException(failure);
        }
    }

    final void receive(ByteBuffer place, long tag, Runnable whenDone) {
        worker.recvTaggedNonBlocking(UcxUtils.getAddress(place), place.remaining(), tag, WHOLE_TAG, callback(whenDone));
    }

    final void send(UcpEndpoint endpoint, ByteBuffer bytes, long tag, Runnable whenDone) {
        endpoint.sendTaggedNonBlocking(UcxUtils.getAddress(bytes), bytes.remaining(), tag, callback(whenDone));
    }

    /** Returns the buffer of the number that is sent or received now. */
    final ByteBuffer number() {
        return number;
    }

    private UcxCallback callback(Runnable whenDone) {
        return new UcxCallback() {
            @Override
            public void onSuccess(UcpRequest request) {
                whenDone.run();
            }

            @Override
            public void onError(int status, String message) {
                failure = "a request failed: " + message;
            }
        };
    }

    @Override
    public void close() {
        worker.close();
        context.close();
    }
}
