package io.iwarp.tools;

import io.iwarp.tools.cli.CommandFailedException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;

/**
 * A key of the soak test, which only one client writes. Each write has a number. The key and the number determine the
 * whole value, so a reader can detect a corrupt value.
 *
 * @param name as the cache has it
 * @param kind the kind of its values
 */
record KvSoakKey(String name, Kind kind) {
    private static final int MOST_FILLER = 8000;
    private static final int FIRST_LETTER = 'a';
    private static final int LETTERS = 26;

    /** The kind of values. */
    enum Kind {
        /** Key, number and up to 8,000 letters. */
        LONG,
        /** The number, put. */
        SHORT,
        /** The number, replaced by compare-swap. */
        SWAPPED
    }

    /** Returns the key with a number of its own of a client. */
    static KvSoakKey of(String client, int number) {
        Kind kind = number < 5 ? Kind.LONG : number < 6 ? Kind.SHORT : Kind.SWAPPED;
        return new KvSoakKey("soak/" + client + "/" + number + "/" + kind, kind);
    }

    /** Returns the key of a name. */
    static KvSoakKey of(String name) {
        return new KvSoakKey(name, Kind.valueOf(name.substring(name.lastIndexOf('/') + 1)));
    }

    /** Returns the value of a write. */
    byte[] value(long number) {
        if (kind != Kind.LONG) {
            return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
        }
        Random random = new Random(name.hashCode() * 31L + number);
        byte[] filler = new byte[random.nextInt(MOST_FILLER)];
        random.nextBytes(filler);
        for (int i = 0; i < filler.length; i++) {
            filler[i] = (byte) (FIRST_LETTER + Math.floorMod(filler[i], LETTERS));
        }
        return (name + " " + number + " " + new String(filler, StandardCharsets.US_ASCII))
                .getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Returns the number of the write that stored a value.
     *
     * @throws CommandFailedException if no write has such a value
     */
    long number(byte[] value) throws CommandFailedException {
        String text = new String(value, StandardCharsets.US_ASCII);
        try {
            long number = Long.parseLong(kind == Kind.LONG ? text.split(" ", 3)[1] : text);
            if (Arrays.equals(value(number), value)) {
                return number;
            }
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            throw new CommandFailedException(complaint(text) + " (" + e + ")");
        }
        throw new CommandFailedException(complaint(text));
    }

    private String complaint(String text) {
        return "'" + name + "' has " + text.length() + " bytes that nobody wrote: '"
                + text.substring(0, Math.min(text.length(), 100)) + "'";
    }
}
