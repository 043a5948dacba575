package io.iwarp.memory;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Finds the tagged buffer of an STag.
 *
 * <p>Any thread may call {@link #find}, which takes no lock and allocates nothing. The thread that holds the lock of
 * the device makes changes. The table is an array of chains of immutable nodes. A change replaces a chain, and growing
 * replaces the array. A reader that still walks the old one sees a slightly older state. This is harmless, because a
 * tagged buffer knows itself that it was revoked. STags are random numbers, so their upper bits serve as a hash.
 */
final class STagTable {
    private static final int FIRST_CAPACITY = 16;

    private volatile AtomicReferenceArray<@Nullable Node> chains = new AtomicReferenceArray<>(FIRST_CAPACITY);
    private int size;

    /** A link of a chain. */
    private record Node(
            int stag, TaggedBuffer buffer, @Nullable Node next) {}

    /** Returns the tagged buffer of this STag, or null. */
    @Nullable
    TaggedBuffer find(int stag) {
        AtomicReferenceArray<@Nullable Node> table = chains;
        for (Node node = table.get(slot(table, stag)); node != null; node = node.next) {
            if (node.stag == stag) {
                return node.buffer;
            }
        }
        return null;
    }

    /** Adds a buffer whose STag is not in the table. */
    void add(TaggedBuffer buffer) {
        if (size == chains.length()) {
            grow();
        }
        push(chains, buffer);
        size++;
    }

    /** Removes a buffer that is in the table. */
    void remove(TaggedBuffer buffer) {
        AtomicReferenceArray<@Nullable Node> table = chains;
        int slot = slot(table, buffer.stag());
        Node rest = null;
        for (Node node = table.get(slot); node != null; node = node.next) {
            if (node.buffer != buffer) {
                rest = new Node(node.stag, node.buffer, rest);
            }
        }
        table.set(slot, rest);
        size--;
    }

    private void grow() {
        AtomicReferenceArray<@Nullable Node> old = chains;
        AtomicReferenceArray<@Nullable Node> larger = new AtomicReferenceArray<>(2 * old.length());
        for (int slot = 0; slot < old.length(); slot++) {
            for (Node node = old.get(slot); node != null; node = node.next) {
                push(larger, node.buffer);
            }
        }
        chains = larger;
    }

    private static void push(AtomicReferenceArray<@Nullable Node> table, TaggedBuffer buffer) {
        int slot = slot(table, buffer.stag());
        table.set(slot, new Node(buffer.stag(), buffer, table.get(slot)));
    }

    /** Returns as many upper bits of the STag as a table of this length, a power of two, needs. */
    private static int slot(AtomicReferenceArray<@Nullable Node> table, int stag) {
        return stag >>> (Integer.numberOfLeadingZeros(table.length()) + 1);
    }
}
