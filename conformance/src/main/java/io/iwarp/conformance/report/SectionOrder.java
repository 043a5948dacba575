package io.iwarp.conformance.report;

import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sections in the order of their numbers: 4.10 comes after 4.9. */
enum SectionOrder implements Comparator<String> {
    /** The only one. */
    INSTANCE;

    private static final Pattern NUMBER = Pattern.compile("\\d+");
    private static final int DIGITS = 6;

    @Override
    public int compare(String left, String right) {
        return key(left).compareTo(key(right));
    }

    private static String key(String text) {
        StringBuilder key = new StringBuilder();
        Matcher numbers = NUMBER.matcher(text);
        while (numbers.find()) {
            numbers.appendReplacement(
                    key, "0".repeat(Math.max(0, DIGITS - numbers.group().length())) + numbers.group());
        }
        return numbers.appendTail(key).toString();
    }
}
