package io.iwarp.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.internal.Setting;
import io.iwarp.internal.memory.DefaultIwarpDevice;
import io.iwarp.memory.DomainLimits;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.verbs.IwarpChannelInitializer;
import io.iwarp.verbs.QueuePairSettings;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code docs/configuration.md} has each setting with its default and range, and no other. */
class ConfigurationDocumentTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "configuration.md");
    private static final Pattern ROW = Pattern.compile("^\\| `(\\w+)` \\|([^|]*)\\|([^|]*)\\|", Pattern.MULTILINE);

    @ParameterizedTest
    @ValueSource(
            classes = {
                QueuePairSettings.class,
                MpaSettings.class,
                IwarpChannelInitializer.class,
                DefaultIwarpDevice.class,
                DomainLimits.class
            })
    void eachSettingStandsThereWithItsDefaultAndRange(Class<?> type) throws Exception {
        assertThat(documented(type.getSimpleName().replace("Default", "")))
                .containsExactlyInAnyOrderElementsOf(actual(type));
    }

    private static List<List<String>> documented(String title) throws Exception {
        String text = Files.readString(DOCUMENT);
        int begin = text.indexOf("## " + title + "\n");
        assertThat(begin).as("the section on " + title).isNotNegative();
        int end = text.indexOf("\n## ", begin);
        return ROW.matcher(text.substring(begin, end < 0 ? text.length() : end))
                .results()
                .map(row ->
                        List.of(row.group(1), row.group(2).strip(), row.group(3).strip()))
                .toList();
    }

    private static List<List<String>> actual(Class<?> type) throws ReflectiveOperationException {
        List<List<String>> settings = new ArrayList<>();
        for (Field field : type.getDeclaredFields()) {
            if (field.getType() == Setting.class) {
                field.setAccessible(true);
                Setting<?> setting = (Setting<?>) field.get(null);
                settings.add(List.of(setting.name(), text(setting), setting.range()));
            }
        }
        return settings;
    }

    /** Returns the default as the page shows it: none for the nested settings and for values of the application. */
    private static String text(Setting<?> setting) {
        Object value = setting.defaultValue();
        if (value == null || value instanceof MpaSettings) {
            return "";
        }
        if (value.equals(Long.MAX_VALUE)) {
            return "no limit";
        }
        return value instanceof Number || value instanceof Duration ? Setting.text(value) : value.toString();
    }
}
