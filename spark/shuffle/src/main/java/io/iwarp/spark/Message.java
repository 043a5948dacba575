package io.iwarp.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What an executor tells or asks the driver.
 *
 * @param kind what it is
 * @param executor whom it is about
 * @param values depend on the kind
 */
record Message(Kind kind, String executor, List<String> values) {
    enum Kind {
        /** Where an executor listens, and its certificate; also the answer to FIND. */
        ANNOUNCE(3),
        /** Where does an executor listen? */
        FIND(0),
        /** What an executor has counted. */
        COUNT(5);

        private final int values;

        Kind(int values) {
            this.values = values;
        }
    }

    private static final int HEADER = 2;

    static Message announce(String executor, PeerAddress address) {
        return new Message(
                Kind.ANNOUNCE,
                executor,
                List.of(address.host(), Integer.toString(address.port()), address.fingerprint()));
    }

    static Message find(String executor) {
        return new Message(Kind.FIND, executor, List.of());
    }

    static Message count(String executor, Totals totals) {
        return new Message(
                Kind.COUNT,
                executor,
                List.of(
                        Long.toString(totals.blocksRead()),
                        Long.toString(totals.bytesRead()),
                        Long.toString(totals.largeBlocks()),
                        Long.toString(totals.unpublishedBlocks()),
                        Long.toString(totals.fallbackBlocks())));
    }

    /**
     * Reads a message.
     *
     * @throws IllegalArgumentException if another version sent it
     */
    static Message of(Object received) {
        if (received instanceof String[] strings && strings.length >= HEADER) {
            for (Kind kind : Kind.values()) {
                if (name(kind).equals(strings[0]) && strings.length == HEADER + kind.values) {
                    return new Message(kind, strings[1], List.of(strings).subList(HEADER, strings.length));
                }
            }
        }
        throw new IllegalArgumentException(
                "an unknown message of the iWARP shuffle: use one version of iwarp-spark everywhere");
    }

    private static String name(Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    /** Returns the form in which it travels. */
    String[] strings() {
        List<String> strings = new ArrayList<>(List.of(name(kind), executor));
        strings.addAll(values);
        return strings.toArray(new String[0]);
    }

    PeerAddress address() {
        return new PeerAddress(values.get(0), Integer.parseInt(values.get(1)), values.get(2));
    }

    Totals totals() {
        List<Long> numbers = values.stream().map(Long::valueOf).toList();
        return new Totals(numbers.get(0), numbers.get(1), numbers.get(2), numbers.get(3), numbers.get(4));
    }
}
