package io.iwarp.requirements;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.conformance.Requirements;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/**
 * Every requirement is proven by a test that ran and passed or says why not; {@code target/conformance.md} says by
 * which. It runs after all other tests, in an execution of Surefire of its own.
 */
class ConformanceTest {
    private static final String VERIFY = "mvn -B -ntp -pl tools -am verify";

    private final Path root = root();
    private final Path document = root.resolve("docs").resolve("conformance.md");

    @Test
    void everyRequirementIsTestedOrExcused() throws IOException {
        Citations citations = citations();
        ConformanceTable table = table();
        Path page = root.resolve("target").resolve("conformance.md");
        Files.createDirectories(page.getParent());
        Files.writeString(page, table.page(citations));
        TestReports reports = new TestReports();
        for (Path module : modules()) {
            reports.readModule(module);
        }
        Set<String> unknown = new TreeSet<>(citations.classes());
        unknown.removeIf(reports::tells);
        assertThat(unknown)
                .as(
                        "classes with proofs of which there is no report since they were compiled. This test has"
                                + " to come after all others, as it does with: %s",
                        VERIFY)
                .isEmpty();
        assertThat(table.flaws(citations, citations.by(test -> reports.passed(test.type(), test.method()))))
                .as(
                        "the requirements and the excuses in %s against @Requirement in the tests that ran and passed",
                        document)
                .isEmpty();
    }

    @Test
    void theDocumentCountsTheRequirements() throws IOException {
        assertThat(Files.readString(document).lines().toList())
                .as("the counts in %s", document)
                .containsAll(table().counts());
    }

    private ConformanceTable table() throws IOException {
        return new ConformanceTable(Requirements.load().all(), Files.readString(document));
    }

    private Citations citations() throws IOException {
        try (StandardJavaFileManager files =
                ToolProvider.getSystemJavaCompiler().getStandardFileManager(null, null, null)) {
            List<Path> sources = modules().stream()
                    .map(module -> module.resolve(Path.of("src", "test", "java")))
                    .filter(Files::isDirectory)
                    .flatMap(ConformanceTest::javaFiles)
                    .toList();
            return Citations.of(files.getJavaFileObjectsFromPaths(sources));
        }
    }

    private List<Path> modules() throws IOException {
        try (Stream<Path> folders = Files.list(root)) {
            return folders.filter(Files::isDirectory).toList();
        }
    }

    private static Stream<Path> javaFiles(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The folder with Maven's settings of the whole build, here or further up. */
    private static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(folder.resolve(".mvn"))) {
            folder = folder.getParent();
        }
        return folder;
    }
}
