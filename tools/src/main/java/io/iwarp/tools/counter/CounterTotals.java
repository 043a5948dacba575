package io.iwarp.tools.counter;

import io.iwarp.tools.cli.Bytes;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Locale;

/**
 * The state of the counter server when a client finishes: seven numbers of 8 bytes, big-endian.
 *
 * @param counter the counter
 * @param adds the sum that all clients reported for the counter since the server started
 * @param number the number under the lock
 * @param rounds the sum that all clients reported for the number under the lock
 * @param atWork the number of other clients that have not finished
 * @param lost the number of clients that were lost before they reported, and whose work is therefore unknown
 * @param forgotten the number of clients that were lost earlier: sums are of what was added since then
 */
record CounterTotals(long counter, long adds, long number, long rounds, long atWork, long lost, long forgotten) {
    /** Length in bytes. */
    static final int ENCODED_LENGTH = 7 * Long.BYTES;

    /** Returns the message in a heap buffer that needs no release. */
    ByteBuf encode() {
        return Unpooled.copyLong(counter, adds, number, rounds, atWork, lost, forgotten);
    }

    static CounterTotals decode(ByteBuf in) {
        return new CounterTotals(
                in.readLong(),
                in.readLong(),
                in.readLong(),
                in.readLong(),
                in.readLong(),
                in.readLong(),
                in.readLong());
    }

    /** Returns whether all clients have reported, so that the numbers must match the reports exactly. */
    boolean conclusive() {
        return atWork == 0 && lost == 0;
    }

    /** Returns whether the numbers match the reports exactly. */
    boolean exact() {
        return counter == adds && number == rounds;
    }

    /** Returns the numbers and what they prove, as text. */
    String verdict() {
        String numbers = String.format(Locale.ROOT, "counter %,d, number %,d", counter, number);
        if (atWork > 0) {
            return numbers + String.format(Locale.ROOT, "; clients still at work: %,d", atWork);
        }
        if (lost > 0) {
            return numbers + String.format(Locale.ROOT, "; cannot be checked, clients lost: %,d", lost);
        }
        String who = forgotten == 0
                ? "all clients added"
                : "was there after the loss of " + Bytes.count(forgotten, "client") + ", and clients added since";
        return numbers
                + (exact()
                        ? ": exactly what " + who
                        : String.format(Locale.ROOT, ", but the clients added %,d and %,d", adds, rounds));
    }
}
