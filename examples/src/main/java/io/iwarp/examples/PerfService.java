package io.iwarp.examples;

import io.iwarp.memory.ProtectionDomain;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.ConnectionRequestListener;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The passive side of measurements: does for each connection what its client asks for. Everything runs on event loops. */
final class PerfService implements ConnectionRequestListener {
    private final ProtectionDomain domain;
    private final Consumer<String> log;

    /**
     * @param log told in a line of each connection that has ended
     */
    PerfService(ProtectionDomain domain, Consumer<String> log) {
        this.domain = domain;
        this.log = log;
    }

    @Override
    public void onConnectionRequest(ConnectionRequest request) {
        ByteBuf asked = Application.PERF.restOfRequest(request.privateData(), PerfTask.ENCODED_LENGTH);
        if (asked == null) {
            request.reject(Application.PERF.rejection());
            return;
        }
        PerfSession session = begin(request, asked);
        if (session != null) {
            request.accept(Application.PERF.reply(session.encodedMemory()));
        }
    }

    private @Nullable PerfSession begin(ConnectionRequest request, ByteBuf asked) {
        try {
            PerfSession session = new PerfSession(request.queuePair(), domain, PerfTask.decode(asked), log);
            session.begin();
            return session;
        } catch (IllegalArgumentException | OutOfMemoryError cannot) {
            request.reject(String.valueOf(cannot.getMessage()).getBytes(StandardCharsets.UTF_8));
            return null;
        }
    }
}
