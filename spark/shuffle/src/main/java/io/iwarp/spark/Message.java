package io.iwarp.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A message of an executor to the driver, or a response of the driver.
 *
 * @param kind the kind of the message
 * @param executor the executor that the message is about
 * @param values the content, which depends on the kind
 */
record Message(Kind kind, String executor, List<String> values) {
    enum Kind {
        /** The address of an executor, and the fingerprint of its certificate; also the response to FIND. */
        ANNOUNCE(3),
        /** Asks for the address of an executor. */
        FIND(0),
        /** The counts of an executor. */
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
                "the message is none of this version of the iWARP shuffle: use one version of iwarp-spark everywhere");
    }

    private static String name(Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    /** Returns the message in the form in which Spark sends it. */
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
