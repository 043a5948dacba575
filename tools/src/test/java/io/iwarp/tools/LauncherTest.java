package io.iwarp.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
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
        assertThat(launch(Map.of("PATH", onlyTheseTools("dirname", "readlink", "sed"))))
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

    @Test
    void optionsOfTheJvmAreNotNamesOfFiles() throws Exception {
        jar("lib/iwarp.jar");
        Files.createFile(folder.resolve("-Da=b"));
        assertThat(launch(Map.of("JAVA_HOME", jdk.toString(), "IWARP_OPTS", "-Da=*"))
                        .output())
                .startsWith("<-Da=*> <-jar>");
    }

    @Test
    void theFirstCallInACheckoutBuildsTheCommandWithALineForEachStep() throws Exception {
        maven(BUILD);
        launcher = Files.createSymbolicLink(folder.resolve("link"), Path.of("my tools/bin/iwarp"));

        Result first = launch(checkout(), "demo");

        assertThat(first.exitCode()).isEqualTo(3);
        assertThat(first.output().lines())
                .containsExactly(
                        "iwarp: builds the command, once, which takes some seconds; the first time Maven fetches"
                                + " some 35 MB more",
                        "iwarp:   1/2  iWARP core",
                        "iwarp:   2/2  iWARP command",
                        "<-jar> <" + built() + "> <demo>");
        assertThat(builds()).containsExactly("-B -ntp -T 1C -Dmaven.test.skip -pl tools -am package");
        assertThat(launch(checkout(), "demo").output()).isEqualTo("<-jar> <" + built() + "> <demo>");
        assertThat(builds()).hasSize(1);
    }

    @Test
    void sourcesThatAreNewerAreMentioned() throws Exception {
        maven(BUILD);
        launch(checkout());
        Path source =
                Files.createDirectories(root().resolve("core/src/main/java")).resolve("A.java");
        Path test =
                Files.createDirectories(root().resolve("core/src/test/java")).resolve("ATest.java");
        Instant afterBuild = Files.getLastModifiedTime(built()).toInstant().plusSeconds(1);

        Files.setLastModifiedTime(Files.createFile(test), FileTime.from(afterBuild));
        assertThat(launch(checkout()).output()).isEqualTo("<-jar> <" + built() + ">");

        Files.setLastModifiedTime(Files.createFile(source), FileTime.from(afterBuild));
        assertThat(launch(checkout()).output().lines())
                .containsExactly(
                        "iwarp: sources are newer than the command; to build it again: (cd '" + root()
                                + "' && mvn -B -ntp -T 1C -Dmaven.test.skip -pl tools -am package)",
                        "<-jar> <" + built() + ">");
    }

    @Test
    void withoutMavenItAsksForOne() throws Exception {
        String path = onlyTheseTools("dirname", "readlink", "sed", "head", "mkdir", "rm");
        assertThat(launch(Map.of("JAVA_HOME", jdk.toString(), "PATH", path)))
                .isEqualTo(
                        new Result(2, "iwarp: there is no mvn, which builds the command: install Maven 3.8 or newer"));
        assertThat(lock()).doesNotExist();
    }

    @Test
    void withoutACompilerItAsksForAJdk() throws Exception {
        maven(BUILD);
        Path java = jdk.resolve("bin/java");
        Files.writeString(java, Files.readString(java).replace("jdk.compiler", "java.base"));
        assertThat(launch(checkout()))
                .isEqualTo(new Result(
                        2,
                        "iwarp: " + java + " has no compiler, which builds the command: install a JDK 17 or newer,"
                                + " or set JAVA_HOME"));
        assertThat(lock()).doesNotExist();
    }

    @Test
    void aBuildThatFailsShowsItsErrorsAndIsTriedAgainByTheNextCall() throws Exception {
        maven("echo '[ERROR] A.java:[1,2] cannot find symbol'; exit 1");
        Result failed = launch(checkout());
        assertThat(failed.exitCode()).isEqualTo(2);
        assertThat(failed.output().lines().skip(1))
                .containsExactly(
                        "  A.java:[1,2] cannot find symbol",
                        "  Maven ended with status 1",
                        "iwarp: the build failed; all that Maven printed is in " + log());
        assertThat(log()).content().contains("cannot find symbol");

        maven(BUILD);
        assertThat(launch(checkout()).exitCode()).isEqualTo(3);
    }

    @Test
    void aMissingNetworkIsReported() throws Exception {
        maven("echo '[ERROR] Could not transfer artifact a:b:1: Unknown host repo'; exit 1");
        Result failed = launch(checkout());
        assertThat(failed.exitCode()).isEqualTo(2);
        assertThat(failed.output().lines().skip(1))
                .containsExactly("iwarp: Maven could not fetch what it needs: check the network, or the proxy in"
                        + " ~/.m2/settings.xml; all that it printed is in " + log());
    }

    @Test
    void aCheckoutThatCannotBeWrittenToIsNamed() throws Exception {
        maven(BUILD);
        // Root may write to every folder, but not into a file.
        Files.createFile(root().resolve("target"));
        assertThat(launch(checkout()))
                .isEqualTo(new Result(
                        2,
                        "iwarp: cannot build the command, because " + root().resolve("target")
                                + " cannot be written to: copy the checkout to a folder of your own"));
    }

    @Test
    void twoAtTheSameTimeBuildOnce() throws Exception {
        Path go = folder.resolve("go");
        maven("until [ -e '" + go + "' ]; do sleep 0.05; done; " + BUILD);
        Process builder = start(checkout(), "one");
        try (BufferedReader builderOutput = builder.inputReader()) {
            assertThat(builderOutput.readLine()).startsWith("iwarp: builds the command");
            Process waiter = start(checkout(), "two");
            try (BufferedReader waiterOutput = waiter.inputReader()) {
                assertThat(waiterOutput.readLine())
                        .isEqualTo("iwarp: waits for process " + builder.pid()
                                + ", which builds the command; if it does not, remove " + lock());
                Files.createFile(go);
                assertThat(waiterOutput.readLine()).isEqualTo("<-jar> <" + built() + "> <two>");
            }
            assertThat(builderOutput.lines().reduce((first, last) -> last)).contains("<-jar> <" + built() + "> <one>");
        }
        assertThat(builds()).hasSize(1);
    }

    @Test
    void aTerminatedBuildEndsWithTheStatusOfTheSignal() throws Exception {
        Path go = folder.resolve("go");
        maven("until [ -e '" + go + "' ]; do sleep 0.05; done; " + BUILD);
        Process builder = start(checkout());
        try (BufferedReader output = builder.inputReader()) {
            assertThat(output.readLine()).startsWith("iwarp: builds the command");

            builder.toHandle().destroy();
            Files.createFile(go);

            assertThat(builder.waitFor()).isEqualTo(143);
        }
        assertThat(built()).doesNotExist();
        assertThat(lock()).doesNotExist();
    }

    @Test
    void windowsLauncherStartsNoJarOfAnInterruptedBuild() throws IOException {
        assertThat(Files.readAllLines(Path.of("..", "iwarp.bat")))
                .containsSubsequence(
                        "set \"JAR=%HERE%tools\\target\\iwarp.jar\"",
                        "if exist \"%LOCK%\" goto locked", "if exist \"%JAR%\" goto start", "rmdir \"%LOCK%\"");
    }

    @Test
    void anInterruptedBuildIsDoneAgain() throws Exception {
        maven(BUILD);
        Process gone = new ProcessBuilder("true").start();
        gone.waitFor();
        Files.createDirectories(lock().getParent());
        Files.writeString(lock(), gone.pid() + "\n");
        Files.createDirectories(built().getParent());
        Files.writeString(built(), "half of a jar");

        assertThat(launch(checkout()).exitCode()).isEqualTo(3);
        assertThat(builds()).hasSize(1);
        assertThat(built()).isEmptyFile();
        assertThat(lock()).doesNotExist();
    }

    @Test
    void windowsLauncherQuotesPathsOutsideBlocks() throws IOException {
        assertThat(Files.readAllLines(Path.of("..", "iwarp.bat")))
                .allSatisfy(line -> assertThat(line)
                        .doesNotEndWith("(")
                        .doesNotContainPattern("\\s%(HERE|JAR|JAVA|JAVA_HOME|LOCK|~dp0)%?"));
    }

    @ParameterizedTest
    @CsvSource({"17.0.15, -XX:ArchiveClassesAtExit, -XX:SharedArchiveFile", "25.0.1, -XX:AOTCacheOutput, -XX:AOTCache"})
    void classCacheIsUsedUntilTheJarIsNewer(String version, String create, String use) throws Exception {
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

    /** What the Maven of a test does that builds the command. */
    private static final String BUILD = """
            echo '[INFO] Building iWARP core 0.1.0-SNAPSHOT                 [1/2]'
            echo '[INFO] Building jar: core.jar'
            echo '[INFO] Building iWARP command 0.1.0-SNAPSHOT              [2/2]'
            mkdir -p tools/target && : >tools/target/iwarp.jar""";

    private Path root() {
        return folder.resolve("my tools/bin");
    }

    private Path built() {
        return root().resolve("tools/target/iwarp.jar");
    }

    private Path log() {
        return root().resolve("target/iwarp-build.log");
    }

    private Path lock() {
        return root().resolve("target/iwarp-build");
    }

    private Map<String, String> checkout() {
        return Map.of("JAVA_HOME", jdk.toString(), "PATH", folder.resolve("maven") + ":" + System.getenv("PATH"));
    }

    private List<String> builds() throws IOException {
        return Files.readAllLines(folder.resolve("builds"));
    }

    private void maven(String script) throws IOException {
        Path mvn = Files.createDirectories(folder.resolve("maven")).resolve("mvn");
        Files.writeString(mvn, "#!/bin/sh\necho \"$*\" >>'" + folder.resolve("builds") + "'\n" + script + "\n");
        Files.setPosixFilePermissions(mvn, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** Returns a PATH with these programs alone. */
    private String onlyTheseTools(String... names) throws IOException {
        Path tools = Files.createDirectory(folder.resolve("tools"));
        for (String name : names) {
            try (Stream<Path> found = Stream.of("/usr/bin", "/bin").map(place -> Path.of(place, name))) {
                Files.createSymbolicLink(
                        tools.resolve(name),
                        found.filter(Files::isExecutable).findFirst().orElseThrow());
            }
        }
        return tools.toString();
    }

    private Path jar(String place) throws IOException {
        Path jar = folder.resolve("my tools").resolve(place);
        Files.createDirectories(jar.getParent());
        return Files.createFile(jar);
    }

    /** Returns a JDK whose java prints its arguments and ends with 3. */
    private Path jdk(String version) throws IOException {
        Path home = folder.resolve("jdk-" + version);
        Path java = Files.createDirectories(home.resolve("bin")).resolve("java");
        Files.writeString(java, """
                #!/bin/sh
                if [ "$1" = --list-modules ]; then echo jdk.compiler@17; exit; fi
                if [ "$1" = -version ]; then echo 'openjdk version "%s" 2024-04-16' >&2; exit; fi
                [ $# -eq 0 ] || printf '<%%s>' "$1"; shift
                [ $# -eq 0 ] || printf ' <%%s>' "$@"
                exit 3
                """.formatted(version));
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
        return home;
    }

    private Result launch(Map<String, String> environment, String... arguments) throws Exception {
        Process process = start(environment, arguments);
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Result(process.waitFor(), output.strip());
    }

    private Process start(Map<String, String> environment, String... arguments) throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(Stream.concat(Stream.of("/bin/sh", launcher.toString()), Stream.of(arguments))
                        .toList());
        builder.environment().remove("JAVA_HOME");
        builder.environment().remove("IWARP_OPTS");
        builder.environment().remove("IWARP_CACHE");
        builder.environment().putAll(environment);
        return builder.directory(folder.toFile()).redirectErrorStream(true).start();
    }
}
