package io.iwarp.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.ddp.DdpSettings;
import io.iwarp.memory.DomainLimits;
import io.iwarp.memory.IwarpDevice;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.rdmap.RdmapSettings;
import io.iwarp.verbs.QueuePairSettings;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code docs/configuration.md} has each setting with its default, and no other. */
class ConfigurationDocumentTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "configuration.md");
    private static final Set<Class<?>> SETTINGS =
            Set.of(QueuePairSettings.class, MpaSettings.class, DdpSettings.class, RdmapSettings.class);
    private static final Set<String> NOT_SETTINGS = Set.of("toBuilder", "withoutEnhancedSetup", "hashCode", "toString");
    private static final Pattern ROW = Pattern.compile("^\\| `(\\w+)` \\|([^|]*)\\|", Pattern.MULTILINE);

    static Stream<Object> settings() {
        return Stream.of(
                QueuePairSettings.DEFAULT,
                MpaSettings.DEFAULT,
                DdpSettings.DEFAULT,
                RdmapSettings.DEFAULT,
                IwarpDevice.create(),
                DomainLimits.DEFAULT);
    }

    @ParameterizedTest
    @MethodSource("settings")
    void eachSettingStandsThereWithItsDefault(Object defaults) throws Exception {
        assertThat(documented(defaults.getClass().getSimpleName()))
                .as("rows of " + defaults.getClass().getSimpleName())
                .containsExactlyInAnyOrderEntriesOf(actual(defaults));
    }

    private static Map<String, String> documented(String type) throws IOException {
        String text = Files.readString(DOCUMENT);
        int begin = text.indexOf("## " + type + "\n");
        assertThat(begin).as("the section on " + type).isNotNegative();
        int end = text.indexOf("\n## ", begin);
        return ROW.matcher(text.substring(begin, end < 0 ? text.length() : end))
                .results()
                .collect(Collectors.toMap(
                        row -> row.group(1), row -> row.group(2).strip()));
    }

    private static Map<String, String> actual(Object defaults) throws ReflectiveOperationException {
        Map<String, String> settings = new HashMap<>();
        if (defaults instanceof IwarpDevice) {
            for (Method limit : IwarpDevice.Builder.class.getMethods()) {
                if (limit.getReturnType() == IwarpDevice.Builder.class) {
                    Object value = IwarpDevice.class.getMethod(limit.getName()).invoke(defaults);
                    settings.put(limit.getName(), text(value));
                }
            }
            return settings;
        }
        for (Method setting : defaults.getClass().getDeclaredMethods()) {
            if (isSetting(setting)) {
                Object value = setting.invoke(defaults);
                // What consists of settings itself, or is the application's own, has no default to show.
                boolean plain = value != null && !SETTINGS.contains(value.getClass());
                settings.put(setting.getName(), plain ? text(value) : "");
            }
        }
        return settings;
    }

    /** A setting is read by a method without parameters that is not one of those that every class of settings has. */
    private static boolean isSetting(Method method) {
        int modifiers = method.getModifiers();
        return Modifier.isPublic(modifiers)
                && !Modifier.isStatic(modifiers)
                && method.getParameterCount() == 0
                && !NOT_SETTINGS.contains(method.getName());
    }

    private static String text(Object value) {
        return value.equals(Long.MAX_VALUE) ? "no limit" : value.toString();
    }
}
