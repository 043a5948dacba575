package io.iwarp.soak;

import io.iwarp.memory.RemoteBuffer;
import io.iwarp.testing.Segment;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A client that takes what it can of a server: one connection at a time, each in another of these ways. */
final class HostileClient {
    private static final byte[] REQUEST = ByteBuffer.allocate(20)
            .put("MPA ID Req Frame".getBytes(StandardCharsets.US_ASCII))
            .put((byte) 0x40)
            .put((byte) 1)
            .array();
    private static final int REPLY_KEY_AND_FLAGS = 18;
    private static final int PART_OF_REQUEST = 7;
    private static final int RECEIVE_BUFFER = 4096;
    private static final int MAX_MILLIS = 15_000;
    private static final int IRD = 128;
    /** The connections of a greedy attack at a time. */
    static final int STREAMS = 16;

    private static final int OWN = 0;
    private static final int SHARED = 2;

    private static final int FLOOD = 40_000;
    private static final int SINK = 0x1234;

    /** What it does with its connection. */
    private enum Attack {
        /** It does not finish its start-up request. */
        NO_SET_UP,
        /** On many connections it asks for all of its memory, and takes no answer. */
        TAKES_NOTHING,
        /** On many connections it asks for all of its memory, and takes a byte a second of each. */
        TAKES_SLOWLY,
        /** It sends Read Requests of no bytes, more than it may, and takes no answer. */
        FLOODS,
        /** It begins a message and does not finish it. */
        HOARDS_A_MESSAGE,
        /** It begins an FPDU and does not finish it. */
        HOARDS_AN_FPDU,
        /** It asks, and closes its half of the connection. */
        HALF_CLOSES,
        /** It asks for all of its memory again and again, and takes the answers. */
        ASKS_FOR_ALL
    }

    /** Most attacks, so that servers hold more than their limits if they can. */
    private static final Attack[] GREEDY = {Attack.TAKES_NOTHING, Attack.TAKES_SLOWLY};

    private final SoakServer server;
    private final Random random;

    HostileClient(SoakServer server, Random random) {
        this.server = server;
        this.random = random;
    }

    /** Attacks once, for some seconds at most. */
    void attack() {
        Attack attack = random.nextInt(6) > 0
                ? GREEDY[random.nextInt(GREEDY.length)]
                : Attack.values()[random.nextInt(Attack.values().length)];
        if (attack == Attack.TAKES_NOTHING || attack == Attack.TAKES_SLOWLY) {
            takeLittle(attack == Attack.TAKES_SLOWLY, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(MAX_MILLIS));
            return;
        }
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(1 + random.nextInt(MAX_MILLIS));
        try (Socket socket = connect()) {
            attack(attack, socket, deadline);
        } catch (IOException ended) {
            // The server ends such a client in its own ways.
        }
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(RECEIVE_BUFFER);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(MAX_MILLIS);
        socket.connect(server.address());
        return socket;
    }

    private void takeLittle(boolean slowly, long deadline) {
        List<Socket> sockets = new ArrayList<>();
        for (int i = 0; i < STREAMS; i++) {
            try {
                Socket socket = connect();
                sockets.add(socket);
                askForAll(socket, setUp(socket).get(SHARED), 1);
            } catch (IOException ended) {
                // The server ends some of its clients at random.
            }
        }
        while (System.nanoTime() < deadline) {
            LockSupport.parkNanos(Math.min(deadline - System.nanoTime(), TimeUnit.SECONDS.toNanos(1)));
            for (Socket socket : slowly ? sockets : List.<Socket>of()) {
                takeOne(socket);
            }
        }
        for (Socket socket : sockets) {
            try {
                socket.close();
            } catch (IOException closed) {
                // It is gone.
            }
        }
    }

    private static void takeOne(Socket socket) {
        try {
            if (socket.getInputStream().available() > 0) {
                socket.getInputStream().read();
            }
        } catch (IOException ended) {
            // The server has ended this one.
        }
    }

    private void attack(Attack attack, Socket socket, long deadline) throws IOException {
        if (attack == Attack.NO_SET_UP) {
            socket.getOutputStream().write(REQUEST, 0, PART_OF_REQUEST);
            hold(deadline);
            return;
        }
        RemoteBuffer memory = setUp(socket).get(OWN);
        switch (attack) {
            case FLOODS -> {
                for (int msn = 1; msn <= FLOOD && System.nanoTime() < deadline; msn++) {
                    send(socket, Segment.readRequest(msn, SINK, 0, 0, memory.stag(), memory.taggedOffset()));
                }
                hold(deadline);
            }
            case HOARDS_A_MESSAGE -> {
                send(socket, Segment.send(1, new byte[1]).last(false));
                hold(deadline);
            }
            case HOARDS_AN_FPDU -> {
                byte[] fpdu = Segment.write(memory.stag(), memory.taggedOffset(), new byte[SoakServer.CLIENT_MEMORY])
                        .fpdu();
                socket.getOutputStream().write(fpdu, 0, fpdu.length - 1);
                hold(deadline);
            }
            case HALF_CLOSES -> {
                askForAll(socket, memory, 1);
                socket.shutdownOutput();
                hold(deadline);
            }
            case ASKS_FOR_ALL -> {
                byte[] answers = new byte[SoakServer.CLIENT_MEMORY];
                for (int first = 1; System.nanoTime() < deadline; first += IRD) {
                    askForAll(socket, memory, first);
                    if (socket.getInputStream().readNBytes(answers, 0, answers.length) < answers.length) {
                        return;
                    }
                }
            }
            case NO_SET_UP, TAKES_NOTHING, TAKES_SLOWLY -> throw new IllegalStateException();
        }
    }

    private static void hold(long deadline) {
        while (System.nanoTime() < deadline) {
            LockSupport.parkNanos(deadline - System.nanoTime());
        }
    }

    /** Returns the memory that the server advertises: that of the client, the counter, and what all clients share. */
    private static List<RemoteBuffer> setUp(Socket socket) throws IOException {
        socket.getOutputStream().write(REQUEST);
        DataInputStream reply = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        reply.readNBytes(REPLY_KEY_AND_FLAGS);
        byte[] privateData = new byte[reply.readUnsignedShort()];
        reply.readFully(privateData);
        ByteBuf advertisement = Unpooled.wrappedBuffer(privateData);
        List<RemoteBuffer> memory = new ArrayList<>();
        while (advertisement.isReadable()) {
            memory.add(RemoteBuffer.decode(advertisement));
        }
        return memory;
    }

    /** Sends as many Read Requests as are allowed at a time. */
    private static void askForAll(Socket socket, RemoteBuffer memory, int firstMsn) throws IOException {
        for (int i = 0; i < IRD; i++) {
            int length = (int) memory.length();
            send(socket, Segment.readRequest(firstMsn + i, SINK, 0, length, memory.stag(), memory.taggedOffset()));
        }
    }

    private static void send(Socket socket, Segment segment) throws IOException {
        socket.getOutputStream().write(segment.fpdu());
    }
}
