package io.iwarp.conformance.model;

import io.iwarp.conformance.judge.Advertisement;
import io.iwarp.conformance.judge.Command;
import io.iwarp.conformance.judge.Link;
import io.iwarp.conformance.judge.Pings;
import io.iwarp.conformance.judge.Role;
import io.iwarp.conformance.judge.Setup;
import io.iwarp.conformance.wire.Bytes;
import io.iwarp.conformance.wire.FpduChange;
import io.iwarp.conformance.wire.FpduWriter;
import io.iwarp.conformance.wire.ReadRequest;
import io.iwarp.conformance.wire.Segment;
import io.iwarp.conformance.wire.StartupFrame;
import io.iwarp.conformance.wire.TerminateMessage;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** A small rping in both roles, conforming but for the faults that are planted. */
final class ModelPeer implements AutoCloseable {
    private static final int SINK_BYTES = 1 << 16;
    private static final long SINK_STAG = 0x7001_0200L;
    private static final long TEXT_STAG = 0x7001_0300L;
    private static final long ANSWER_STAG = 0x7001_0400L;
    private static final long BASE = 0x10_0000L;

    private final Set<Fault> faults;
    private final boolean markers;
    private final boolean open;
    private @Nullable ServerSocket listener;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private volatile Hostility hostility = Hostility.NONE;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    /**
     * @param markers whether it asks for markers
     * @param open whether all its memory has all rights, as that of rdma-core's rping
     */
    ModelPeer(Set<Fault> faults, boolean markers, boolean open) {
        this.faults = faults;
        this.markers = markers;
        this.open = open;
    }

    /** Returns where it listens as a server from now on. */
    InetSocketAddress listen() throws IOException {
        ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        listener = socket;
        threads.execute(() -> accept(socket));
        return (InetSocketAddress) socket.getLocalSocketAddress();
    }

    /** Returns a link to it in memory and in virtual time. */
    Link link(Role role) {
        return new Link() {
            private Future<Boolean> life = CompletableFuture.completedFuture(true);

            @Override
            public Socket connect(int size, int receiveBuffer, Duration patience) {
                VirtualSocket[] ends = VirtualSocket.pair();
                life = threads.submit(() ->
                        live(ends[1], role == Role.SERVER ? ModelPeer.this::serve : socket -> ping(socket, size)));
                return ends[0];
            }

            @Override
            public boolean ends(Duration patience) {
                try {
                    return life.get();
                } catch (ExecutionException | InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }

            @Override
            public void close() {}
        };
    }

    private void accept(ServerSocket server) {
        while (true) {
            try {
                Socket socket = server.accept();
                threads.execute(() -> live(socket, this::serve));
            } catch (IOException e) {
                return;
            }
        }
    }

    /** What a peer does that has had enough. */
    enum Hostility {
        NONE,
        SILENCE,
        RESET,
        FLOOD_OF_SEGMENTS,
        FLOOD_OF_BYTES,
        DRIP
    }

    /** From the next connection on it is hostile. */
    void turn(Hostility kind) {
        hostility = kind;
    }

    private void beHostile(Socket socket) throws IOException {
        byte[] segment = new FpduWriter(false, true)
                .encode(
                        Segment.tagged(Segment.WRITE, 0, 0, Bytes.NONE)
                                .last(false)
                                .encode(),
                        FpduChange.NONE);
        switch (hostility) {
            case RESET -> socket.setSoLinger(true, 0);
            case FLOOD_OF_SEGMENTS -> {
                new ModelStartup(socket, faults, false).respond();
                while (true) {
                    socket.getOutputStream().write(segment);
                }
            }
            case FLOOD_OF_BYTES -> {
                while (true) {
                    socket.getOutputStream().write(segment, 1, 5);
                }
            }
            case DRIP -> {
                new ModelStartup(socket, faults, false).respond();
                for (int i = 0; socket.getInputStream().available() >= 0; i++) {
                    socket.getOutputStream().write(segment, i % segment.length, 1);
                }
            }
            default -> socket.getInputStream().transferTo(OutputStream.nullOutputStream());
        }
    }

    private interface Life {
        void live(Socket socket) throws IOException;
    }

    /** Returns whether it comes to an end. */
    private boolean live(Socket socket, Life life) {
        sockets.add(socket);
        boolean deaf = false;
        try {
            socket.setTcpNoDelay(true);
            life.live(socket);
        } catch (ModelStream.Deaf e) {
            deaf = true;
        } catch (ModelStartup.Refused e) {
            drain(socket);
        } catch (IOException e) {
            // The connection is over, one way or the other.
            deaf = false;
        }
        if (!deaf) {
            close(socket);
        } else if (socket instanceof VirtualSocket abandoned) {
            abandoned.abandon();
        }
        return !deaf;
    }

    /** Ends a connection so that nothing unread makes a reset of it. */
    private static void drain(Socket socket) {
        try {
            socket.shutdownOutput();
            socket.setSoTimeout(200);
            byte[] dropped = new byte[1 << 14];
            while (socket.getInputStream().read(dropped) >= 0) {
                dropped[0] = 0;
            }
        } catch (IOException e) {
            close(socket);
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private void serve(Socket socket) throws IOException {
        if (hostility != Hostility.NONE) {
            beHostile(socket);
            return;
        }
        ModelStartup.Agreement frames = new ModelStartup(socket, faults, markers).respond();
        ModelStream stream = stream(socket, frames.reply(), frames.request());
        StartupFrame reply = frames.reply();
        boolean sendOnly = reply.enhanced()
                && (reply.irdWord() & Setup.LOWER) != 0
                && (reply.ordWord() & (Setup.UPPER | Setup.LOWER)) == 0;
        if (sendOnly) {
            stream.expectReadySend();
        }
        if (faults.contains(Fault.SENDS_BEHIND_REPLY)) {
            stream.sendUnlessHeard();
        }
        byte[] sink = new byte[SINK_BYTES];
        stream.register(SINK_STAG, new ModelStream.Region(sink, BASE, open, open));
        while (true) {
            Advertisement source = named(stream);
            if (frames.request().enhanced() && (frames.request().irdWord() & Setup.DEPTH_MASK) == 0) {
                stream.close();
            }
            stream.read(new ReadRequest(SINK_STAG, BASE, source.size(), source.stag(), source.offset()));
            stream.sendMessage(new byte[Advertisement.LENGTH]);
            Advertisement target = named(stream);
            byte[] text = Arrays.copyOf(sink, (int) source.size());
            stream.sendTagged(Segment.WRITE, target.stag(), target.offset(), Pings.answered(text));
            stream.sendMessage(new byte[Advertisement.LENGTH]);
        }
    }

    private static Advertisement named(ModelStream stream) throws IOException {
        byte[] message = stream.receive();
        if (message.length != Advertisement.LENGTH) {
            stream.close();
        }
        return Advertisement.decode(message);
    }

    private ModelStream stream(Socket socket, StartupFrame own, StartupFrame peers) {
        return new ModelStream(
                socket,
                faults,
                peers.has(StartupFrame.MARKERS),
                own.has(StartupFrame.MARKERS),
                !faults.contains(Fault.CRC_LEFT_OUT) && (own.has(StartupFrame.CRC) || peers.has(StartupFrame.CRC)));
    }

    private void ping(Socket socket, int size) throws IOException {
        ModelStartup.Agreement frames;
        try {
            frames = new ModelStartup(socket, faults, markers).initiate(true);
        } catch (ModelStartup.Refused e) {
            if (faults.contains(Fault.REPLY_REFUSED_BY_TERMINATE)) {
                byte[] ulpdu = Segment.terminate(TerminateMessage.bare(2, 0, 4).encode())
                        .encode();
                socket.getOutputStream().write(new FpduWriter(false, true).encode(ulpdu, FpduChange.NONE));
            }
            throw e;
        }
        ModelStream stream = stream(socket, frames.request(), frames.reply());
        byte[] text = Pings.text(size);
        stream.register(TEXT_STAG, new ModelStream.Region(text, BASE, true, open));
        stream.register(ANSWER_STAG, new ModelStream.Region(new byte[size], BASE, open, true));
        for (int i = 0; i < Command.COUNT; i++) {
            stream.sendMessage(new Advertisement(BASE, TEXT_STAG, size).encode());
            goAhead(stream);
            stream.sendMessage(new Advertisement(BASE, ANSWER_STAG, size).encode());
            goAhead(stream);
        }
        stream.close();
    }

    private static void goAhead(ModelStream stream) throws IOException {
        if (stream.receive().length != Advertisement.LENGTH) {
            stream.close();
        }
    }

    @Override
    public void close() throws IOException {
        ServerSocket server = listener;
        if (server != null) {
            server.close();
        }
        for (Socket socket : sockets) {
            socket.close();
        }
        threads.shutdownNow();
    }
}
