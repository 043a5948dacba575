package io.iwarp.tools.cli;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses and formats byte counts, other counts, times and rates in human-readable form. */
public final class Bytes {
    private static final Pattern SIZE =
            Pattern.compile("(\\d{1,18})\\s*(?:([KMGT])(?:i?B)?|B)?", Pattern.CASE_INSENSITIVE);
    private static final String PREFIXES = "KMGT";
    private static final int BITS_PER_PREFIX = 10;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double BYTES_PER_MEGABYTE = 1e6;
    private static final double MEGABITS_PER_GIGABIT = 1e3;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double NANOS_PER_MICRO = 1e3;

    private Bytes() {}

    /** Parses byte counts: {@code 65536}, {@code 64K} and {@code 64KiB} are equal. */
    public static final class Converter implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            Matcher size = SIZE.matcher(text.strip());
            if (!size.matches()) {
                throw new TypeConversionException(
                        "'" + text + "' is not a size: write a number of bytes, or one with K, M or G such as 16M");
            }
            long number = Long.parseLong(size.group(1));
            String prefix = size.group(2);
            int bits = prefix == null ? 0 : BITS_PER_PREFIX * (PREFIXES.indexOf(prefix.toUpperCase(Locale.ROOT)) + 1);
            if (number > Long.MAX_VALUE >> bits) {
                throw new TypeConversionException("'" + text + "' is more than 2^63 - 1 bytes");
            }
            return number << bits;
        }
    }

    /** Returns for example {@code 16 MiB} or {@code 1,048,579 bytes}. */
    public static String size(long bytes) {
        int bits = 0;
        while (bits < BITS_PER_PREFIX * PREFIXES.length()
                && bytes != 0
                && (bytes >> bits & (1 << BITS_PER_PREFIX) - 1) == 0) {
            bits += BITS_PER_PREFIX;
        }
        if (bits == 0) {
            return exactly(bytes);
        }
        return String.format(Locale.ROOT, "%,d %ciB", bytes >> bits, PREFIXES.charAt(bits / BITS_PER_PREFIX - 1));
    }

    /** Returns for example {@code 1,048,576 bytes}. */
    public static String exactly(long bytes) {
        return count(bytes, "byte");
    }

    /** Returns for example {@code 1 client} or {@code 1,000 clients}. */
    public static String count(long number, String noun) {
        return String.format(Locale.ROOT, "%,d %s%s", number, noun, number == 1 ? "" : "s");
    }

    /** Returns for example {@code 812 MB/s (6.50 Gbit/s)}: 10^6 bytes and 10^9 bits per second. */
    public static String rate(long bytes, long nanos) {
        double megabytes = bytes / BYTES_PER_MEGABYTE / (Math.max(nanos, 1) / NANOS_PER_SECOND);
        return String.format(
                Locale.ROOT,
                megabytes < 10 ? "%,.1f MB/s (%.3f Gbit/s)" : "%,.0f MB/s (%.2f Gbit/s)",
                megabytes,
                megabytes * Byte.SIZE / MEGABITS_PER_GIGABIT);
    }

    /** Returns for example {@code 31.4 us}, {@code 12.3 ms} or {@code 4.56 s}. */
    public static String time(long nanos) {
        if (nanos < NANOS_PER_MILLI) {
            return String.format(Locale.ROOT, "%.1f us", nanos / NANOS_PER_MICRO);
        }
        if (nanos < NANOS_PER_SECOND) {
            return String.format(Locale.ROOT, "%.1f ms", nanos / NANOS_PER_MILLI);
        }
        return String.format(Locale.ROOT, "%.2f s", nanos / NANOS_PER_SECOND);
    }
}
