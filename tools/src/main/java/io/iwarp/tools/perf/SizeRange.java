package io.iwarp.tools.perf;

import io.iwarp.tools.cli.Bytes;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Sizes from one to another, each twice the one before, and the last one as well.
 *
 * @param first in bytes, at least 1
 * @param last in bytes, at least the first
 */
record SizeRange(long first, long last) {
    private static final String SEPARATOR = "..";

    /** Reads {@code 64..1M}. */
    static final class Converter implements ITypeConverter<SizeRange> {
        @Override
        public SizeRange convert(String text) {
            int separator = text.indexOf(SEPARATOR);
            if (separator < 0) {
                throw new TypeConversionException("'" + text + "' is not a range of sizes: write two, such as 64..1M");
            }
            Bytes.Converter bytes = new Bytes.Converter();
            long first = bytes.convert(text.substring(0, separator));
            long last = bytes.convert(text.substring(separator + SEPARATOR.length()));
            if (first < 1 || last < first) {
                throw new TypeConversionException(
                        "'" + text + "' is not a range of sizes: the first is at least 1, and not more than the last");
            }
            return new SizeRange(first, last);
        }
    }

    /** Returns all of them, in bytes. */
    List<Long> sizes() {
        return Stream.concat(Stream.iterate(first, size -> size < last && size > 0, size -> size * 2), Stream.of(last))
                .toList();
    }
}
