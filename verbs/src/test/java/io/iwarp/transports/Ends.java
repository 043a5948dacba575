package io.iwarp.transports;

import static java.util.Objects.requireNonNull;

import io.iwarp.CloseReason;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.verbs.Completion;
import io.iwarp.verbs.CompletionView;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairListener;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Two queue pairs that are connected to each other, each with buffers for a few messages. */
final class Ends {
    static final long PATIENCE_SECONDS = 10;

    private final ProtectionDomain domain = ProtectionDomain.create();
    private final @Nullable SharedBuffers shared;
    private final IwarpListener listener;
    private final End initiator;
    private final End responder;

    /** One of the two. */
    static final class End {
        private final QueuePair queuePair;
        private final Posts posts;
        private final Inbox inbox;
        private final CompletableFuture<Void> halfClosed = new CompletableFuture<>();

        End(QueuePair queuePair, Wiring wiring, @Nullable SharedBuffers shared) {
            this.queuePair = queuePair;
            Arrivals arrivals = switch (wiring.receives()) {
                case POSTED -> null;
                case SHARED -> new SharedInbox(requireNonNull(shared));
                case MANAGED -> new ManagedInbox();
            };
            if (arrivals == null) {
                posts = wiring.completions().of(queuePair, End::refuse);
                inbox = new PostedInbox(posts);
            } else {
                arrivals.enter(queuePair);
                posts = wiring.completions().of(queuePair, arrivals::onMessage);
                inbox = arrivals;
            }
            queuePair.setListener(new QueuePairListener() {
                @Override
                public void onInputShutdown(QueuePair closed) {
                    halfClosed.complete(null);
                }
            });
        }

        private static void refuse(CompletionView completion) {
            throw new AssertionError("completed twice, or never posted: " + completion);
        }

        QueuePair queuePair() {
            return queuePair;
        }

        Posts posts() {
            return posts;
        }

        /** Returns the completion of the receive that took the n-th message, from 0. */
        Completion received(int n) throws Exception {
            return await(inbox.message(n));
        }

        /** Returns completes on the event loop when the peer will send nothing more. */
        CompletableFuture<Void> halfClosed() {
            return halfClosed;
        }

        /** Its stream has ended for this reason, after so many messages. */
        void assertReceivesEnded(int messages, CloseReason reason) {
            inbox.assertEnded(messages, reason);
        }
    }

    Ends(Host host, Path directory) throws Exception {
        Wiring wiring = host.wiring();
        shared = wiring.receives() == Wiring.ReceiveModel.SHARED ? new SharedBuffers() : null;
        CompletableFuture<End> accepted = new CompletableFuture<>();
        listener = await(host.server()
                .domain(domain)
                .settings(wiring.settings())
                .onRequest(request -> {
                    accepted.complete(new End(request.queuePair(), wiring, shared));
                    request.accept();
                })
                .listen(wiring.transport().anyAddress(directory)));
        CompletableFuture<End> connecting = new CompletableFuture<>();
        await(host.client()
                .domain(domain)
                .settings(wiring.settings())
                .prepare(setup -> connecting.complete(new End(setup.queuePair(), wiring, shared)))
                .connect(listener.localAddress()));
        initiator = await(connecting);
        responder = await(accepted);
    }

    static <T> T await(CompletableFuture<T> stage) throws Exception {
        return stage.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    ProtectionDomain domain() {
        return domain;
    }

    End initiator() {
        return initiator;
    }

    End responder() {
        return responder;
    }

    /** Closes what is open still, and waits until nothing is left. */
    void close() throws Exception {
        listener.close();
        await(listener.closed());
        for (End end : List.of(initiator, responder)) {
            end.queuePair.abort();
            await(end.queuePair.closed());
            end.queuePair.channel().closeFuture().sync();
            end.posts.close();
            end.inbox.close();
        }
        if (shared != null) {
            shared.close();
        }
        domain.close();
    }
}
