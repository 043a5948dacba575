package io.iwarp.tools.file;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command in a process of its own, which has standard streams and can be killed. */
final class Child {
    private Child() {}

    static ProcessBuilder command(String... arguments) {
        List<String> words = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:-UsePerfData",
                "-cp",
                System.getProperty("java.class.path"),
                "io.iwarp.tools.Iwarp"));
        words.addAll(List.of(arguments));
        return new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT);
    }
}
