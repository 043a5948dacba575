package io.iwarp.tools;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Locale;

/**
 * How the numbers of the counter server stand when a client is done: six numbers of 8 bytes, big-endian.
 *
 * @param counter the counter
 * @param adds what all clients said they added to it, since the server began
 * @param number the number under the lock
 * @param rounds what all clients said they added to that
 * @param atWork how many other clients are not done yet
 * @param lost how many clients were lost that did not say what they had done
 */
record CounterTotals(long counter, long adds, long number, long rounds, long atWork, long lost) {
    /** In bytes. */
    static final int ENCODED_LENGTH = 6 * Long.BYTES;

    /** Returns the message in a buffer on the heap, which needs no release. */
    ByteBuf encode() {
        return Unpooled.buffer(ENCODED_LENGTH, ENCODED_LENGTH)
                .writeLong(counter)
                .writeLong(adds)
                .writeLong(number)
                .writeLong(rounds)
                .writeLong(atWork)
                .writeLong(lost);
    }

    static CounterTotals decode(ByteBuf in) {
        return new CounterTotals(
                in.readLong(), in.readLong(), in.readLong(), in.readLong(), in.readLong(), in.readLong());
    }

    /** Returns whether nothing is open, so that the numbers have to be exactly what was said. */
    boolean conclusive() {
        return atWork == 0 && lost == 0;
    }

    /** Returns whether the numbers are exactly what was said. */
    boolean exact() {
        return counter == adds && number == rounds;
    }

    /** Returns how the numbers stand, and what that proves. */
    String verdict() {
        String numbers = String.format(Locale.ROOT, "counter %,d, number %,d", counter, number);
        if (atWork > 0) {
            return numbers + String.format(Locale.ROOT, "; clients still at work: %,d", atWork);
        }
        if (lost > 0) {
            return numbers + String.format(Locale.ROOT, "; cannot be checked, clients lost: %,d", lost);
        }
        return numbers
                + (exact()
                        ? ": exactly what all clients added"
                        : String.format(Locale.ROOT, ", but the clients added %,d and %,d", adds, rounds));
    }
}
