package io.iwarp.simulation;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import java.lang.reflect.Field;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Looks at private state of the handlers of a channel that nothing else shows. */
final class Inside {
    private Inside() {}

    /** Returns the size of a collection, found by names of fields from a handler on; 0 if no handler has the first. */
    static int sizeOf(Channel channel, String... path) {
        for (Map.Entry<String, ChannelHandler> each : channel.pipeline()) {
            Object found = each.getValue();
            if (field(found, path[0]) != null) {
                for (String name : path) {
                    found = Objects.requireNonNull(get(found, name), name);
                }
                return ((Collection<?>) found).size();
            }
        }
        return 0;
    }

    private static @Nullable Field field(Object object, String name) {
        for (Field field : object.getClass().getDeclaredFields()) {
            if (field.getName().equals(name)) {
                return field;
            }
        }
        return null;
    }

    private static @Nullable Object get(Object object, String name) {
        Field field = field(object, name);
        if (field == null) {
            throw new AssertionError(object.getClass() + " has no field " + name);
        }
        try {
            field.setAccessible(true);
            return field.get(object);
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }
}
