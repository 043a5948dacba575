package io.iwarp.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.memory.RemoteBuffer;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.kv.KvGrant;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Clients that are killed, or do what they should not. */
class KvHostileClientTest {
    /** The message as documented: 1, length of the key, number of the request, any version, key, value. */
    private static final ByteBuf PUT_OF_KEY = Unpooled.buffer()
            .writeInt(1)
            .writeInt(3)
            .writeLong(5)
            .writeLong(-1)
            .writeBytes("keyvalue".getBytes(StandardCharsets.US_ASCII));

    @Test
    void aClientThatIsKilledInTheMiddleOfAPutChangesNothing() throws Exception {
        try (KvCacheRun cache = KvCacheRun.start();
                Endpoint endpoint = Endpoint.plain()) {
            cache.does("put", "key", "before");
            QueuePair killed = cache.connect(endpoint);
            killed.channel().pipeline().addFirst(new CutAfterHalf());
            cache.awaitConnections(1);

            assertThat(killed.send(PUT_OF_KEY.duplicate())).failsWithin(Duration.ofSeconds(10));

            cache.awaitConnections(0);
            assertThat(cache.does("get", "--with-version", "key").out()).isEqualToIgnoringNewLines("1\tbefore");
            assertThat(cache.page("/metrics").body()).contains("kv_puts_total 1.0", "iwarp_memory_windows 0.0");
            assertThat(cache.does("put", "key", "after").out()).isEqualToIgnoringNewLines("version 2");
        }
    }

    @Test
    void aWholeMessageOfTheSameClientIsAPut() throws Exception {
        try (KvCacheRun cache = KvCacheRun.start();
                Endpoint endpoint = Endpoint.plain()) {
            QueuePair client = cache.connect(endpoint);
            ByteBuf answer = Unpooled.buffer(64);
            var answered = client.receive(answer);

            client.send(PUT_OF_KEY.duplicate());

            Endpoint.await(answered);
            assertThat(answer.getInt(0)).isEqualTo(2);
            assertThat(cache.does("get", "key").out()).isEqualToIgnoringNewLines("value");
        }
    }

    @Test
    void aClientThatBreaksTheRulesIsAloneWithThat() throws Exception {
        try (KvCacheRun cache = KvCacheRun.start();
                Endpoint endpoint = Endpoint.plain()) {
            cache.does("put", "key", "value");
            QueuePair liar = cache.connect(endpoint);
            Endpoint.await(liar.send(Unpooled.copyInt(99)));
            Endpoint.await(liar.closed());

            assertThat(cache.does("get", "key").out()).isEqualToIgnoringNewLines("value");
        }
    }

    @Test
    void aClientMayNotWriteTheIndex() throws Exception {
        try (KvCacheRun cache = KvCacheRun.start();
                Endpoint endpoint = Endpoint.plain()) {
            cache.does("put", "key", "value");
            for (int i = 0; i < 3; i++) {
                QueuePair rogue = cache.connect(endpoint);
                KvGrant grant = KvCacheRun.grant(rogue);
                RemoteBuffer target =
                        List.of(grant.index(), grant.values(), grant.cells()).get(i);
                rogue.write(Unpooled.copyLong(0), target);

                assertThat(Endpoint.await(rogue.closed()).toString()).contains("does not grant writing");
            }
            assertThat(cache.does("get", "key").out()).isEqualToIgnoringNewLines("value");
        }
    }

    /** Lets half of the next bytes go, and then resets the connection. */
    private static final class CutAfterHalf extends ChannelOutboundHandlerAdapter {
        private boolean cut;

        @Override
        public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
            ByteBuf bytes = (ByteBuf) message;
            if (!cut) {
                cut = true;
                ctx.writeAndFlush(bytes.readRetainedSlice(bytes.readableBytes() / 2))
                        .addListener(written -> ctx.close());
            }
            bytes.release();
            promise.tryFailure(new IOException("cut off"));
        }
    }
}
