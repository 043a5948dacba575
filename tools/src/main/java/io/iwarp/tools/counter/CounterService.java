package io.iwarp.tools.counter;

import io.iwarp.CloseReason;
import io.iwarp.tools.cli.ClientLimits;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.ErrorLines;
import io.iwarp.tools.cli.ListenOptions;
import io.iwarp.tools.cli.Service;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairListener;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * The passive side of counting: grants access to the numbers, and sums up the reports of the clients. It is idle while
 * they count, as the stack executes atomics, Reads and Writes. Everything runs on event loops.
 */
final class CounterService implements Service {
    private final Endpoint endpoint;
    private final SharedNumbers numbers;
    private final ClientLimits limits;
    private final Consumer<String> log;

    /** @param log called with one line for each client that finished or was lost */
    CounterService(Endpoint endpoint, ClientLimits limits, Consumer<String> log) {
        this.endpoint = endpoint;
        this.limits = limits;
        this.numbers = new SharedNumbers(endpoint.domain());
        this.log = log;
    }

    @Override
    public void onConnectionRequest(ConnectionRequest request) {
        if (CounterGrant.PROTOCOL.rejectsOther(request) || !limits.admits(request, 0)) {
            return;
        }
        QueuePair queuePair = request.queuePair();
        CounterGrant grant = numbers.admit(queuePair);
        Session session = new Session(grant.client(), ListenOptions.addressText(queuePair.remoteAddress()));
        queuePair.setListener(session);
        ByteBuf message = Unpooled.buffer(CounterDone.ENCODED_LENGTH, CounterDone.ENCODED_LENGTH);
        queuePair.receive(message).thenRun(() -> session.onDone(queuePair, message));
        request.accept(CounterGrant.PROTOCOL.followedBy(grant.encode()));
    }

    /** Closes the connections before the memory. Otherwise clients would see errors about invalid STags. */
    @Override
    public void close() {
        endpoint.closeConnections();
        numbers.close();
    }

    /** One client. */
    private final class Session implements QueuePairListener {
        private final long number;
        private final String address;
        private boolean done;

        Session(long number, String address) {
            this.number = number;
            this.address = address;
        }

        void onDone(QueuePair queuePair, ByteBuf message) {
            if (message.readableBytes() != CounterDone.ENCODED_LENGTH) {
                queuePair.abort();
                return;
            }
            done = true;
            CounterDone said = CounterDone.decode(message);
            CounterTotals totals = numbers.finish(number, said);
            queuePair.send(totals.encode());
            log.accept(String.format(
                    Locale.ROOT,
                    "%s added %,d times, and %,d times under the lock; %s",
                    address,
                    said.adds(),
                    said.rounds(),
                    totals.verdict()));
        }

        @Override
        public void onClosed(QueuePair queuePair, CloseReason reason) {
            boolean freed = numbers.leave(number);
            if (freed || !done) {
                String when = done ? " disconnected" : " disconnected before it finished";
                String lock = freed ? "; the lock was taken from it" : "";
                log.accept(address + when + lock + ": " + ErrorLines.describe(reason));
            }
        }
    }
}
