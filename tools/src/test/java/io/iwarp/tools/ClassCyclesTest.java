package io.iwarp.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which types of one package refer to each other in a circle: those that are named here, each of which
 * {@code docs/architecture.md} explains, and no other. Nested types count as a part of the type around them.
 */
@AnalyzeClasses(packages = "io.iwarp", importOptions = ImportOption.DoNotIncludeTests.class)
class ClassCyclesTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "architecture.md");

    private static final Set<String> PACKAGES = Set.of(
            "io.iwarp",
            "io.iwarp.memory",
            "io.iwarp.metrics",
            "io.iwarp.internal",
            "io.iwarp.internal.memory",
            "io.iwarp.internal.metrics",
            "io.iwarp.internal.mpa",
            "io.iwarp.internal.transport",
            "io.iwarp.transport",
            "io.iwarp.mpa",
            "io.iwarp.ddp",
            "io.iwarp.rdmap",
            "io.iwarp.verbs");

    private static final Set<Set<String>> ONE_IDEA_EACH = Set.of(
            in("io.iwarp.verbs", "Completion", "CompletionView"),
            in(
                    "io.iwarp.verbs",
                    "QueuePair",
                    "QueuePairListener",
                    "CompletionListener",
                    "CompletionPort",
                    "CompletionQueue",
                    "CompletionQueueListener",
                    "MessageListener",
                    "SharedReceiveQueue",
                    "SharedReceiveQueueListener"),
            in("io.iwarp.internal.transport", "TransportHandler", "LocalTransportHandler", "TlsTransportHandler"),
            in(
                    "io.iwarp.memory",
                    "IwarpDevice",
                    "MemoryRegion",
                    "MemoryWindow",
                    "ProtectionDomain",
                    "RegionBuilder",
                    "WindowBuilder"),
            in(
                    "io.iwarp.internal.memory",
                    "DefaultIwarpDevice",
                    "DefaultLocalBuffer",
                    "DefaultMemoryRegion",
                    "DefaultMemoryWindow",
                    "DefaultProtectionDomain",
                    "DefaultRegionBuilder",
                    "DefaultWindowBuilder",
                    "STagTable",
                    "StreamAssociation",
                    "TaggedBuffer"));

    private static Set<String> in(String packageName, String... names) {
        Set<String> types = new TreeSet<>();
        for (String name : names) {
            types.add(packageName + "." + name);
        }
        return types;
    }

    @ArchTest
    static void noTypesOfAPackageFormACircleButThoseThatAreOneIdea(JavaClasses classes) {
        assertThat(PACKAGES).allMatch(classes::containPackage);
        assertThat(circles(referencesWithinPackages(classes))).isEqualTo(ONE_IDEA_EACH);
    }

    @ArchTest
    static void theArchitectureNamesTheTypesOfEachCircle(JavaClasses classes) throws IOException {
        String document = Files.readString(DOCUMENT);
        for (Set<String> circle : ONE_IDEA_EACH) {
            assertThat(circle)
                    .allMatch(type -> document.contains('`' + classes.get(type).getSimpleName() + '`'));
        }
    }

    private static Map<String, Set<String>> referencesWithinPackages(JavaClasses classes) {
        Map<String, Set<String>> references = new TreeMap<>();
        for (JavaClass type : classes) {
            if (PACKAGES.contains(type.getPackageName())) {
                Set<String> named = references.computeIfAbsent(outermost(type), name -> new TreeSet<>());
                for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                    JavaClass target = dependency.getTargetClass().getBaseComponentType();
                    if (target.getPackageName().equals(type.getPackageName())) {
                        named.add(outermost(target));
                    }
                }
            }
        }
        return references;
    }

    private static String outermost(JavaClass type) {
        JavaClass outermost = type;
        while (outermost.getEnclosingClass().isPresent()) {
            outermost = outermost.getEnclosingClass().get();
        }
        return outermost.getName();
    }

    /** Two types are of one circle if each reaches the other. */
    private static Set<Set<String>> circles(Map<String, Set<String>> references) {
        Map<String, Set<String>> reached = new TreeMap<>();
        references.keySet().forEach(type -> reached.put(type, reachedFrom(type, references)));
        Set<Set<String>> circles = new HashSet<>();
        reached.forEach((type, others) -> {
            Set<String> circle = new TreeSet<>(others);
            circle.removeIf(other -> !reached.getOrDefault(other, Set.of()).contains(type));
            circle.add(type);
            if (circle.size() > 1) {
                circles.add(circle);
            }
        });
        return circles;
    }

    private static Set<String> reachedFrom(String start, Map<String, Set<String>> references) {
        Set<String> reached = new TreeSet<>();
        Deque<String> open = new ArrayDeque<>(Set.of(start));
        while (!open.isEmpty()) {
            for (String next : references.getOrDefault(open.remove(), Set.of())) {
                if (reached.add(next)) {
                    open.add(next);
                }
            }
        }
        return reached;
    }
}
