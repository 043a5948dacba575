package io.iwarp.conformance.judge;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Listens, starts the client's program for each connection, and ends it when the connection is over. */
public final class ClientLink implements Link {
    private static final Duration SLICE = Duration.ofMillis(50);
    /** To start a program, perhaps on another machine, is no matter of the protocol. */
    private static final Duration MIN_FOR_A_START = Duration.ofSeconds(15);

    private final InetAddress address;
    private final int port;
    private final Starter starter;
    private volatile @Nullable ServerSocket listener;
    /** Guarded by itself: a signal closes the link on a thread of its own. */
    private final List<Program> programs = new ArrayList<>();

    private boolean closed;

    /** Starts the client. */
    @FunctionalInterface
    public interface Starter {
        /** Starts it with these values. */
        Program start(int port, int size) throws IOException;
    }

    /** A client that was started. */
    public interface Program {
        /** Returns whether it ends in some time. */
        boolean ends(Duration patience);

        /** Returns what it printed so far. */
        String output();

        /** Ends it, and waits until it has ended. */
        void end();
    }

    /** @param port to listen on; with 0 each connection gets a port of its own */
    public ClientLink(InetAddress address, int port, Starter starter) throws IOException {
        this.address = address;
        this.port = port;
        this.starter = starter;
        if (port != 0) {
            listener = listen();
        }
    }

    private ServerSocket listen() throws IOException {
        ServerSocket fresh = new ServerSocket();
        fresh.setReuseAddress(true);
        try {
            fresh.bind(new InetSocketAddress(address, port));
        } catch (BindException e) {
            fresh.close();
            BindException named = new BindException(address.getHostAddress() + " port " + port + ": " + e.getMessage());
            named.initCause(e);
            throw named;
        } catch (IOException e) {
            fresh.close();
            throw e;
        }
        return fresh;
    }

    @Override
    public Socket connect(int size, int receiveBuffer, Duration patience) throws IOException {
        ServerSocket socket = listener;
        if (socket == null) {
            socket = listen();
            listener = socket;
        }
        if (receiveBuffer > 0) {
            // A connection inherits it.
            socket.setReceiveBufferSize(receiveBuffer);
        }
        Program started = start(socket.getLocalPort(), size);
        socket.setSoTimeout((int) SLICE.toMillis());
        Duration wait = patience.compareTo(MIN_FOR_A_START) > 0 ? patience : MIN_FOR_A_START;
        long deadline = System.nanoTime() + wait.toNanos();
        while (true) {
            try {
                return socket.accept();
            } catch (SocketTimeoutException e) {
                boolean ended = started.ends(Duration.ZERO);
                if (ended || System.nanoTime() - deadline > 0) {
                    String output = started.output().strip();
                    throw new IOException(
                            "the client does not connect to port " + socket.getLocalPort()
                                    + (ended ? " and has ended" : " within " + wait.toSeconds() + " s")
                                    + (output.isEmpty() ? "" : "; it printed: " + output),
                            e);
                }
            }
        }
    }

    private Program start(int listening, int size) throws IOException {
        synchronized (programs) {
            if (closed) {
                throw new IOException("the run ends");
            }
            Program started = starter.start(listening, size);
            programs.add(started);
            return started;
        }
    }

    private List<Program> programs() {
        synchronized (programs) {
            return List.copyOf(programs);
        }
    }

    private void endPrograms() {
        synchronized (programs) {
            programs.forEach(Program::end);
            programs.clear();
        }
    }

    @Override
    public void release() {
        endPrograms();
        if (port == 0) {
            closeListener();
        } else {
            dropWaiting();
        }
    }

    @Override
    public boolean ends(Duration patience) {
        long deadline = System.nanoTime() + patience.toNanos();
        while (!programs().stream().allMatch(program -> program.ends(SLICE))) {
            // A client may try again, with another revision.
            dropWaiting();
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
        }
        return true;
    }

    /** Connections of a program that has ended are not those of the next one. */
    private void dropWaiting() {
        ServerSocket socket = listener;
        if (socket == null) {
            return;
        }
        try {
            socket.setSoTimeout(1);
            while (true) {
                socket.accept().close();
            }
        } catch (IOException e) {
            // No more of them.
        }
    }

    @Override
    public String output() {
        return programs().stream().map(Program::output).collect(Collectors.joining());
    }

    @Override
    public void close() {
        synchronized (programs) {
            closed = true;
        }
        endPrograms();
        closeListener();
    }

    private void closeListener() {
        ServerSocket socket = listener;
        listener = null;
        if (socket != null) {
            try {
                socket.close();
            } catch (IOException e) {
                // It is closed anyway.
            }
        }
    }
}
