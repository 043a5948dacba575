package io.iwarp.testing;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The two byte streams of one TCP connection, each reassembled: in order, without gaps, every byte once.
 *
 * @param initiator the bytes that the connecting side sent
 * @param responder the bytes that the accepting side sent
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record TcpConversation(byte[] initiator, byte[] responder) {
    private static final int MAGIC_MICROSECONDS = 0xa1b2c3d4;
    private static final int MAGIC_NANOSECONDS = 0xa1b23c4d;
    private static final int LINK_NULL = 0;
    private static final int LINK_ETHERNET = 1;
    private static final int LINK_RAW = 101;
    private static final int ETHERTYPE_IPV4 = 0x0800;
    private static final int PROTOCOL_TCP = 6;
    private static final int SYN = 0x02;
    private static final int ACK = 0x10;

    /**
     * Reads the only TCP connection of a capture.
     *
     * @param pcap a classic pcap file, of either byte order, with IPv4 over Ethernet, loopback or nothing
     */
    public static TcpConversation ofPcap(byte[] pcap) {
        Map<Long, Direction> directions = new HashMap<>();
        ByteBuffer file = ByteBuffer.wrap(pcap);
        int magic = file.getInt(0);
        if (magic != MAGIC_MICROSECONDS && magic != MAGIC_NANOSECONDS) {
            file.order(ByteOrder.LITTLE_ENDIAN);
            magic = file.getInt(0);
        }
        if (magic != MAGIC_MICROSECONDS && magic != MAGIC_NANOSECONDS) {
            throw new IllegalArgumentException("not a classic pcap file");
        }
        int linkType = file.getInt(20) & 0xffff;
        for (int record = 24; record < pcap.length; ) {
            int captured = file.getInt(record + 8);
            if (captured != file.getInt(record + 12)) {
                throw new IllegalArgumentException("a packet was cut when it was captured");
            }
            ByteBuffer ip = ip(file.slice(record + 16, captured), linkType);
            if (ip != null) {
                tcp(ip, directions);
            }
            record += 16 + captured;
        }
        return new TcpConversation(only(directions.values(), true), only(directions.values(), false));
    }

    private static @Nullable ByteBuffer ip(ByteBuffer packet, int linkType) {
        int header = switch (linkType) {
            case LINK_NULL -> 4;
            case LINK_ETHERNET -> 14;
            case LINK_RAW -> 0;
            default -> throw new IllegalArgumentException("link type " + linkType);
        };
        if (linkType == LINK_ETHERNET && packet.getShort(12) != ETHERTYPE_IPV4) {
            return null;
        }
        ByteBuffer ip = packet.slice(header, packet.limit() - header);
        // The total length leaves out what Ethernet padded.
        return ip.get(0) >> 4 == 4 && ip.get(9) == PROTOCOL_TCP ? ip.slice(0, ip.getShort(2) & 0xffff) : null;
    }

    private static void tcp(ByteBuffer ip, Map<Long, Direction> directions) {
        int ipHeader = (ip.get(0) & 0x0f) * 4;
        long sender = (long) ip.getInt(12) << 16 | (ip.getShort(ipHeader) & 0xffff);
        int sequence = ip.getInt(ipHeader + 4);
        int flags = ip.get(ipHeader + 13);
        Direction direction = directions.get(sender);
        if ((flags & SYN) != 0) {
            Direction opened = new Direction((flags & ACK) == 0, sequence + 1);
            if (direction != null && direction.first != opened.first) {
                throw new IllegalArgumentException("a second connection from the same port");
            }
            directions.putIfAbsent(sender, opened);
        } else if (direction == null) {
            throw new IllegalArgumentException("the beginning of the connection is missing");
        } else {
            int header = ipHeader + ((ip.get(ipHeader + 12) & 0xf0) >> 2);
            byte[] payload = new byte[ip.limit() - header];
            ip.get(header, payload);
            direction.add(sequence, payload);
        }
    }

    private static byte[] only(Collection<Direction> directions, boolean initiator) {
        Direction found = null;
        for (Direction direction : directions) {
            if (direction.initiator == initiator) {
                if (found != null) {
                    throw new IllegalArgumentException("more than one connection");
                }
                found = direction;
            }
        }
        if (found == null) {
            throw new IllegalArgumentException("no connection");
        }
        return found.bytes();
    }

    /** One direction's segments by their offset in the stream; of the same offset the longest. */
    private static final class Direction {
        final boolean initiator;
        final int first;
        private final TreeMap<Integer, byte[]> segments = new TreeMap<>();

        Direction(boolean initiator, int first) {
            this.initiator = initiator;
            this.first = first;
        }

        void add(int sequence, byte[] payload) {
            int offset = sequence - first;
            // A keep-alive repeats the byte before the window, which can be the SYN itself.
            if (offset >= 0 && payload.length > 0) {
                segments.merge(offset, payload, (old, later) -> later.length > old.length ? later : old);
            }
        }

        byte[] bytes() {
            ByteArrayOutputStream stream = new ByteArrayOutputStream();
            segments.forEach((offset, payload) -> {
                if (offset > stream.size()) {
                    throw new IllegalArgumentException(
                            "bytes " + stream.size() + " to " + offset + " were not captured");
                }
                int known = stream.size() - offset;
                if (known < payload.length) {
                    stream.write(payload, known, payload.length - known);
                }
            });
            return stream.toByteArray();
        }
    }
}
