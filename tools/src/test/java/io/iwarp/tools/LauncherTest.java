package io.iwarp.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The script at the root that starts the command, with a JDK that tells how it was called. */
@DisabledOnOs(OS.WINDOWS)
class LauncherTest {
    @TempDir
    private Path folder;

    private Path launcher;
    private Path jdk;

    private record Result(int exitCode, String output) {}

    @BeforeEach
    void layOut() throws IOException {
        launcher = Files.copy(
                Path.of("..", "iwarp"),
                Files.createDirectories(folder.resolve("my tools/bin")).resolve("iwarp"));
        jdk = jdk("17.0.15");
    }

    @Test
    void withoutTheJarItSaysHowToBuildIt() throws Exception {
        assertThat(launch(Map.of("JAVA_HOME", jdk.toString())))
                .isEqualTo(new Result(
                        2,
                        "iwarp: the jar is not built yet: run mvn -B -ntp -q -DskipTests package in "
                                + launcher.getParent()));
    }

    @Test
    void aJavaHomeWithoutJavaIsNamed() throws Exception {
        jar("lib/iwarp.jar");
        assertThat(launch(Map.of("JAVA_HOME", folder.resolve("none").toString())))
                .isEqualTo(new Result(
                        2,
                        "iwarp: JAVA_HOME is " + folder.resolve("none")
                                + ", which has no bin/java: set it to a JDK 17 or newer, or unset it"));
    }

    @Test
    void withoutAnyJavaItAsksForOne() throws Exception {
        jar("lib/iwarp.jar");
        Path tools = Files.createDirectory(folder.resolve("tools"));
        for (String tool : List.of("dirname", "readlink", "sed")) {
            try (Stream<Path> found = Stream.of("/usr/bin", "/bin").map(place -> Path.of(place, tool))) {
                Files.createSymbolicLink(
                        tools.resolve(tool),
                        found.filter(Files::isExecutable).findFirst().orElseThrow());
            }
        }
        assertThat(launch(Map.of("PATH", tools.toString())))
                .isEqualTo(new Result(2, "iwarp: there is no java: install a JDK 17 or newer, or set JAVA_HOME"));
    }

    @Test
    void aJavaThatIsTooOldIsNamedWithItsVersion() throws Exception {
        jar("lib/iwarp.jar");
        for (String version : List.of("1.8.0_402", "11.0.22", "16")) {
            Path old = jdk(version);
            assertThat(launch(Map.of("JAVA_HOME", old.toString())))
                    .isEqualTo(new Result(
                            2,
                            "iwarp: " + old.resolve("bin/java") + " is Java " + version
                                    + ": a JDK 17 or newer is needed, set JAVA_HOME to one"));
        }
    }

    @Test
    void startsTheJarOfADistributionWithAllArguments() throws Exception {
        Path jar = jar("lib/iwarp.jar");
        assertThat(launch(Map.of("JAVA_HOME", jdk.toString(), "IWARP_OPTS", "-Xmx1g -Da=b"), "perf", "a b", ""))
                .isEqualTo(new Result(
                        3,
                        "<-Xmx1g> <-Da=b> <-jar> <" + launcher.getParent().resolve("../lib/iwarp.jar")
                                + "> <perf> <a b> <>"));
        assertThat(jar).exists();
    }

    @Test
    void startsTheJarOfACheckoutThroughALink() throws Exception {
        jar("bin/tools/target/iwarp.jar");
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("my tools/bin/iwarp"));
        launcher = link;
        assertThat(launch(Map.of("JAVA_HOME", jdk.toString()), "demo"))
                .isEqualTo(
                        new Result(3, "<-jar> <" + folder.resolve("my tools/bin/tools/target/iwarp.jar") + "> <demo>"));
    }

    @ParameterizedTest
    @CsvSource({"17.0.15, -XX:ArchiveClassesAtExit, -XX:SharedArchiveFile", "25.0.1, -XX:AOTCacheOutput, -XX:AOTCache"})
    void aCacheIsCreatedOnRequestAndUsedByTheSameJdkUntilTheJarIsNewer(String version, String create, String use)
            throws Exception {
        Path jar = jar("lib/iwarp.jar");
        String home = jdk(version).toString();
        String plain = "<-jar> <" + launcher.getParent().resolve("../lib/iwarp.jar") + ">";
        Path cache = launcher.getParent().resolve("../lib/iwarp-" + version + ".cache");
        assertThat(launch(Map.of("JAVA_HOME", home, "IWARP_CACHE", "create")).output())
                .isEqualTo("<-Xlog:disable> <-Xlog:all=error:stderr> <" + create + "=" + cache + "> " + plain);
        assertThat(launch(Map.of("JAVA_HOME", home)).output()).isEqualTo(plain);

        Files.createFile(cache);
        Files.setLastModifiedTime(jar, FileTime.from(Instant.EPOCH));
        assertThat(launch(Map.of("JAVA_HOME", home)).output()).isEqualTo("<" + use + "=" + cache + "> " + plain);
        assertThat(launch(Map.of("JAVA_HOME", jdk("17.0.16").toString())).output())
                .isEqualTo(plain);

        Files.setLastModifiedTime(cache, FileTime.from(Instant.EPOCH.minusSeconds(1)));
        assertThat(launch(Map.of("JAVA_HOME", home)).output()).isEqualTo(plain);
    }

    private Path jar(String place) throws IOException {
        Path jar = folder.resolve("my tools").resolve(place);
        Files.createDirectories(jar.getParent());
        return Files.createFile(jar);
    }

    /** {@return a JDK whose java prints its arguments and ends with 3} */
    private Path jdk(String version) throws IOException {
        Path home = folder.resolve("jdk-" + version);
        Path java = Files.createDirectories(home.resolve("bin")).resolve("java");
        Files.writeString(java, """
                #!/bin/sh
                if [ "$1" = -version ]; then echo 'openjdk version "%s" 2024-04-16' >&2; exit; fi
                [ $# -eq 0 ] || printf '<%%s>' "$1"; shift
                [ $# -eq 0 ] || printf ' <%%s>' "$@"
                exit 3
                """.formatted(version));
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
        return home;
    }

    private Result launch(Map<String, String> environment, String... arguments) throws Exception {
        ProcessBuilder builder =
                new ProcessBuilder(Stream.concat(Stream.of("/bin/sh", launcher.toString()), Stream.of(arguments))
                        .toList());
        builder.environment().remove("JAVA_HOME");
        builder.environment().remove("IWARP_OPTS");
        builder.environment().remove("IWARP_CACHE");
        builder.environment().putAll(environment);
        Process process = builder.redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Result(process.waitFor(), output.strip());
    }
}
