package io.iwarp.verbs;

import static io.iwarp.verbs.Loopback.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.ConnectionState;
import io.iwarp.Operation;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Seeds;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Connections under load that end at any moment, in any way, on either side. */
class KillTest {
    private static final int KILLS = 50;
    private static final int DEPTH = 16;
    private static final int MESSAGE = 2_000;
    private static final int REGION = 100_000;

    /** What one queue pair posted and what completed; lives on its event loop. */
    private static final class Load {
        private final QueuePair queuePair;
        private final ByteBuf message = Unpooled.directBuffer(REGION).writeZero(REGION);
        private final ByteBuf[] sinks = new ByteBuf[DEPTH];
        private final BitSet receives = new BitSet();
        private final BitSet requests = new BitSet();
        private final List<String> unexpected = new ArrayList<>();
        private final RemoteBuffer target;
        private final Channel victim;
        private int killAfter;
        private int completed;
        private int nextRequest;

        Load(QueuePair queuePair, RemoteBuffer target, int killAfter, Runnable kill) {
            this.queuePair = queuePair;
            this.target = target;
            this.victim = queuePair.channel();
            this.killAfter = killAfter;
            queuePair.setCompletionListener((qp, completion) -> {
                onCompletion(completion);
                if (++completed == this.killAfter) {
                    kill.run();
                }
            });
            for (int i = 0; i < DEPTH; i++) {
                sinks[i] = Unpooled.directBuffer(MESSAGE, MESSAGE);
                postReceive(i);
            }
        }

        private void onCompletion(CompletionView completion) {
            int id = (int) completion.workRequestId();
            BitSet posted = completion.operation() == Operation.RECEIVE ? receives : requests;
            if (!posted.get(id)) {
                unexpected.add(completion.toString());
            }
            posted.clear(id);
            if (completion.successful()) {
                if (completion.operation() == Operation.RECEIVE) {
                    postReceive(id);
                } else {
                    postRequest();
                }
            }
        }

        private void postReceive(int id) {
            receives.set(id);
            queuePair.receiveQueue().receive(id, sinks[id].clear());
        }

        /** Two Sends and a Write at most are under way, so that the peer's receives suffice. */
        void postRequest() {
            if (queuePair.state() != ConnectionState.READY) {
                return;
            }
            int id = nextRequest++;
            requests.set(id);
            if (id % 3 == 0) {
                queuePair.sendQueue().write(id, message, target);
            } else {
                queuePair.sendQueue().send(id, message.slice(0, id % MESSAGE));
            }
        }

        void finish() throws Exception {
            await(queuePair.closed());
            assertThat(unexpected)
                    .as("completed, though not posted or completed before")
                    .isEmpty();
            assertThat(receives.isEmpty() && requests.isEmpty())
                    .as("everything completed")
                    .isTrue();
            assertThat(message.release()).isTrue();
            for (ByteBuf sink : sinks) {
                assertThat(sink.release()).isTrue();
            }
        }
    }

    private enum Kill {
        ABORT,
        ORDERLY,
        RESET;

        void run(Channel channel, QueuePair queuePair) {
            switch (this) {
                case ABORT -> queuePair.abort();
                case ORDERLY -> queuePair.close();
                case RESET -> {
                    channel.config().setOption(ChannelOption.SO_LINGER, 0);
                    channel.close();
                }
            }
        }
    }

    @Test
    @Requirement({"RDMAP-47", "DDP-50", "MPA-50", "DDP-7", "DDP-9"})
    void everyRequestCompletesOnceWhateverEndsTheConnection() throws Exception {
        try (Loopback loopback = new Loopback();
                ProtectionDomain domain = ProtectionDomain.create()) {
            MemoryRegion target = domain.region()
                    .allocate(UnpooledByteBufAllocator.DEFAULT, REGION)
                    .rights(AccessRight.REMOTE_WRITE)
                    .register();
            Load[] responder = new Load[1];
            int[] responderKillAfter = new int[1];
            Kill[] kill = new Kill[1];
            SocketAddress address = loopback.accept(domain, QueuePairSettings.DEFAULT, queuePair -> {
                responder[0] = new Load(queuePair, target.remoteBuffer(), responderKillAfter[0], () -> {
                    kill[0].run(queuePair.channel(), queuePair);
                });
            });
            Seeds.forEach(KILLS, (seed, random) -> {
                kill[0] = Kill.values()[random.nextInt(Kill.values().length)];
                int killAfter = random.nextInt(60);
                boolean byResponder = random.nextBoolean();
                responderKillAfter[0] = byResponder ? killAfter : -1;
                runOne(loopback, domain, address, target, kill[0], byResponder ? -1 : killAfter, random, responder);
            });
            target.close();
        }
    }

    private static void runOne(
            Loopback loopback,
            ProtectionDomain domain,
            SocketAddress address,
            MemoryRegion target,
            Kill kill,
            int killAfter,
            Random random,
            Load[] responder)
            throws Exception {
        QueuePairSettings settings = QueuePairSettings.builder()
                .mpa(MpaSettings.builder().requestMarkers(random.nextBoolean()).build())
                .build();
        Load[] initiator = new Load[1];
        QueuePair queuePair = loopback.connect(address, domain, settings, qp -> {
            initiator[0] = new Load(qp, target.remoteBuffer(), killAfter, () -> kill.run(qp.channel(), qp));
        });
        QueuePair accepted = loopback.nextAccepted();
        for (QueuePair side : new QueuePair[] {queuePair, accepted}) {
            Load load = side == queuePair ? initiator[0] : responder[0];
            side.ready()
                    .thenRun(() -> side.channel().eventLoop().execute(() -> {
                        for (int i = 0; i < 3; i++) {
                            load.postRequest();
                        }
                        if (load.killAfter == 0) {
                            kill.run(load.victim, load.queuePair);
                        }
                    }));
        }
        initiator[0].finish();
        responder[0].finish();
    }
}
