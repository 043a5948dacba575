package io.iwarp.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.netty.channel.ChannelHandler;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Netty looks at the methods of handlers by reflection, so a native image has to be told of each handler. */
class NativeImageTest {
    private static final List<String> MODULES = List.of("mpa-codec", "ddp-handler", "rdmap-ext", "verbs");
    private static final Pattern NAME = Pattern.compile("\"name\": \"([^\"]+)\"");

    private static Set<String> configured() throws IOException {
        Set<String> names = new TreeSet<>();
        for (String module : MODULES) {
            String file = "/META-INF/native-image/io.iwarp/iwarp-" + module + "/reflect-config.json";
            try (InputStream config = NativeImageTest.class.getResourceAsStream(file)) {
                String json = new String(Objects.requireNonNull(config, file).readAllBytes(), StandardCharsets.UTF_8);
                NAME.matcher(json).results().forEach(name -> names.add(name.group(1)));
            }
        }
        return names;
    }

    @Test
    void everyHandlerIsNamed() throws IOException {
        Set<String> handlers = new ClassFileImporter()
                        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                        .importPackages(
                                "io.iwarp.internal.mpa",
                                "io.iwarp.internal.transport",
                                "io.iwarp.ddp",
                                "io.iwarp.rdmap",
                                "io.iwarp.verbs")
                        .stream()
                        .filter(type -> type.isAssignableTo(ChannelHandler.class))
                        .map(JavaClass::getName)
                        .collect(Collectors.toCollection(TreeSet::new));
        assertThat(configured()).isEqualTo(handlers);
    }
}
