package io.iwarp.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The whole programs in the documentation, as their readers use them: each is a module of its own that requires the libraries
 * and nothing of this build, compiled with all warnings, and run. It must print what stands in the block behind it.
 */
@Timeout(120)
class DocumentedProgramsTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern PROGRAM = Pattern.compile(
            "```java\\n((?:(?!```).)*?public final class (\\w+)(?:(?!```).)*?static void main.*?)```.*?```\\n(.*?)```",
            Pattern.DOTALL);
    private static final Pattern LIBRARY = Pattern.compile(
            ".*(?:(?:/core|/mpa-codec|/ddp-handler|/rdmap-ext)/target/classes|/iwarp-(?:core|mpa-codec|ddp-handler|rdmap-ext)-[^/]*|"
                    + "/(?:jspecify|apiguardian-api|slf4j-api|bc(?:prov|pkix|util)-jdk18on)-\\d[^/]*|"
                    + "/netty-(?:buffer|common|transport|transport-native-unix-common|resolver|handler|codec-base|codec-http|"
                    + "codec-compression|pkitesting)-\\d[^/]*)");
    /** What a program requires beside the stack, by the packages that it imports. */
    private static final Map<String, String> MODULES = Map.of(
            "io.netty.handler.codec", "io.netty.codec",
            "io.netty.handler.codec.http", "io.netty.codec.http",
            "io.netty.handler.ssl", "io.netty.handler",
            "io.netty.pkitesting", "io.netty.pkitesting");

    private static final long PATIENCE_SECONDS = 60;

    @TempDir
    private Path folder;

    @ParameterizedTest(name = "{0} of {1}")
    @MethodSource("programs")
    void isCompiledAsAModuleAndPrintsWhatIsSaid(String name, Path document, String code, String output)
            throws Exception {
        write("module-info.java", descriptor(code));
        write("org/example/" + name + ".java", "package org.example;\n\n" + code);
        compile(name);
        assertThat(run(name)).as("output of %s in %s", name, document).containsAll(lines(output));
    }

    static Stream<Arguments> programs() throws IOException {
        List<Arguments> programs = new ArrayList<>();
        for (Path document : documents()) {
            Matcher program = PROGRAM.matcher(Files.readString(document));
            while (program.find()) {
                programs.add(arguments(program.group(2), document, program.group(1), program.group(3)));
            }
        }
        return programs.stream();
    }

    private static List<Path> documents() throws IOException {
        try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
            return Stream.concat(Stream.of(ROOT.resolve("README.md")), docs.sorted())
                    .filter(file -> file.toString().endsWith(".md"))
                    .toList();
        }
    }

    private static String descriptor(String code) {
        return MODULES.entrySet().stream()
                .filter(module -> code.contains("import " + module.getKey() + '.'))
                .map(module -> " requires " + module.getValue() + ';')
                .collect(Collectors.joining("", "module org.example { requires io.iwarp.rdmap;", " }"));
    }

    private void write(String file, String text) throws IOException {
        Path target = folder.resolve("source").resolve(file);
        Files.createDirectories(target.getParent());
        Files.writeString(target, text);
    }

    private void compile(String name) {
        StringWriter complaints = new StringWriter();
        List<String> options = List.of("--release", "17", "-Xlint:all", "-p", libraries(), "-d", classes());
        Path source = folder.resolve("source");
        var compiler = ToolProvider.getSystemJavaCompiler();
        var files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)
                .getJavaFileObjects(
                        source.resolve("module-info.java"), source.resolve("org/example/" + name + ".java"));

        boolean compiled =
                compiler.getTask(complaints, null, null, options, null, files).call();

        assertThat(compiled).as(complaints.toString()).isTrue();
        assertThat(complaints.toString()).isEmpty();
    }

    private List<String> run(String name) throws Exception {
        Path printed = folder.resolve("printed");
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Process program = new ProcessBuilder(
                        java,
                        "-p",
                        libraries() + File.pathSeparator + classes(),
                        "-m",
                        "org.example/org.example." + name)
                .redirectErrorStream(true)
                .redirectOutput(printed.toFile())
                .start();
        try {
            assertThat(program.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .as("ended")
                    .isTrue();
        } finally {
            program.destroyForcibly();
        }
        List<String> lines = Files.readAllLines(printed);
        assertThat(program.exitValue()).as(String.join("\n", lines)).isZero();
        return lines;
    }

    private String classes() {
        return folder.resolve("classes").toString();
    }

    private static String libraries() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry ->
                        LIBRARY.matcher(entry.replace(File.separatorChar, '/')).matches())
                .filter(entry -> !entry.endsWith("-tests.jar"))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static List<String> lines(String output) {
        return output.lines().toList();
    }
}
