package io.iwarp.tools.cli;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a time: {@code 2}, {@code 0.5}, {@code 500ms}, {@code 2s} or {@code 1m}. A number alone means seconds. */
public final class Seconds implements ITypeConverter<Duration> {
    private static final Pattern TIME = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?)\\s*(ms|s|m)?");
    private static final double NANOS_PER_SECOND = 1e9;

    @Override
    public Duration convert(String text) {
        Matcher time = TIME.matcher(text.strip());
        if (!time.matches()) {
            throw new TypeConversionException("'" + text + "' is not a time: write seconds, such as 2 or 0.5, or a"
                    + " number with ms, s or m such as 500ms");
        }
        double unit = "ms".equals(time.group(2)) ? 1e-3 : "m".equals(time.group(2)) ? 60 : 1;
        return Duration.ofNanos((long) (Double.parseDouble(time.group(1)) * unit * NANOS_PER_SECOND));
    }
}
