package io.iwarp.conformance.model;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/**
 * One end of a connection in memory, whose time is virtual. If both ends wait to read, the time of the end whose limit
 * comes first is over at once; if one of them works, no time passes. So a test neither waits, nor depends on how fast a
 * machine is. A read brings what one write has sent, at most.
 */
@SuppressWarnings("UnsynchronizedOverridesSynchronized") // both ends have one lock
final class VirtualSocket extends Socket {
    private static final long FOR_EVER = Long.MAX_VALUE;

    /** Guards both ends. */
    private final Object lock;

    private VirtualSocket other = this;
    private final Deque<byte[]> unread = new ArrayDeque<>();
    private long limit = FOR_EVER;
    private boolean waiting;
    private long left;
    private boolean fin;
    private boolean reset;
    private boolean closed;
    private boolean abortive;
    private boolean abandoned;

    private VirtualSocket(Object lock) {
        this.lock = lock;
    }

    /** Returns both ends of a new connection. */
    static VirtualSocket[] pair() {
        Object lock = new Object();
        VirtualSocket first = new VirtualSocket(lock);
        VirtualSocket second = new VirtualSocket(lock);
        first.other = second;
        second.other = first;
        return new VirtualSocket[] {first, second};
    }

    /** From now on this end does nothing, forever. */
    void abandon() {
        synchronized (lock) {
            abandoned = true;
            left = FOR_EVER;
            lock.notifyAll();
        }
    }

    private int read(byte[] target, int from, int length) throws IOException {
        synchronized (lock) {
            left = limit;
            waiting = true;
            lock.notifyAll();
            try {
                while (!closed && unread.isEmpty() && !fin && !reset) {
                    if (other.idle() && left < FOR_EVER && left <= other.left) {
                        other.left -= other.left < FOR_EVER ? left : 0;
                        throw new SocketTimeoutException();
                    }
                    lock.wait();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException();
            } finally {
                waiting = false;
            }
            return closed ? broken("Socket closed") : unread.isEmpty() ? end() : take(target, from, length);
        }
    }

    private boolean idle() {
        return abandoned || (waiting && !closed && unread.isEmpty() && !fin && !reset);
    }

    private static int broken(String message) throws SocketException {
        throw new SocketException(message);
    }

    private int end() throws SocketException {
        return reset ? broken("Connection reset") : -1;
    }

    private int take(byte[] target, int from, int length) {
        byte[] bytes = unread.removeFirst();
        int count = Math.min(length, bytes.length);
        System.arraycopy(bytes, 0, target, from, count);
        if (count < bytes.length) {
            unread.addFirst(Arrays.copyOfRange(bytes, count, bytes.length));
        }
        return count;
    }

    private void write(byte[] bytes) throws IOException {
        synchronized (lock) {
            if (closed || reset) {
                throw new SocketException("Broken pipe");
            }
            if (other.closed) {
                reset = true;
            } else if (bytes.length > 0) {
                other.unread.add(bytes);
                lock.notifyAll();
            }
        }
    }

    @Override
    public InputStream getInputStream() {
        return new InputStream() {
            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return VirtualSocket.this.read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
            }

            @Override
            public int read(byte[] target, int from, int length) throws IOException {
                return length == 0 ? 0 : VirtualSocket.this.read(target, from, length);
            }

            @Override
            public int available() {
                synchronized (lock) {
                    return unread.stream().mapToInt(bytes -> bytes.length).sum();
                }
            }
        };
    }

    @Override
    public OutputStream getOutputStream() {
        return new OutputStream() {
            @Override
            public void write(int single) throws IOException {
                VirtualSocket.this.write(new byte[] {(byte) single});
            }

            @Override
            public void write(byte[] bytes, int from, int length) throws IOException {
                VirtualSocket.this.write(Arrays.copyOfRange(bytes, from, from + length));
            }
        };
    }

    @Override
    public void setTcpNoDelay(boolean on) {}

    @Override
    public void setSoTimeout(int millis) {
        limit = millis == 0 ? FOR_EVER : millis;
    }

    @Override
    public void setSoLinger(boolean on, int seconds) {
        abortive = on;
    }

    @Override
    public void shutdownOutput() {
        synchronized (lock) {
            other.fin = true;
            lock.notifyAll();
        }
    }

    @Override
    public boolean isClosed() {
        synchronized (lock) {
            return closed;
        }
    }

    @Override
    public void close() {
        synchronized (lock) {
            if (!closed) {
                closed = true;
                other.fin = true;
                other.reset |= abortive || !unread.isEmpty();
                lock.notifyAll();
            }
        }
    }
}
