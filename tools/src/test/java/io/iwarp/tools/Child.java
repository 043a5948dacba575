package io.iwarp.tools;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command in a process of its own, which has standard streams, options of the JVM, and can be killed. */
public final class Child {
    private Child() {}

    /** Returns the process to start, whose stderr is that of the tests. */
    public static ProcessBuilder command(String... arguments) {
        return command(List.of(), arguments).redirectError(ProcessBuilder.Redirect.INHERIT);
    }

    static ProcessBuilder command(List<String> jvmOptions, String... arguments) {
        List<String> words = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData",
                "-cp",
                System.getProperty("java.class.path")));
        words.addAll(jvmOptions);
        words.add("io.iwarp.tools.Iwarp");
        words.addAll(List.of(arguments));
        return new ProcessBuilder(words);
    }
}
