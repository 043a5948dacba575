package io.iwarp.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * How large a class of the library may be. A larger one is named in the list of {@code docs/architecture.md}, which says why
 * it is better so.
 */
@AnalyzeClasses(packages = "io.iwarp", importOptions = ImportOption.DoNotIncludeTests.class)
class ClassSizesTest {
    private static final int MOST_PUBLIC_METHODS = 30;
    private static final int MOST_FIELDS = 12;
    private static final int MOST_LINES = 400;
    private static final List<String> MODULES = List.of("core", "mpa-codec", "ddp-handler", "rdmap-ext", "verbs");
    private static final Path DOCUMENT = Path.of("..", "docs", "architecture.md");

    @ArchTest
    static void noPublicClassHasMorePublicMethodsThanAReaderCanOverlook(JavaClasses classes) throws IOException {
        Map<String, Long> larger = larger(
                classes,
                MOST_PUBLIC_METHODS,
                type -> type.getModifiers().contains(JavaModifier.PUBLIC)
                        ? type.getAllMethods().stream()
                                .filter(method -> !method.getOwner().isEquivalentTo(Object.class))
                                .filter(method -> method.getModifiers().contains(JavaModifier.PUBLIC)
                                        && !method.getModifiers().contains(JavaModifier.SYNTHETIC))
                                .filter(method -> inLibrary(method.getOwner()))
                                .map(JavaMember::getFullName)
                                .distinct()
                                .count()
                        : 0);
        requireNamed(larger);
    }

    @ArchTest
    static void noClassHasMoreFieldsThanAReaderCanKeepInMind(JavaClasses classes) throws IOException {
        requireNamed(larger(
                classes,
                MOST_FIELDS,
                type -> type.getFields().stream()
                        .filter(field -> !field.getModifiers().contains(JavaModifier.STATIC))
                        .filter(ClassSizesTest::isWritten)
                        .count()));
    }

    @Test
    void noFileIsLongerThanAReaderReadsInOneGo() throws IOException {
        Map<String, Long> larger = new TreeMap<>();
        for (String module : MODULES) {
            try (Stream<Path> files = Files.walk(Path.of("..", module, "src", "main", "java"))) {
                for (Path file :
                        files.filter(path -> path.toString().endsWith(".java")).toList()) {
                    long lines = Files.readAllLines(file).size();
                    if (lines > MOST_LINES) {
                        larger.put(file.getFileName().toString().replace(".java", ""), lines);
                    }
                }
            }
        }
        requireNamed(larger);
    }

    private static Map<String, Long> larger(JavaClasses classes, long most, ToLongFunction<JavaClass> size) {
        Map<String, Long> larger = new TreeMap<>();
        for (JavaClass type : classes) {
            if (inLibrary(type) && size.applyAsLong(type) > most) {
                larger.put(nameInPackage(type), size.applyAsLong(type));
            }
        }
        return larger;
    }

    private static String nameInPackage(JavaClass type) {
        return type.getName().substring(type.getPackageName().length() + 1).replace('$', '.');
    }

    private static boolean isWritten(JavaField field) {
        return !field.getModifiers().contains(JavaModifier.SYNTHETIC);
    }

    private static boolean inLibrary(JavaClass type) {
        return Stream.of("memory", "metrics", "internal", "transport", "mpa", "ddp", "rdmap", "verbs")
                        .anyMatch(name -> type.getPackageName().equals("io.iwarp." + name))
                || type.getPackageName().equals("io.iwarp");
    }

    private static void requireNamed(Map<String, Long> larger) throws IOException {
        String text = Files.readString(DOCUMENT);
        String list = text.substring(text.indexOf("### Large classes"));
        assertThat(larger.keySet())
                .as("classes that are larger than the rule allows, " + larger + ": split them by subject, or say in "
                        + "docs/architecture.md why they are better so")
                .allSatisfy(name -> assertThat(list).contains("`" + name + "`"));
    }
}
