package io.iwarp.conformance.judge;

import io.iwarp.conformance.wire.Rule;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One thing that a peer has to do.
 *
 * @param id unique, such as {@code mpa.request.key.3}
 * @param title what the suite does and what it expects, in one line
 * @param level of the strongest requirement
 * @param requirements ids in the list of requirements
 * @param needs without which it is skipped
 * @param size of the buffer that the peer's client is asked for
 * @param rule that the case holds against all that the peer has sent in the run, or null
 * @param body what is done
 */
public record Case(
        String id,
        String title,
        Level level,
        List<String> requirements,
        List<Need> needs,
        int size,
        @Nullable Rule rule,
        Body body) {
    /** The size of rping's buffers by default. */
    public static final int DEFAULT_SIZE = 64;

    /** What a case does. It returns if the peer did what it has to. */
    @FunctionalInterface
    public interface Body {
        /** Talks to the peer. */
        void run(Session session) throws IOException, CaseFailed, CaseSkipped;
    }

    /** What a case does on a stream on which the peer waits for a Send. */
    @FunctionalInterface
    public interface IdleBody {
        /** Talks to the peer. */
        void run(PeerStream stream) throws IOException, CaseFailed, CaseSkipped;
    }

    /** Returns a case that a MUST asks for, on a stream of its own. */
    public static Case onIdle(String id, String title, String requirements, IdleBody body) {
        return must(
                id, title, requirements, session -> body.run(session.establish().awaitIdle()));
    }

    /** Returns a case that a MUST asks for. */
    public static Case must(String id, String title, String requirements, Body body) {
        return new Case(id, title, Level.MUST, List.of(requirements.split(" ")), List.of(), DEFAULT_SIZE, null, body);
    }

    /** Returns a case that a SHOULD asks for. */
    public static Case should(String id, String title, String requirements, Body body) {
        return new Case(id, title, Level.SHOULD, List.of(requirements.split(" ")), List.of(), DEFAULT_SIZE, null, body);
    }

    /** Returns the case that holds a rule against all that the peer has sent in the run. */
    public static Case of(Rule rule) {
        return new Case(
                "rule." + rule.name().toLowerCase(Locale.ROOT).replace('_', '-'),
                "in all cases " + rule.text(),
                rule == Rule.TERMINATE_BITS_FIT_ITS_ERROR ? Level.SHOULD : Level.MUST,
                rule.requirements(),
                List.of(),
                DEFAULT_SIZE,
                rule,
                session -> {});
    }

    /** Returns the same case, skipped unless all of this is there. */
    public Case needs(Need... wanted) {
        return new Case(id, title, level, requirements, List.of(wanted), size, rule, body);
    }

    /** Returns the same case with another level. */
    public Case level(Level other) {
        return new Case(id, title, other, requirements, needs, size, rule, body);
    }

    /** Returns the same case with another size of the client's buffer. */
    public Case size(int bytes) {
        return new Case(id, title, level, requirements, needs, bytes, rule, body);
    }
}
