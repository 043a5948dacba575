package io.iwarp.conformance.judge;

import io.iwarp.conformance.wire.Dialogue;
import io.iwarp.conformance.wire.Rule;
import io.iwarp.conformance.wire.Wire;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs cases one after the other, and looks after each one whether the peer still lives. What the peer sends in any
 * case is compared with all {@linkplain Rule rules}. The cases of the rules come last and report the violations.
 */
public final class Runner {
    private static final int ATTEMPTS = 3;
    /** The id of the case that stands in the results alone if the peer completes no ping. */
    public static final String FIRST_PING = "ping.first";

    /** Why a rule is skipped that would judge what the peer never sent. */
    public static final String NOTHING_SEEN = "nothing seen: the peer sent nothing that this rule judges";

    /** Why cases about the bounds of memory are skipped; a run in which this happens is not whole. */
    public static final String NO_BOUNDS = Capabilities.NO_BOUNDS;

    private static final Case FIRST =
            Case.must(FIRST_PING, "the peer completes a ping", "RDMAP-33 RDMAP-71", session -> {});

    private final SuiteOptions options;
    private final Link link;
    private final KnownDeviations known;
    private final @Nullable Restart restart;
    private final Consumer<Result> listener;
    private final RuleBook rules = new RuleBook();
    private final List<Result> results = new ArrayList<>();
    private Capabilities capabilities = Capabilities.unknown();

    /** Brings back a peer that is dead. */
    @FunctionalInterface
    public interface Restart {
        /** Starts the peer again. It may return before the peer serves. */
        void run() throws IOException;
    }

    /**
     * @param restart or null if a peer that dies ends the run
     * @param listener gets each result at once
     */
    public Runner(
            SuiteOptions options,
            Link link,
            KnownDeviations known,
            @Nullable Restart restart,
            Consumer<Result> listener) {
        this.options = options;
        this.link = link;
        this.known = known;
        this.restart = restart;
        this.listener = listener;
    }

    /**
     * Runs all of them. If the peer completes no ping, there is the result of {@code ping.first} alone, with what did
     * come, and those of the rules that it broke.
     *
     * @param required what the peer has to support
     * @throws IOException if the peer cannot be reached; the message is one line for the user
     */
    public List<Result> run(List<Case> cases, Set<Support> required) throws IOException {
        if (begin()) {
            required.forEach(this::require);
            runAll(cases);
        }
        for (Rule rule : Rule.values()) {
            if (rules.broken(rule) != null
                    && results.stream().noneMatch(result -> result.test().rule() == rule)) {
                add(judge(Case.of(rule), rule));
            }
        }
        return results;
    }

    private void require(Support support) {
        Case test = support.asCase();
        String lack = capabilities.lack(support);
        add(
                lack == null
                        ? Result.passed(test, 0)
                        : Result.failed(test, new CaseFailed(lack, support.text()), new Dialogue(), 0)
                                .orKnown(known, options.role()));
    }

    private void runAll(List<Case> cases) {
        String dead = null;
        for (Case test : cases) {
            Optional<String> lack = capabilities.lacks(test);
            Rule rule = test.rule();
            boolean broken = rule != null && rules.broken(rule) != null;
            if (rule != null && (broken || (dead == null && lack.isEmpty()))) {
                add(judge(test, rule));
            } else if (dead != null || lack.isPresent()) {
                add(Result.skipped(test, dead != null ? dead : lack.orElseThrow()));
            } else {
                dead = run(test);
            }
        }
    }

    private void add(Result result) {
        results.add(result);
        listener.accept(result);
    }

    /** Returns whether the peer completes pings; what it can do is known then. */
    private boolean begin() throws IOException {
        try {
            capabilities = Capabilities.probe(options, size -> open("a question what the peer can do", size));
            return true;
        } catch (Capabilities.Unanswered e) {
            String output = link.output().strip();
            CaseFailed failure = e.failure();
            if (!output.isEmpty()) {
                failure = new CaseFailed(
                        failure.seen() + "; it printed: " + output,
                        failure.allowed(),
                        failure.entry(),
                        failure.offset());
            }
            add(Result.failed(FIRST, failure, e.dialogue(), 0));
        }
        return false;
    }

    private Session open(String name, int size) {
        return new Session(options, link, size, name, rules, capabilities);
    }

    private Result judge(Case test, Rule rule) {
        RuleBook.Broken broken = rules.broken(rule);
        if (broken == null) {
            return rules.judged(rule) ? Result.passed(test, 0) : Result.skipped(test, NOTHING_SEEN);
        }
        return Result.failed(test, broken.failure(), broken.dialogue(), 0).orKnown(known, options.role());
    }

    /** Returns why no further case can run, or null. */
    private @Nullable String run(Case test) {
        Result result = outcome(test);
        // A client is started afresh for each case: one that passed says that the next one can start.
        boolean suspicious = options.role() == Role.SERVER || result.failed();
        if (!suspicious || recovers()) {
            add(result);
            return null;
        }
        add(result.killed().orKnown(known, options.role()));
        String failure = revive();
        return failure == null ? null : "the peer does not serve any more since " + test.id() + failure;
    }

    private Result outcome(Case test) {
        long start = System.nanoTime();
        Session session = open(test.id(), test.size());
        CaseFailed failure;
        try (session) {
            test.body().run(session);
            return Result.passed(test, millis(start));
        } catch (CaseFailed e) {
            failure = e;
        } catch (CaseSkipped e) {
            return Result.skipped(test, String.valueOf(e.getMessage()));
        } catch (IOException e) {
            failure = new CaseFailed("the connection broke: " + e.getMessage(), "an exchange as described");
        } catch (RuntimeException e) {
            // A case that cannot decode what came fails alone: the run goes on.
            failure = CaseFailed.undecodable(e);
        }
        return Result.failed(test, failure, session.dialogue(), millis(start)).orKnown(known, options.role());
    }

    private static long millis(long start) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    }

    /** Returns whether a fresh ping works. */
    private boolean alive() {
        try (Session session = open("a ping between two cases", Case.DEFAULT_SIZE)) {
            session.establish().awaitIdle().completePing();
            return true;
        } catch (CaseFailed | IOException | RuntimeException e) {
            return false;
        }
    }

    /** Returns whether a ping works within some time: a peer may need to give something up first. */
    private boolean recovers() {
        try {
            for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
                if (alive()) {
                    return true;
                }
                Wire.pause(options.patience().dividedBy(2));
            }
        } catch (IOException e) {
            return false;
        }
        return false;
    }

    /** Returns null if the peer serves again, otherwise how a restart failed. */
    private @Nullable String revive() {
        if (restart == null) {
            return "";
        }
        try {
            restart.run();
        } catch (IOException e) {
            return "; " + e.getMessage();
        }
        return recovers() ? null : "; a restart did not help";
    }
}
