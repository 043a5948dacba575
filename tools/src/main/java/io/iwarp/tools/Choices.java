package io.iwarp.tools;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Parses a word as an enum constant, by its text. Upper case and {@code _} instead of {@code -} are accepted.
 *
 * @param <E> the enum
 */
final class Choices<E extends Enum<E>> implements ITypeConverter<E> {
    private final Class<E> type;

    Choices(Class<E> type) {
        this.type = type;
    }

    @Override
    public E convert(String text) {
        for (E each : type.getEnumConstants()) {
            if (plain(each.toString()).equals(plain(text))) {
                return each;
            }
        }
        throw new TypeConversionException("'" + text + "' is not one of "
                + Arrays.stream(type.getEnumConstants()).map(Object::toString).collect(Collectors.joining(", ")));
    }

    private static String plain(String text) {
        return text.toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
