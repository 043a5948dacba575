package io.iwarp.conformance.judge;

import java.io.IOException;
import java.util.List;

/**
 * One thing that a peer has to do.
 *
 * @param id unique, such as {@code mpa.request.key.3}
 * @param title what the suite does and what it expects, in one line
 * @param level of the strongest requirement
 * @param requirements ids in the list of requirements
 * @param needs without which it is skipped
 * @param size of the buffer that the peer's client is asked for
 * @param body what is done
 */
public record Case(
        String id, String title, Level level, List<String> requirements, List<Need> needs, int size, Body body) {
    /** The size of rping's buffers by default. */
    public static final int DEFAULT_SIZE = 64;

    /** What a case does. It returns if the peer did what it has to. */
    @FunctionalInterface
    public interface Body {
        /** Talks to the peer. */
        void run(Session session) throws IOException, CaseFailed, CaseSkipped;
    }

    /** {@return a case that a MUST asks for} */
    public static Case must(String id, String title, String requirements, Body body) {
        return new Case(id, title, Level.MUST, List.of(requirements.split(" ")), List.of(), DEFAULT_SIZE, body);
    }

    /** {@return a case that a SHOULD asks for} */
    public static Case should(String id, String title, String requirements, Body body) {
        return new Case(id, title, Level.SHOULD, List.of(requirements.split(" ")), List.of(), DEFAULT_SIZE, body);
    }

    /** {@return the same case, skipped unless all of this is there} */
    public Case needs(Need... wanted) {
        return new Case(id, title, level, requirements, List.of(wanted), size, body);
    }

    /** {@return the same case with another size of the client's buffer} */
    public Case size(int bytes) {
        return new Case(id, title, level, requirements, needs, bytes, body);
    }
}
