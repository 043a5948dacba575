package io.iwarp.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Duration;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class SettingsTest {
    private static final Duration DAY = Duration.ofHours(24);
    private static final Setting<Integer> DEPTH = Setting.within("depth", 128, 1, 65_536);
    private static final Setting<Long> BYTES = Setting.atLeast("bytes", Long.MAX_VALUE, 1000L);
    private static final Setting<Duration> TIMEOUT =
            Setting.within("timeout", Duration.ofSeconds(10), Duration.ofMillis(1), DAY);
    private static final Setting<Duration> IDLE = Setting.orZero("idle", Duration.ZERO, DAY);
    private static final Setting<String> WORD = Setting.of("word", "", "letters", word -> !word.contains(" "));
    private static final Setting<@Nullable String> NOTE = Setting.optional("note");

    static Stream<Arguments> allowed() {
        return Stream.of(
                Arguments.of(DEPTH, 1),
                Arguments.of(DEPTH, 65_536),
                Arguments.of(BYTES, 1000L),
                Arguments.of(BYTES, Long.MAX_VALUE),
                Arguments.of(TIMEOUT, Duration.ofMillis(1)),
                Arguments.of(TIMEOUT, DAY),
                Arguments.of(IDLE, Duration.ZERO),
                Arguments.of(IDLE, Duration.ofMillis(1)),
                Arguments.of(IDLE, DAY),
                Arguments.of(WORD, "word"),
                Arguments.of(NOTE, "any"));
    }

    @ParameterizedTest
    @MethodSource("allowed")
    <T> void aSettingKeepsEachValueOfItsRange(Setting<T> setting, T value) {
        assertThat(Settings.DEFAULT.with(setting, value).get(setting)).isEqualTo(value);
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                Arguments.of(DEPTH, 0, "depth: 0 (expected: 1 to 65,536)"),
                Arguments.of(DEPTH, 65_537, "depth: 65537 (expected: 1 to 65,536)"),
                Arguments.of(BYTES, 999L, "bytes: 999 (expected: at least 1,000)"),
                Arguments.of(TIMEOUT, Duration.ZERO, "timeout: PT0S (expected: 1 ms to 24 h)"),
                Arguments.of(TIMEOUT, DAY.plusNanos(1), "timeout: PT24H0.000000001S (expected: 1 ms to 24 h)"),
                Arguments.of(IDLE, Duration.ofNanos(1), "idle: PT0.000000001S (expected: 1 ms to 24 h, or 0)"),
                Arguments.of(IDLE, DAY.plusNanos(1), "idle: PT24H0.000000001S (expected: 1 ms to 24 h, or 0)"),
                Arguments.of(IDLE, Duration.ofMillis(-1), "idle: PT-0.001S (expected: 1 ms to 24 h, or 0)"),
                Arguments.of(WORD, "two words", "word: two words (expected: letters)"));
    }

    @ParameterizedTest
    @MethodSource("refused")
    <T> void anyOtherValueIsRefusedWithNameValueAndRange(Setting<T> setting, T value, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Settings.DEFAULT.with(setting, value))
                .withMessage(message);
    }

    @ParameterizedTest
    @CsvSource({"PT0S, 0", "PT0.001S, 1 ms", "PT1.5S, 1500 ms", "PT90S, 90 s", "PT1M, 1 min", "PT1H, 1 h", "P1D, 24 h"})
    void aTimeIsSaidInTheLargestUnitThatFits(Duration least, String text) {
        assertThat(Setting.atLeast("time", DAY, least).range()).isEqualTo("at least " + text);
    }

    @Test
    void noValueIsRefusedUnlessItIsTheDefault() {
        assertThatNullPointerException()
                .isThrownBy(() -> Settings.DEFAULT.with(WORD, null))
                .withMessage("word is null");
        assertThat(Settings.DEFAULT.with(NOTE, "any").with(NOTE, null)).isEqualTo(Settings.DEFAULT);
    }

    @Test
    void aDefaultThatWasSetIsKnownAsSet() {
        assertThat(Settings.DEFAULT.isSet(DEPTH)).isFalse();
        assertThat(Settings.DEFAULT.with(DEPTH, 128).isSet(DEPTH)).isTrue();
        assertThat(Settings.DEFAULT.with(DEPTH, 128)).hasToString("{}");
    }

    @Test
    void settingsAreEqualIfTheirValuesAre() {
        Settings settings = Settings.DEFAULT.with(DEPTH, 3).with(WORD, "word");

        assertThat(settings).hasToString("{depth=3, word=word}");
        assertThat(settings)
                .isEqualTo(Settings.DEFAULT.with(WORD, "word").with(DEPTH, 3))
                .hasSameHashCodeAs(Settings.DEFAULT.with(WORD, "word").with(DEPTH, 3))
                .isNotEqualTo(Settings.DEFAULT.with(DEPTH, 3));
        assertThat(settings.with(DEPTH, 128).with(WORD, "")).isEqualTo(Settings.DEFAULT);
        assertThat(Settings.DEFAULT.get(DEPTH))
                .as("these settings never change")
                .isEqualTo(128);
    }
}
