package io.iwarp.tools.cli;

import io.netty.channel.ChannelPipeline;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** Adds the handlers between the socket and MPA to a new pipeline. Called before the channel is connected. */
public interface TransportHandlers {
    /** Nothing is between the socket and MPA. */
    TransportHandlers NONE = (pipeline, server) -> {};

    /**
     * Adds handlers at the end of a pipeline.
     *
     * @param server the server that the channel is going to be connected to; null for an accepted channel
     */
    void addTo(ChannelPipeline pipeline, @Nullable SocketAddress server);

    /** Returns these handlers, and then others. */
    default TransportHandlers then(TransportHandlers next) {
        return (pipeline, server) -> {
            addTo(pipeline, server);
            next.addTo(pipeline, server);
        };
    }
}
