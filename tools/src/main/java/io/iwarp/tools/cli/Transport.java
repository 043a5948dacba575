package io.iwarp.tools.cli;

import io.iwarp.transport.IoUringShutdownGuard;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.unix.RawUnixChannelOption;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringChannelOption;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.spi.SelectorProvider;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The Netty transport of a command. The protocol does not depend on it. */
public enum Transport {
    /** The JDK's own, on every system. */
    NIO("nio"),
    /** Netty's native code over epoll, on Linux. */
    EPOLL("epoll"),
    /** Netty's native code over io_uring, on Linux from 5.14 on where it is allowed. */
    IO_URING("io_uring");

    private static final int CONGESTION_NAME_LENGTH = 16;
    // IPPROTO_TCP and TCP_CONGESTION of Linux, which Netty has no name for.
    private static final ChannelOption<ByteBuffer> TCP_CONGESTION =
            new RawUnixChannelOption("TCP_CONGESTION", 6, 13, CONGESTION_NAME_LENGTH);

    private final String text;

    Transport(String text) {
        this.text = text;
    }

    /** Returns why it cannot be used here, or null if it can. */
    @Nullable
    public Throwable unavailabilityCause() {
        return switch (this) {
            case NIO -> null;
            case EPOLL -> Epoll.unavailabilityCause();
            case IO_URING -> IoUring.unavailabilityCause();
        };
    }

    /**
     * Checks that it can be used on this machine.
     *
     * @throws CommandFailedException if not; the message names the reason
     */
    public void requireAvailable() {
        Throwable cause = unavailabilityCause();
        if (cause != null) {
            Throwable root = ErrorLines.innermost(cause);
            String reason = root.getMessage() == null ? root.toString() : root.getMessage();
            throw new CommandFailedException("--transport " + this + " cannot be used here (" + reason
                    + "): choose another one, such as " + NIO);
        }
    }

    /** Returns the factory for event loops of this transport. */
    public IoHandlerFactory handlers() {
        return switch (this) {
            case NIO -> NioIoHandler.newFactory();
            case EPOLL -> EpollIoHandler.newFactory();
            case IO_URING -> new IoUringShutdownGuard(IoUringIoHandler.newFactory());
        };
    }

    /**
     * Returns a new channel to listen at an address. The unspecified address of IPv4 means IPv4 alone; io_uring listens
     * to IPv6 as well.
     */
    public ServerChannel serverChannel(SocketAddress address) {
        boolean ipv4 = address instanceof InetSocketAddress ip && ip.getAddress() instanceof Inet4Address;
        return switch (this) {
            case NIO ->
                ipv4
                        ? new NioServerSocketChannel(SelectorProvider.provider(), SocketProtocolFamily.INET)
                        : new NioServerSocketChannel();
            case EPOLL ->
                ipv4 ? new EpollServerSocketChannel(SocketProtocolFamily.INET) : new EpollServerSocketChannel();
            case IO_URING -> new IoUringServerSocketChannel();
        };
    }

    /** Returns whether {@link #limitUnsent} can be called. */
    public boolean limitsUnsent() {
        return this != NIO;
    }

    /**
     * Limits what waits in the kernel until TCP may send it: {@code TCP_NOTSENT_LOWAT}.
     *
     * @param channel one of this transport
     * @param bytes from where on the channel is not writable, at least 1
     * @throws IllegalStateException if the transport does not know such a limit
     */
    public void limitUnsent(Channel channel, long bytes) {
        switch (this) {
            case NIO -> throw new IllegalStateException("NIO has no TCP_NOTSENT_LOWAT");
            case EPOLL -> channel.config().setOption(EpollChannelOption.TCP_NOTSENT_LOWAT, bytes);
            case IO_URING -> channel.config().setOption(IoUringChannelOption.TCP_NOTSENT_LOWAT, bytes);
        }
    }

    /**
     * Checks that this process may use a congestion control of TCP with epoll.
     *
     * @throws CommandFailedException if not; the message lists those that it may use
     */
    static void requireCongestionControl(String name) {
        Channel trial = new EpollSocketChannel();
        try {
            chooseCongestionControl(trial, name);
        } catch (ChannelException e) {
            throw new CommandFailedException("--congestion " + name + " cannot be used here: choose one of "
                    + systemText("tcp_allowed_congestion_control") + ", or load its kernel module");
        } finally {
            trial.unsafe().closeForcibly();
        }
    }

    /** Chooses the congestion control of TCP of a channel of epoll: {@code TCP_CONGESTION}. */
    static void chooseCongestionControl(Channel channel, String name) {
        byte[] padded = Arrays.copyOf(name.getBytes(StandardCharsets.US_ASCII), CONGESTION_NAME_LENGTH);
        channel.config().setOption(TCP_CONGESTION, ByteBuffer.wrap(padded));
    }

    /** Returns the congestion control of a channel, that of the system if the transport does not tell it. */
    public static String congestionControl(Channel channel) {
        if (channel instanceof EpollSocketChannel) {
            ByteBuffer name = channel.config().getOption(TCP_CONGESTION);
            return StandardCharsets.US_ASCII.decode(name.rewind()).toString().replace("\0", "");
        }
        return systemText("tcp_congestion_control");
    }

    private static String systemText(String name) {
        try {
            return Files.readString(Path.of("/proc/sys/net/ipv4", name)).strip();
        } catch (IOException e) {
            return "unknown";
        }
    }

    /** As on the command line. */
    @Override
    public String toString() {
        return text;
    }
}
