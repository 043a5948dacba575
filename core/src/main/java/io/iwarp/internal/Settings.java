package io.iwarp.internal;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The explicitly set values of the settings of a class. Two objects are equal if all values are equal, defaults
 * included. Immutable.
 */
public final class Settings {
    /** All defaults. */
    public static final Settings DEFAULT = new Settings(Map.of());

    private final Map<Setting<?>, Object> explicitValues;

    private Settings(Map<Setting<?>, Object> explicitValues) {
        this.explicitValues = explicitValues;
    }

    /** Returns whether a value of a setting was set, which may be the default. */
    public boolean isSet(Setting<?> setting) {
        return explicitValues.containsKey(setting);
    }

    /** Returns the value of a setting. */
    @SuppressWarnings("unchecked") // with() put it there
    public <T extends @Nullable Object> T get(Setting<T> setting) {
        Object value = explicitValues.get(setting);
        return value == null ? setting.defaultValue() : (T) value;
    }

    /**
     * Returns these settings with another value of one of them.
     *
     * @throws IllegalArgumentException if it is outside its range; the message names setting, value and range
     * @throws NullPointerException if it is null and the default is not
     */
    public <T extends @Nullable Object> Settings with(Setting<T> setting, T value) {
        setting.check(value);
        Map<Setting<?>, Object> copy = new LinkedHashMap<>(explicitValues);
        if (value == null) {
            copy.remove(setting);
        } else {
            copy.put(setting, value);
        }
        return new Settings(copy);
    }

    private Map<Setting<?>, Object> changed() {
        Map<Setting<?>, Object> changed = new LinkedHashMap<>(explicitValues);
        changed.entrySet().removeIf(each -> each.getValue().equals(each.getKey().defaultValue()));
        return changed;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Settings that && changed().equals(that.changed());
    }

    @Override
    public int hashCode() {
        return changed().hashCode();
    }

    /** Returns names and values of the settings that differ from their defaults, in one line. */
    @Override
    public String toString() {
        return changed().toString();
    }
}
