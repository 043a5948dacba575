package io.iwarp.simulation;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What memory may hold that one peer writes to. Its Writes arrive in the order of their posts, each from its start to
 * its end, so memory must look as after some of them, the last of which may have come in part.
 */
final class MemoryModel {
    /** A Write: bytes at an offset, made from its number so that no two Writes look alike. */
    record Change(int offset, int length, int number) {
        byte oneByte(int index) {
            return pattern(number, index);
        }
    }

    private MemoryModel() {}

    static byte[] pattern(int number, int from, int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = pattern(number, from + i);
        }
        return bytes;
    }

    static byte pattern(int number, int index) {
        int mixed = (number * 0x9e37_79b1) ^ (index * 0x85eb_ca6b);
        return (byte) (mixed ^ (mixed >>> 15) ^ (mixed >>> 23));
    }

    private static int explainedBy(byte[] bytes, byte[] model, Change change) {
        int explained = 0;
        for (int i = 0; i < change.length(); i++) {
            int index = change.offset() + i;
            explained += model[index] != bytes[index] && bytes[index] == change.oneByte(i) ? 1 : 0;
        }
        return explained;
    }

    /**
     * Returns what is wrong, or null.
     *
     * @param bytes memory that was all zeros at first
     * @param changes in the order of the posts
     * @param arrived how many of them are known to be in place
     * @param anyPieces whether any part of the last one may be in place, and not only its beginning
     */
    static @Nullable String judge(byte[] bytes, List<Change> changes, int arrived, boolean anyPieces) {
        byte[] model = new byte[bytes.length];
        int different = 0;
        for (byte oneByte : bytes) {
            different += oneByte == 0 ? 0 : 1;
        }
        if (different == 0 && arrived == 0) {
            return null;
        }
        for (int done = 0; done < changes.size(); done++) {
            Change change = changes.get(done);
            if (done >= arrived && anyPieces && different == explainedBy(bytes, model, change)) {
                return null;
            }
            for (int i = 0; i < change.length(); i++) {
                int index = change.offset() + i;
                int before = model[index] == bytes[index] ? 0 : 1;
                model[index] = change.oneByte(i);
                different += (model[index] == bytes[index] ? 0 : 1) - before;
                if (different == 0 && done >= arrived) {
                    return null;
                }
            }
            if (different == 0 && done + 1 >= arrived) {
                return null;
            }
        }
        return "memory is as after none of " + changes.size() + " Writes, of which at least " + arrived
                + " have arrived";
    }
}
