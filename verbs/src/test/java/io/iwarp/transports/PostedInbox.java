package io.iwarp.transports;

import static io.iwarp.transports.Ends.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.verbs.Completion;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** Receives that were posted to the queue pair: each one completes, with a message or with the reason of the end. */
final class PostedInbox implements Inbox {
    private final List<ByteBuf> buffers = Stream.generate(() -> Unpooled.directBuffer(BYTES, BYTES))
            .limit(RECEIVES)
            .toList();
    private final List<CompletableFuture<Completion>> receives;

    PostedInbox(Posts posts) {
        receives = buffers.stream().map(posts::receive).toList();
    }

    @Override
    public CompletableFuture<Completion> message(int n) {
        return receives.get(n).thenApply(completion -> {
            assertThat(completion.buffer()).isSameAs(buffers.get(n));
            return completion;
        });
    }

    @Override
    public void assertEnded(int messages, CloseReason reason) {
        for (CompletableFuture<Completion> flushed : receives.subList(messages, RECEIVES)) {
            assertThatThrownBy(() -> await(flushed))
                    .cause()
                    .isInstanceOfSatisfying(
                            ConnectionClosedException.class,
                            ended -> assertThat(ended.reason()).isEqualTo(reason));
        }
    }

    @Override
    public void close() {
        assertThat(buffers).allMatch(ByteBuf::release);
    }
}
