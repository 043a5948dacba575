package io.iwarp.simulation;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Looks at private state of the handlers of a channel that nothing else shows. */
final class Inside {
    private static final ClassValue<Map<String, Field>> FIELDS = new ClassValue<>() {
        @Override
        protected Map<String, Field> computeValue(Class<?> type) {
            return Arrays.stream(type.getDeclaredFields()).collect(Collectors.toMap(Field::getName, field -> field));
        }
    };

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
        return FIELDS.get(object.getClass()).get(name);
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
