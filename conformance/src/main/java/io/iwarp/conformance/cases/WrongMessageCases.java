package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.CaseFailed;
import io.iwarp.conformance.judge.Level;
import io.iwarp.conformance.judge.Need;
import io.iwarp.conformance.judge.PeerStream;
import io.iwarp.conformance.judge.Role;
import io.iwarp.conformance.wire.Segment;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The rows of {@code wrong-messages.tsv}: a {@linkplain MessageSpec message} that is wrong, and the errors of which the
 * peer has to report one. The cases {@code rdmap.terminate.error.*} are at SHOULD: where the RFCs allow several errors,
 * or an end of the stream without a Terminate, other cases take them all, and these ask for the error that says most.
 */
final class WrongMessageCases {
    private static final String RESOURCE = "/io/iwarp/conformance/wrong-messages.tsv";
    private static final int COLUMNS = 8;

    private WrongMessageCases() {}

    /**
     * A row.
     *
     * @param id of the case, in which {@code {}} is a value, and {@code {x}} the same without 0x
     * @param spec of the message; <code>{}</code> is the value
     * @param errors of a Terminate, {@code end} for an end of any kind, {@code terminate} for any Terminate, or
     *     {@code none} for an end without a Terminate
     */
    private record Row(
            String id,
            Level level,
            String spec,
            List<String> values,
            List<String> errors,
            String requirements,
            List<Need> needs,
            String text) {
        static Row parse(String line) {
            String[] cells = line.split("\t", -1);
            if (cells.length != COLUMNS) {
                throw new IllegalStateException(
                        RESOURCE + " has a line of " + cells.length + " instead of " + COLUMNS + " cells: " + line);
            }
            return new Row(
                    cells[0],
                    Level.valueOf(cells[1]),
                    cells[2],
                    words(cells[3], Function.identity()),
                    words(cells[4], Function.identity()),
                    cells[5],
                    words(cells[6], Need::valueOf),
                    cells[7]);
        }

        private static <T> List<T> words(String cell, Function<String, T> parse) {
            return Stream.of(cell.split(" ", -1))
                    .filter(word -> !word.equals("-"))
                    .map(parse)
                    .toList();
        }

        Stream<Case> cases() {
            return values.isEmpty() ? Stream.of(test("")) : values.stream().map(this::test);
        }

        private Case test(String value) {
            String title = put(text, value) + " is refused: " + String.join(" or ", errors);
            Case test = Case.onIdle(put(id, value), title, requirements, stream -> {
                List<Segment> segments = MessageSpec.on(stream, put(spec, value));
                if (segments.size() == 1) {
                    stream.sendAtFault(segments.get(0));
                } else {
                    stream.sendAtOnce(segments, "a message in " + segments.size() + " segments");
                }
                judge(stream);
            });
            return test.needs(needs.toArray(Need[]::new)).level(level);
        }

        private static String put(String text, String value) {
            String plain = value.startsWith("0x") ? value.substring(2) : value;
            return text.replace("{x}", plain).replace("{}", value);
        }

        private void judge(PeerStream stream) throws IOException, CaseFailed {
            switch (errors.get(0)) {
                case "end" -> stream.expectEndOfAnyKind();
                case "terminate" -> stream.expect(Segment.TERMINATE);
                case "none" -> stream.expectBareEnd();
                default -> stream.expectReport(errors.toArray(String[]::new));
            }
        }
    }

    /** Returns the cases. */
    static List<Case> all(Role role) {
        try (InputStream in = Objects.requireNonNull(WrongMessageCases.class.getResourceAsStream(RESOURCE), RESOURCE);
                BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            return lines.lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(Row::parse)
                    .filter(row -> role == Role.SERVER || !MessageSpec.isForServers(row.spec()))
                    .flatMap(Row::cases)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
