package io.iwarp.soak;

import io.iwarp.memory.RemoteBuffer;
import io.iwarp.testing.Segment;
import io.netty.buffer.Unpooled;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
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
    private static final int BATCHES = 4;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final int FLOOD = 40_000;
    private static final int SINK = 0x1234;

    /** What it does with its connection. */
    private enum Attack {
        /** It does not finish its start-up request. */
        NO_SET_UP,
        /** It asks for all of its memory, and takes no answer. */
        TAKES_NOTHING,
        /** It asks for all of its memory, and takes a byte a second. */
        TAKES_SLOWLY,
        /** It sends Read Requests of no bytes, more than it may, and takes no answer. */
        FLOODS,
        /** It begins a message and does not finish it. */
        HOARDS_A_MESSAGE,
        /** It begins an FPDU and does not finish it. */
        HOARDS_AN_FPDU,
        /** It asks for all of its memory again and again, and takes the answers. */
        ASKS_FOR_ALL
    }

    private final SoakServer server;
    private final Random random;

    HostileClient(SoakServer server, Random random) {
        this.server = server;
        this.random = random;
    }

    /** Attacks once, for some seconds at most. */
    void attack() {
        Attack attack = Attack.values()[random.nextInt(Attack.values().length)];
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(1 + random.nextInt(MAX_MILLIS));
        try (Socket socket = new Socket()) {
            socket.setReceiveBufferSize(RECEIVE_BUFFER);
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(MAX_MILLIS);
            socket.connect(server.address());
            attack(attack, socket, deadline);
        } catch (IOException ended) {
            // The server ends such a client in its own ways.
        }
    }

    private void attack(Attack attack, Socket socket, long deadline) throws IOException {
        if (attack == Attack.NO_SET_UP) {
            socket.getOutputStream().write(REQUEST, 0, PART_OF_REQUEST);
            hold(deadline);
            return;
        }
        RemoteBuffer memory = setUp(socket);
        switch (attack) {
            case TAKES_NOTHING -> {
                // The kernel of the server takes the first answers.
                for (int i = 0; i < BATCHES && System.nanoTime() < deadline; i++) {
                    askForAll(socket, memory, 1 + i * IRD);
                    LockSupport.parkNanos(PAUSE_NANOS);
                }
                hold(deadline);
            }
            case TAKES_SLOWLY -> {
                askForAll(socket, memory, 1);
                while (System.nanoTime() < deadline && socket.getInputStream().read() >= 0) {
                    LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
                }
            }
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
            case ASKS_FOR_ALL -> {
                byte[] answers = new byte[SoakServer.CLIENT_MEMORY];
                for (int first = 1; System.nanoTime() < deadline; first += IRD) {
                    askForAll(socket, memory, first);
                    if (socket.getInputStream().readNBytes(answers, 0, answers.length) < answers.length) {
                        return;
                    }
                }
            }
            case NO_SET_UP -> throw new IllegalStateException();
        }
    }

    private static void hold(long deadline) {
        while (System.nanoTime() < deadline) {
            LockSupport.parkNanos(deadline - System.nanoTime());
        }
    }

    /** Returns the memory that the server advertises. */
    private static RemoteBuffer setUp(Socket socket) throws IOException {
        socket.getOutputStream().write(REQUEST);
        DataInputStream reply = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        reply.readNBytes(REPLY_KEY_AND_FLAGS);
        byte[] privateData = new byte[reply.readUnsignedShort()];
        reply.readFully(privateData);
        return RemoteBuffer.decode(Unpooled.wrappedBuffer(privateData));
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
