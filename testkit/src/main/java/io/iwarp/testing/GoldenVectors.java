package io.iwarp.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The golden bytes of {@code vectors.txt}. They come from the figures of RFC 5044 and from an encoder that shares no
 * code with this project. So an error of the stack's encoder cannot hide behind the same error of its decoder.
 */
public final class GoldenVectors {
    private static final Pattern TITLE = Pattern.compile("#\\s+(.*\\S)\\s+\\((\\d+) octets\\)");
    private static final Map<String, byte[]> VECTORS = parse(text());

    private GoldenVectors() {}

    /** Returns all titles, in the order of the file. */
    public static Set<String> titles() {
        return VECTORS.keySet();
    }

    /**
     * Returns a copy of the bytes under a title.
     *
     * @param title the title without its length, or a beginning that only this title has
     * @throws NoSuchElementException if there is no such title, or more than one
     */
    public static byte[] bytes(String title) {
        byte[] exact = VECTORS.get(title);
        if (exact != null) {
            return exact.clone();
        }
        List<Map.Entry<String, byte[]>> candidates = VECTORS.entrySet().stream()
                .filter(vector -> vector.getKey().startsWith(title))
                .toList();
        if (candidates.size() != 1) {
            throw new NoSuchElementException(
                    "\"" + title + "\" names " + candidates.size() + " vectors of " + titles());
        }
        return candidates.get(0).getValue().clone();
    }

    static Map<String, byte[]> parse(String text) {
        Map<String, byte[]> vectors = new LinkedHashMap<>();
        for (String block : text.split("\\R(?=#)", -1)) {
            Matcher title = TITLE.matcher(block);
            if (title.lookingAt()) {
                byte[] bytes =
                        HexFormat.of().parseHex(block.substring(title.end()).replaceAll("\\s", ""));
                if (bytes.length != Integer.parseInt(title.group(2))) {
                    throw new IllegalStateException(title.group() + " has " + bytes.length);
                }
                if (vectors.put(title.group(1), bytes) != null) {
                    throw new IllegalStateException("twice: " + title.group(1));
                }
            }
        }
        return vectors;
    }

    private static String text() {
        try (InputStream in = GoldenVectors.class.getResourceAsStream("vectors.txt")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
