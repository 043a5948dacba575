package io.iwarp.tools.cli;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Suggests a correction for a misspelled word. */
public final class Spelling {
    /** The number of letters for each of which one mistake is tolerated. */
    private static final int LETTERS_PER_MISTAKE = 3;

    private Spelling() {}

    /** Returns the word that is most similar, if one is similar enough. */
    public static Optional<String> closest(String word, Collection<String> candidates) {
        int tolerated = Math.max(1, word.length() / LETTERS_PER_MISTAKE);
        return candidates.stream()
                .filter(candidate -> distance(word, candidate) <= tolerated)
                .min(Comparator.comparingInt((String candidate) -> distance(word, candidate))
                        .thenComparing(Comparator.naturalOrder()));
    }

    /** Returns how many letters are missing, superfluous, wrong, or exchanged with their neighbour. */
    public static int distance(String left, String right) {
        int[][] distance = new int[left.length() + 1][right.length() + 1];
        for (int i = 0; i <= left.length(); i++) {
            for (int j = 0; j <= right.length(); j++) {
                distance[i][j] = i == 0 || j == 0 ? i + j : cheapest(left, right, distance, i, j);
            }
        }
        return distance[left.length()][right.length()];
    }

    private static int cheapest(String left, String right, int[][] distance, int i, int j) {
        boolean same = left.charAt(i - 1) == right.charAt(j - 1);
        int least =
                Math.min(distance[i - 1][j - 1] + (same ? 0 : 1), Math.min(distance[i - 1][j], distance[i][j - 1]) + 1);
        boolean exchanged = i > 1
                && j > 1
                && left.charAt(i - 1) == right.charAt(j - 2)
                && left.charAt(i - 2) == right.charAt(j - 1);
        return exchanged ? Math.min(least, distance[i - 2][j - 2] + 1) : least;
    }
}
