package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.ProtocolFault;
import io.iwarp.rdmap.RdmapHandler;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The posted requests of a queue pair other than receives, from posting to completion. */
final class SendQueue {
    private final PostRing<WorkRequest> ring;
    private final QueuePairEngine engine;
    private final Completion completion = new Completion();

    SendQueue(QueuePairEngine engine, int depth) {
        this.engine = engine;
        this.ring = new PostRing<>(depth, WorkRequest::new);
    }

    PostRing<WorkRequest> ring() {
        return ring;
    }

    /** Event loop: hands everything posted to RDMAP and lets it go out in one flush. */
    void submit(RdmapHandler rdmap) {
        WorkRequest request = ring.take();
        if (request == null) {
            return;
        }
        QueuePairMetrics metrics = engine.metrics();
        while (request != null && rdmap.open()) {
            if (metrics != null) {
                metrics.submitted(request);
            }
            rdmap.submit(request);
            request = ring.take();
        }
        rdmap.flush();
    }

    /**
     * Event loop: the oldest submitted request is complete.
     *
     * @return null; or what the application did to its memory, and then the request waits for the {@link #flush}
     */
    @Nullable
    ProtocolFault completeOldest() {
        WorkRequest request = Objects.requireNonNull(ring.oldest(), "completed more than was submitted");
        ProtocolFault fault = request.fillSink();
        if (fault == null) {
            complete(request, null);
        }
        return fault;
    }

    /** Event loop: completes everything submitted or posted with the reason why the stream ended. */
    void flush(CloseReason reason) {
        WorkRequest request = oldestOrNext();
        while (request != null) {
            complete(request, reason);
            request = oldestOrNext();
        }
    }

    private @Nullable WorkRequest oldestOrNext() {
        WorkRequest oldest = ring.oldest();
        return oldest == null ? ring.take() : oldest;
    }

    private void complete(WorkRequest request, @Nullable CloseReason reason) {
        request.tell(completion, reason);
        QueuePairMetrics metrics = engine.metrics();
        if (metrics != null) {
            metrics.completed(request, reason == null);
        }
        CompletionTarget target = request.target();
        engine.giveBack(request.octets());
        request.clear();
        ring.retire();
        engine.complete(target, completion, ring);
    }
}
