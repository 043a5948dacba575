package io.iwarp.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.iwarp.ConnectionClosedException;
import io.iwarp.examples.write.WriteClient;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Uses each example as its readers do: copies its folder into an empty module that requires the libraries and nothing
 * of this build, compiles it with all warnings, and runs it. Each example is compiled once.
 */
class ExamplesTest {
    private static final Path ROOT = Path.of("..");
    private static final Path EXAMPLES = Path.of("src/main/java/io/iwarp/examples");
    /** Examples that need a newer JDK than the build. */
    private static final Path NEWER_EXAMPLES = Path.of("src/main/java22/io/iwarp/examples");

    private static final int MAX_FILES = 4;
    private static final int MAX_LINES = 300;
    /** A whole server, to be read in an hour. It is tested as part of this build. */
    private static final String LARGE = "kv";

    private static final int MAX_FILES_OF_LARGE = 5;
    private static final int MAX_LINES_OF_LARGE = 1500;
    private static final int MAX_LINES_OF_THE_FIRST_PROGRAM = 50;
    private static final int MAX_LINES_OF_ECHO = 75;

    private static final int MAX_LINES_OF_THE_POM = 25;

    private static final Path PAGE = ROOT.resolve("docs/getting-started.md");
    /** The pages whose programs are run. */
    private static final List<Path> PAGES = List.of(PAGE, ROOT.resolve("docs/recipes.md"));

    private static final Pattern CODE = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern LISTING =
            Pattern.compile("```java\\n((?:(?!```).)*?public final class (\\w+).*?)```", Pattern.DOTALL);
    private static final Pattern EXCERPT =
            Pattern.compile("[Ff]rom\\s\\[\\w+]\\(([^)]+)\\)[^.:]*:\\n\\n```java\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern OUTPUT =
            Pattern.compile("\\b(\\w+)(?:]\\([^)]+\\))? prints:\\n\\n```\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern LIBRARY =
            Pattern.compile(".*(?:(?:/core|/mpa-codec|/ddp-handler|/rdmap-ext|/verbs)/target/classes|/iwarp-(?:core"
                    + "|mpa-codec|ddp-handler|rdmap-ext|verbs)-[^/]*|"
                    + "/(?:jspecify|apiguardian-api|slf4j-api|bc(?:prov|pkix|util)-jdk18on)-\\d[^/]*|"
                    + "/netty-(?:buffer|common|transport|transport-native-unix-common|resolver|handler"
                    + "|codec-base|codec-http|codec-compression|pkitesting)-\\d[^/]*)");
    /** What a program requires beside the stack, by the packages that it imports. */
    private static final Map<String, String> MODULES = Map.of(
            "io.netty.handler.codec", "io.netty.codec",
            "io.netty.handler.codec.http", "io.netty.codec.http",
            "io.netty.handler.flow", "io.netty.handler",
            "io.netty.handler.ssl", "io.netty.handler",
            "io.netty.pkitesting", "io.netty.pkitesting");

    private static final long PATIENCE_SECONDS = 60;

    /** A module for each example. */
    @TempDir
    private static Path modules;

    @TempDir
    private Path folder;

    private final List<Process> servers = new ArrayList<>();

    @AfterEach
    void endServers() throws InterruptedException {
        for (Process server : servers) {
            server.destroyForcibly().waitFor();
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("examples")
    void isSmallEnoughToBeCopied(String example) throws IOException {
        List<Path> files = sources(EXAMPLES, example);
        boolean large = example.equals(LARGE);
        assertThat(files).hasSizeBetween(1, large ? MAX_FILES_OF_LARGE : MAX_FILES);
        int lines = 0;
        for (Path file : files) {
            lines += Files.readAllLines(file).size();
        }
        assertThat(lines).isLessThanOrEqualTo(large ? MAX_LINES_OF_LARGE : MAX_LINES);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("programs")
    void programPrintsWhatItsPageSays(String name, String output) throws Exception {
        String example = exampleWith(name + ".java");
        copy(example);
        assertThat(run(example, name)).as("output of %s", name).containsAll(lines(output));
    }

    @Test
    void pagesHaveTheOutputOfEachProgramThatNeedsNoOther() throws IOException {
        assertThat(programs().map(program -> program.get()[0]))
                .containsExactlyInAnyOrder(
                        "FirstSteps",
                        "ServerPush",
                        "BesideHttp",
                        "BlockingClients",
                        "MutualTls",
                        "Restart",
                        "Records",
                        "Quorum",
                        "Snapshot",
                        "GiveUp");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("excerpts")
    void excerptIsPartOfItsExample(String file, String excerpt) throws IOException {
        assertThat(Files.readString(PAGE.resolveSibling(file)).indent(-100)).contains(excerpt.indent(-100));
    }

    /** The handler of a capture is no program; it is to be pasted into one. */
    @Test
    void codeOfThePagesIsAProgramOrAnExcerptOrACapture() throws IOException {
        List<String> known = Stream.concat(
                        listings().map(each -> each.get()[1]), excerpts().map(each -> each.get()[1]))
                .map(String.class::cast)
                .toList();
        assertThat(found(CODE).map(each -> each.group(1)))
                .allMatch(code -> known.contains(code) || code.contains("PcapWriteHandler"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("listings")
    void listingIsAnExample(String name, String code) throws IOException {
        String example = exampleWith(name + ".java");
        assertThat(Files.readString(EXAMPLES.resolve(example).resolve(name + ".java")))
                .isEqualTo("package io.iwarp.examples." + example + ";\n\n" + code);
    }

    @Test
    void theFirstProgramIsShortAndThatOfTheJavadoc() throws IOException {
        String code =
                Files.readString(EXAMPLES.resolve("firststeps/FirstSteps.java")).replaceFirst("package .*;\n\n", "");
        assertThat(Files.readString(PAGE)).contains("```java\n" + code + "```");
        assertThat(Files.readString(ROOT.resolve("docs/javadoc/overview.html")))
                .contains("{@code\n" + code + "}</pre>");
        assertThat(code.lines()).hasSizeLessThanOrEqualTo(MAX_LINES_OF_THE_FIRST_PROGRAM);
    }

    @Test
    void echoIsShort() throws IOException {
        int lines = 0;
        for (Path file : sources(EXAMPLES, "echo")) {
            lines += Files.readAllLines(file).size();
        }
        assertThat(lines).isLessThanOrEqualTo(MAX_LINES_OF_ECHO);
    }

    @Test
    void theDocumentedPomIsShortAndHasTheVersionsOfThisBuild() throws IOException {
        String build = Files.readString(ROOT.resolve("pom.xml"));
        String page = Files.readString(PAGE);
        String pom = page.substring(page.indexOf("<project "), page.indexOf("</project>") + "</project>".length());
        assertThat(pom.lines()).hasSizeLessThanOrEqualTo(MAX_LINES_OF_THE_POM);
        assertThat(pom)
                .containsPattern(versionOf("iwarp-verbs", between(build, "<version>", "</version>")))
                .containsPattern(versionOf("slf4j-simple", property(build, "slf4j.version")));
        String netty = property(build, "netty.version");
        assertThat(page)
                .contains(
                        "`io.netty:netty-bom:" + netty + "`",
                        "`netty.version` to " + netty,
                        "newer maven-compiler-plugin for modules, for example "
                                + property(build, "maven-compiler-plugin.version"));
    }

    private static String versionOf(String artifact, String version) {
        return artifact + "</artifactId>\\s*<version>" + Pattern.quote(version + "</version>");
    }

    private static String property(String build, String name) {
        return between(build, "<" + name + ">", "</" + name + ">");
    }

    private static String between(String text, String begin, String end) {
        int from = text.indexOf(begin) + begin.length();
        return text.substring(from, text.indexOf(end, from));
    }

    @Test
    void echo() throws Exception {
        copy("echo");
        String port = serve("echo", "EchoServer", "0");
        assertThat(run("echo", "EchoClient", "127.0.0.1", port, "hello", "", "world"))
                .containsExactly("echo: hello", "echo: ", "echo: world");
    }

    @Test
    void write() throws Exception {
        copy("write");
        Path source = Files.write(folder.resolve("f"), content(3_000_000));
        Path target = Files.createDirectory(folder.resolve("target"));
        String port = serve("write", "WriteServer", target.toString(), "0");
        assertThat(run("write", "WriteClient", "127.0.0.1", port, source.toString()))
                .containsExactly("the server says: stored");
        assertThat(target.resolve("f")).hasSameBinaryContentAs(source);
        assertThat(target).isDirectoryNotContaining("glob:**.part");
    }

    @Test
    @DisabledOnOs(OS.WINDOWS) // has no such files
    void writeServerRefusesNamesOfNoPlainFile() throws Exception {
        copy("write");
        Path target = Files.createDirectory(folder.resolve("target"));
        Path directory = Files.createDirectory(target.resolve("directory"));
        String port = serve("write", "WriteServer", target.toString(), "0");
        for (String name : List.of("directory", "a\u001b[31mb", "a\nb", "-rf", ".hidden")) {
            String source = Files.write(folder.resolve(name), content(10)).toString();
            // Called here, since a JVM for each name takes a second of a processor.
            assertThatThrownBy(() -> WriteClient.main(new String[] {"127.0.0.1", port, source}))
                    .as(name)
                    .hasCauseInstanceOf(ConnectionClosedException.class);
        }
        assertThat(exitStatus(
                        "write",
                        "WriteClient",
                        "127.0.0.1",
                        port,
                        folder.resolve(".hidden").toString()))
                .isEqualTo(1);
        assertThat(target).isDirectoryContaining("glob:**/directory");
        assertThat(directory).isEmptyDirectory();
        try (Stream<Path> files = Files.list(target)) {
            assertThat(files).containsExactly(directory);
        }
    }

    @Test
    void readClientLeavesItsTargetIfItCannotConnect() throws Exception {
        copy("read");
        Path target = Files.write(folder.resolve("copy"), content(10));
        try (Socket refusing = new Socket()) { // bound, so that no other process listens there
            refusing.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            String closed = Integer.toString(refusing.getLocalPort());
            assertThat(exitStatus("read", "ReadClient", "127.0.0.1", closed, target.toString()))
                    .isEqualTo(1);
        }
        assertThat(target).hasSize(10);
    }

    @ParameterizedTest
    @CsvSource({"echo, Echo", "counter, Counter", "write, Write", "read, Read"})
    void serverEndsIfItCannotListenAndClientIfItHasNoArguments(String example, String name) throws Exception {
        copy(example);
        Path file = Files.write(folder.resolve("f"), content(10));
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("localhost"))) {
            String port = Integer.toString(taken.getLocalPort());
            String first =
                    Map.of("write", folder.toString(), "read", file.toString()).getOrDefault(example, port);
            assertThat(exitStatus(example, name + "Server", first, port)).isEqualTo(1);
        }
        assertThat(exitStatus(example, name + "Client")).isEqualTo(2);
    }

    @Test
    void read() throws Exception {
        copy("read");
        Path source = Files.write(folder.resolve("f"), content(3_000_000));
        Path target = folder.resolve("copy");
        String port = serve("read", "ReadServer", source.toString(), "0");
        assertThat(run("read", "ReadClient", "127.0.0.1", port, target.toString()))
                .containsExactly("read 3000000 bytes");
        assertThat(target).hasSameBinaryContentAs(source);
    }

    @Test
    void counter() throws Exception {
        copy("counter");
        String port = serve("counter", "CounterServer", "0");
        assertThat(run("counter", "CounterClient", "127.0.0.1", port, "1000"))
                .containsExactly("added 1000, the counter is now at least 1000");
        assertThat(run("counter", "CounterClient", "127.0.0.1", port, "1"))
                .containsExactly("added 1, the counter is now at least 1001");
    }

    @Test
    @EnabledForJreRange(minVersion = 22)
    void segments() throws Exception {
        copy(NEWER_EXAMPLES, "segments", 22);
        assertThat(run("segments", "Segments"))
                .containsExactly(
                        "the last number of the memory is 1",
                        "the last number of the file is 2",
                        "the file has 2147483656 bytes");
    }

    static Set<String> examples() throws IOException {
        try (Stream<Path> folders = Files.list(EXAMPLES)) {
            return folders.map(each -> each.getFileName().toString()).collect(Collectors.toCollection(TreeSet::new));
        }
    }

    static Stream<Arguments> programs() throws IOException {
        return found(OUTPUT).map(each -> arguments(each.group(1), each.group(2)));
    }

    static Stream<Arguments> listings() throws IOException {
        List<Arguments> listings = new ArrayList<>();
        for (Path document : documents()) {
            for (MatchResult listing :
                    LISTING.matcher(Files.readString(document)).results().toList()) {
                listings.add(arguments(listing.group(2), listing.group(1)));
            }
        }
        return listings.stream();
    }

    private static List<Path> documents() throws IOException {
        try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
            return Stream.concat(Stream.of(ROOT.resolve("README.md")), docs.sorted())
                    .filter(file -> file.toString().endsWith(".md"))
                    .toList();
        }
    }

    static Stream<Arguments> excerpts() throws IOException {
        return found(EXCERPT).map(each -> arguments(each.group(1), each.group(2)));
    }

    private static Stream<MatchResult> found(Pattern pattern) throws IOException {
        List<MatchResult> found = new ArrayList<>();
        for (Path page : PAGES) {
            found.addAll(pattern.matcher(Files.readString(page)).results().toList());
        }
        return found.stream();
    }

    private static String exampleWith(String file) throws IOException {
        return examples().stream()
                .filter(example -> Files.exists(EXAMPLES.resolve(example).resolve(file)))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no example has " + file));
    }

    private static List<Path> sources(Path examples, String example) throws IOException {
        try (Stream<Path> files = Files.list(examples.resolve(example))) {
            return files.toList();
        }
    }

    private static void copy(String example) throws IOException {
        copy(EXAMPLES, example, 17);
    }

    /** Makes a module of the folder, and compiles it. */
    private static void copy(Path examples, String example, int release) throws IOException {
        Path module = modules.resolve(example);
        if (Files.exists(classes(example))) {
            return;
        }
        Path source =
                Files.createDirectories(module.resolve("io/iwarp/examples").resolve(example));
        List<Path> all = new ArrayList<>();
        StringBuilder code = new StringBuilder();
        for (Path file : sources(examples, example)) {
            all.add(Files.copy(file, source.resolve(file.getFileName())));
            code.append(Files.readString(file));
        }
        all.add(Files.writeString(module.resolve("module-info.java"), descriptor(code.toString())));

        StringWriter complaints = new StringWriter();
        List<String> options = List.of(
                "--release",
                Integer.toString(release),
                "-Xlint:all",
                "-p",
                libraries(),
                "-d",
                classes(example).toString());
        var compiler = ToolProvider.getSystemJavaCompiler();
        var fileManager = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
        boolean compiled = compiler.getTask(
                        complaints, null, null, options, null, fileManager.getJavaFileObjectsFromPaths(all))
                .call();
        assertThat(compiled).as(complaints.toString()).isTrue();
        assertThat(complaints.toString()).isEmpty();
    }

    private static String descriptor(String code) {
        return MODULES.entrySet().stream()
                .filter(module -> code.contains("import " + module.getKey() + '.'))
                .map(module -> " requires " + module.getValue() + ';')
                .distinct()
                .collect(Collectors.joining("", "module org.example { requires io.iwarp.verbs;", " }"));
    }

    private ProcessBuilder command(String example, String program, String... arguments) {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String main = "org.example/io.iwarp.examples." + example + '.' + program;
        List<String> command =
                new ArrayList<>(List.of(java, "-p", libraries() + File.pathSeparator + classes(example)));
        // Short programs are done before the optimizing compiler pays off.
        command.addAll(
                List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:MaxDirectMemorySize=3g", "-m", main));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command);
    }

    private Process start(String example, String program, String... arguments) throws IOException {
        return command(example, program, arguments)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("printed by " + program).toFile())
                .start();
    }

    private int exitStatus(String example, String program, String... arguments) throws Exception {
        Process process = start(example, program, arguments);
        try {
            assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .as("%s ended", program)
                    .isTrue();
        } finally {
            process.destroyForcibly();
        }
        return process.exitValue();
    }

    /** Returns the lines that a program printed, which must succeed. */
    private List<String> run(String example, String program, String... arguments) throws Exception {
        int status = exitStatus(example, program, arguments);
        List<String> printed = Files.readAllLines(folder.resolve("printed by " + program));
        assertThat(status).as(String.join("\n", printed)).isZero();
        return printed.stream().filter(line -> !line.startsWith("SLF4J")).toList();
    }

    /** Starts a server, and returns its port. */
    private String serve(String example, String program, String... arguments) throws Exception {
        Process server = command(example, program, arguments)
                .redirectError(folder.resolve("errors of " + program).toFile())
                .start();
        servers.add(server);
        String listening = server.inputReader().readLine();
        assertThat(listening).startsWith("listening on port ");
        return listening.replaceFirst(".* ", "");
    }

    private static byte[] content(int length) {
        byte[] content = new byte[length];
        new Random(1).nextBytes(content);
        return content;
    }

    private static Path classes(String example) {
        return modules.resolve(example).resolve("classes");
    }

    private static String libraries() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry ->
                        LIBRARY.matcher(entry.replace(File.separatorChar, '/')).matches())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static List<String> lines(String output) {
        return output.lines().toList();
    }
}
