package io.iwarp.internal;

import java.time.Duration;
import java.util.Locale;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One of the {@link Settings} of a class: its name, default and range. The class has it as a private constant, above
 * the getter. Immutable.
 *
 * @param <T> the type of its values
 */
public final class Setting<T extends @Nullable Object> {
    private static final Duration MIN_TIME = Duration.ofMillis(1);

    private final String name;
    private final T defaultValue;
    private final String range;
    private final Predicate<? super T> inRange;

    private Setting(String name, T defaultValue, String range, Predicate<? super T> inRange) {
        this.name = name;
        this.defaultValue = defaultValue;
        this.range = range;
        this.inRange = inRange;
    }

    /** Returns a setting without a range. */
    public static <T extends @Nullable Object> Setting<T> of(String name, T defaultValue) {
        return new Setting<>(name, defaultValue, "", value -> true);
    }

    /** Returns a setting without a range and without a default, the only one whose value may be null. */
    @SuppressWarnings("NullAway") // it does not see that a type argument may be nullable
    public static <T> Setting<@Nullable T> optional(String name) {
        return of(name, null);
    }

    /** Returns a setting with a range that these words describe. */
    public static <T> Setting<T> of(String name, T defaultValue, String range, Predicate<? super T> inRange) {
        return new Setting<>(name, defaultValue, range, inRange);
    }

    /** Returns a setting with a minimum. */
    public static <T extends Comparable<T>> Setting<T> atLeast(String name, T defaultValue, T min) {
        return of(name, defaultValue, "at least " + text(min), value -> value.compareTo(min) >= 0);
    }

    /** Returns a setting with a minimum and a maximum. */
    public static <T extends Comparable<T>> Setting<T> within(String name, T defaultValue, T min, T max) {
        return of(
                name,
                defaultValue,
                text(min) + " to " + text(max),
                value -> value.compareTo(min) >= 0 && value.compareTo(max) <= 0);
    }

    /** Returns a duration setting of at least 1 ms. Zero disables it. */
    public static Setting<Duration> orZero(String name, Duration defaultValue, Duration max) {
        Setting<Duration> on = within(name, defaultValue, MIN_TIME, max);
        return of(name, defaultValue, on.range + ", or 0", value -> value.isZero() || on.inRange.test(value));
    }

    /** Returns a number or duration in the form that the ranges have. */
    public static String text(Object limit) {
        if (limit instanceof Number number) {
            return String.format(Locale.ROOT, "%,d", number.longValue());
        }
        Duration time = (Duration) limit;
        if (time.isZero()) {
            return "0";
        }
        if (time.toMillisPart() > 0) {
            return time.toMillis() + " ms";
        }
        if (time.toSecondsPart() > 0) {
            return time.toSeconds() + " s";
        }
        return time.toMinutesPart() > 0 ? time.toMinutes() + " min" : time.toHours() + " h";
    }

    /** Returns the name of the getter and of the builder's method. */
    public String name() {
        return name;
    }

    /** Returns the default. */
    public T defaultValue() {
        return defaultValue;
    }

    /** Returns a description of the allowed values; empty if all are allowed. */
    public String range() {
        return range;
    }

    /**
     * Checks a value.
     *
     * @throws IllegalArgumentException if it is outside the range
     * @throws NullPointerException if it is null and the default is not
     */
    public void check(T value) {
        if (value == null && defaultValue != null) {
            throw new NullPointerException(name + " is null");
        }
        if (!inRange.test(value)) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + range + ")");
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
