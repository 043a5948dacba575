package io.iwarp.spark;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletableFuture;

/** Finds one map output at a peer: reads its window of the directory, then its index. */
final class Lookup {
    /** A slot that is being changed is complete after a few Reads. */
    private static final int MAX_WINDOW_READS = 4;

    private final Session session;
    private final SinkPool sinks;
    private final MapKey key;
    private final CompletableFuture<MapOutput> result = new CompletableFuture<>();
    private int windowReads;

    private Lookup(Session session, SinkPool sinks, MapKey key) {
        this.session = session;
        this.sinks = sinks;
        this.key = key;
    }

    /** Returns the map output, {@link MapOutput#UNPUBLISHED} if the peer does not publish it, or a failure. */
    static CompletableFuture<MapOutput> of(MapKey key, Session session, SinkPool sinks) {
        Lookup lookup = new Lookup(session, sinks, key);
        lookup.guard(lookup::readWindow);
        return lookup.result;
    }

    private void readWindow() {
        windowReads++;
        Handshake.RemoteDirectory directory = session.directory();
        session.read(sinks.take(Directory.WINDOW_LENGTH), directory.memory(), directory.offset(key), new Step() {
            @Override
            void arrived(ByteBuf bytes) {
                onWindow(bytes);
            }
        });
    }

    private void onWindow(ByteBuf window) {
        boolean broken = false;
        for (int start = 0; start < Directory.WINDOW_LENGTH; start += MapSlot.LENGTH) {
            MapSlot.State state = MapSlot.state(window, start);
            if (state == MapSlot.State.VALID && MapSlot.isOf(key, window, start)) {
                readIndex(MapSlot.decode(window, start));
                return;
            }
            broken |= state == MapSlot.State.BROKEN;
        }
        if (!broken) {
            result.complete(MapOutput.UNPUBLISHED);
        } else if (windowReads < MAX_WINDOW_READS) {
            readWindow();
        } else {
            throw new ShuffleDataException("the directory has a corrupted slot where map output " + key + " may be");
        }
    }

    private void readIndex(MapSlot slot) {
        long length = slot.index().length();
        if (length < 2 * Long.BYTES || length % Long.BYTES != 0 || length > Integer.MAX_VALUE) {
            throw new ShuffleDataException("the index of map output " + key + " has " + length
                    + " bytes, not a multiple of 8 from 16 to " + Integer.MAX_VALUE);
        }
        session.read(sinks.take((int) length), slot.index(), 0, new Step() {
            @Override
            void arrived(ByteBuf bytes) {
                result.complete(MapOutput.of(slot, bytes));
            }
        });
    }

    /** Runs a step. The lookup fails if it throws. */
    private void guard(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            result.completeExceptionally(e);
        }
    }

    private abstract class Step implements Session.Listener {
        abstract void arrived(ByteBuf bytes);

        @Override
        public void arrived(SinkPool.Sink sink) {
            guard(() -> {
                try {
                    arrived(sink.bytes());
                } finally {
                    sink.release();
                }
            });
        }

        @Override
        public void failed(SinkPool.Sink sink, Throwable cause) {
            sink.release();
            result.completeExceptionally(cause);
        }
    }
}
