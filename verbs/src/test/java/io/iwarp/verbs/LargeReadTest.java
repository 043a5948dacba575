package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The largest Reads, in a virtual machine of their own with a heap of 64 MiB. They need 6 and 8 GiB of memory for the
 * two regions, so they run only when asked for; {@link GreatestReadTest} always runs:
 *
 * <pre>mvn -pl verbs -am test -Dtest=LargeReadTest -Dsurefire.failIfNoSpecifiedTests=false -Diwarp.largeRead=true</pre>
 */
@EnabledIfSystemProperty(named = "iwarp.largeRead", matches = "true")
@Timeout(1200)
class LargeReadTest {
    @ParameterizedTest
    @ValueSource(longs = {3L << 30, 0xffff_ffffL})
    void oneReadNeedsNoMemoryButTheTwoRegions(long length) throws Exception {
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-XX:MaxDirectMemorySize=" + (2 * length + LargeRead.MARGIN),
                        "-cp",
                        System.getProperty("java.class.path"),
                        LargeRead.class.getName(),
                        Long.toString(length)))
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        System.getLogger(LargeReadTest.class.getName()).log(System.Logger.Level.INFO, output);
        assertThat(process.waitFor()).as(output).isZero();
    }
}
