package io.iwarp.conformance.report;

import java.io.Closeable;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.function.LongSupplier;

/**
 * A capture of TCP connections for Wireshark: raw IP packets, version 4 or 6, in the format of pcap. The caller chooses
 * what goes into each segment. The TCP checksums are 0. Not thread-safe.
 */
public final class PcapFile implements Closeable {
    private static final int MAGIC = 0xA1B2C3D4;
    private static final int MAJOR = 2;
    private static final int MINOR = 4;
    private static final int RAW_IP = 101;
    private static final int SNAP_LENGTH = 1 << 18;
    private static final int MICROS_PER_SECOND = 1_000_000;

    private static final int IPV4_HEADER = 20;
    private static final int IPV6_HEADER = 40;
    private static final int IPV4_CHECKSUM = 10;
    private static final int TCP_HEADER = 20;
    /** An IP packet has at most 65,535 bytes. */
    private static final int MAX_BYTES = 65_535 - IPV6_HEADER - TCP_HEADER;

    private static final byte TCP = 6;
    private static final byte TIME_TO_LIVE = 64;
    private static final int FIN = 0x01;
    private static final int SYN = 0x02;
    private static final int ACK = 0x10;
    private static final int PUSH = 0x18;

    private final DataOutputStream out;
    private final LongSupplier micros;

    /**
     * Begins a file.
     *
     * @param out where it is written; closed with this object
     * @param micros returns the time of the next packet, in microseconds since 1970
     */
    public PcapFile(OutputStream out, LongSupplier micros) throws IOException {
        this.out = new DataOutputStream(out);
        this.micros = micros;
        this.out.writeInt(MAGIC);
        this.out.writeShort(MAJOR);
        this.out.writeShort(MINOR);
        this.out.writeLong(0);
        this.out.writeInt(SNAP_LENGTH);
        this.out.writeInt(RAW_IP);
    }

    /** Writes the packets that make a connection. Both addresses have the same version of IP. */
    public Connection open(InetSocketAddress client, InetSocketAddress server) throws IOException {
        return new Connection(client, server);
    }

    /** One connection. */
    public final class Connection {
        private final InetSocketAddress client;
        private final InetSocketAddress server;
        /** The sequence numbers of client and server. */
        private final int[] next = new int[2];

        private Connection(InetSocketAddress client, InetSocketAddress server) throws IOException {
            this.client = client;
            this.server = server;
            packet(true, SYN, new byte[0], 0, 0);
            next[0] = 1;
            packet(false, SYN | ACK, new byte[0], 0, 0);
            next[1] = 1;
            packet(true, ACK, new byte[0], 0, 0);
        }

        /**
         * Writes bytes as one segment, or as several if they do not fit into one.
         *
         * @param ofClient whether the client sent them
         * @param most the most bytes of a segment
         */
        public void send(boolean ofClient, byte[] bytes, int most) throws IOException {
            int step = Math.min(most, MAX_BYTES);
            for (int from = 0; from < bytes.length; from += step) {
                packet(ofClient, PUSH, bytes, from, Math.min(step, bytes.length - from));
            }
        }

        /** Writes the end of both directions. */
        public void close() throws IOException {
            packet(true, FIN | ACK, new byte[0], 0, 0);
            next[0]++;
            packet(false, FIN | ACK, new byte[0], 0, 0);
            next[1]++;
            packet(true, ACK, new byte[0], 0, 0);
        }

        private void packet(boolean ofClient, int flags, byte[] bytes, int from, int length) throws IOException {
            InetSocketAddress source = ofClient ? client : server;
            InetSocketAddress target = ofClient ? server : client;
            ByteBuffer headers = ip(source.getAddress(), target.getAddress(), TCP_HEADER + length);
            int sender = ofClient ? 0 : 1;
            headers.putShort((short) source.getPort())
                    .putShort((short) target.getPort())
                    .putInt(next[sender])
                    .putInt(next[1 - sender])
                    .put((byte) ((TCP_HEADER / Integer.BYTES) << 4))
                    .put((byte) flags)
                    .putShort((short) -1)
                    .putInt(0);
            byte[] header = new byte[headers.flip().remaining()];
            headers.get(header);
            long now = micros.getAsLong();
            out.writeInt((int) (now / MICROS_PER_SECOND));
            out.writeInt((int) (now % MICROS_PER_SECOND));
            out.writeInt(header.length + length);
            out.writeInt(header.length + length);
            out.write(header);
            out.write(bytes, from, length);
            next[sender] += length;
        }
    }

    /** Returns the header of IP, with room for that of TCP after it. */
    private static ByteBuffer ip(InetAddress source, InetAddress target, int payload) {
        ByteBuffer header = ByteBuffer.allocate(IPV6_HEADER + TCP_HEADER);
        byte[] from = source.getAddress();
        if (from.length > Integer.BYTES) {
            return header.putInt(6 << 28)
                    .putShort((short) payload)
                    .put(TCP)
                    .put(TIME_TO_LIVE)
                    .put(from)
                    .put(target.getAddress());
        }
        header.putShort((short) 0x4500)
                .putShort((short) (IPV4_HEADER + payload))
                .putInt(0x4000)
                .put(TIME_TO_LIVE)
                .put(TCP)
                .putShort((short) 0)
                .put(from)
                .put(target.getAddress());
        return header.putShort(IPV4_CHECKSUM, checksum(header.array()));
    }

    private static short checksum(byte[] header) {
        ByteBuffer words = ByteBuffer.wrap(header, 0, IPV4_HEADER);
        int sum = 0;
        while (words.hasRemaining()) {
            sum += words.getShort() & 0xFFFF;
        }
        while (sum >> 16 != 0) {
            sum = (sum & 0xFFFF) + (sum >> 16);
        }
        return (short) ~sum;
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
