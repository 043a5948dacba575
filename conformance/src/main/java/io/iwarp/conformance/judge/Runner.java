package io.iwarp.conformance.judge;

import io.iwarp.conformance.wire.Wire;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs cases one after the other, and looks after each one whether the peer still lives. */
public final class Runner {
    private static final int ATTEMPTS = 3;

    private final SuiteOptions options;
    private final Link link;
    private final KnownDeviations known;
    private final @Nullable Restart restart;
    private final Consumer<Result> listener;

    /** Brings back a peer that is dead. */
    @FunctionalInterface
    public interface Restart {
        /** Starts the peer again. It may return before the peer serves. */
        void run() throws IOException;
    }

    /**
     * @param restart or null if a peer that dies ends the run
     * @param listener is told each result at once
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
     * Runs all of them.
     *
     * @throws IOException if the peer does not answer a ping at the beginning; the message is one line for the user
     */
    public List<Result> run(List<Case> cases) throws IOException {
        Capabilities capabilities = begin();
        List<Result> results = new ArrayList<>();
        String dead = null;
        for (Case test : cases) {
            Optional<String> lack = capabilities.lacks(test);
            Result result;
            if (dead != null) {
                result = skipped(test, dead);
            } else if (lack.isPresent()) {
                result = skipped(test, lack.get());
            } else {
                result = run(test);
                if (suspicious(result) && !recovers()) {
                    result = killed(result);
                    String failure = revive();
                    dead = failure == null ? null : "the peer does not serve any more since " + test.id() + failure;
                }
            }
            results.add(result);
            listener.accept(result);
        }
        return results;
    }

    private Capabilities begin() throws IOException {
        try {
            return Capabilities.probe(options, link);
        } catch (CaseFailed e) {
            String output = link.output().strip();
            throw new IOException(
                    "the peer does not complete a ping, so that no case can run. Seen: " + e.seen() + ". Allowed: "
                            + e.allowed() + (output.isEmpty() ? "" : ". It printed: " + output),
                    e);
        } catch (ConnectException | BindException e) {
            throw e;
        } catch (SocketException e) {
            throw new IOException(
                    "the peer does not complete a ping, so that no case can run: the connection broke: "
                            + e.getMessage(),
                    e);
        }
    }

    private Result run(Case test) {
        long start = System.nanoTime();
        Session session = new Session(options, link, test.size());
        Result.Status status = Result.Status.PASSED;
        String detail = "";
        String allowed = "";
        int entry = -1;
        int offset = -1;
        try (session) {
            test.body().run(session);
        } catch (CaseFailed e) {
            status = Result.Status.FAILED;
            detail = e.seen();
            allowed = e.allowed();
            entry = e.entry();
            offset = e.offset();
        } catch (CaseSkipped e) {
            status = Result.Status.SKIPPED;
            detail = String.valueOf(e.getMessage());
        } catch (IOException e) {
            status = Result.Status.FAILED;
            detail = "the connection broke: " + e.getMessage();
            allowed = "an exchange as described";
        }
        Optional<KnownDeviations.Known> why =
                status == Result.Status.FAILED ? known.find(options.role(), test.id()) : Optional.empty();
        if (why.isPresent()) {
            status = Result.Status.KNOWN;
        }
        boolean good = status == Result.Status.PASSED || status == Result.Status.SKIPPED;
        return new Result(
                test,
                status,
                detail,
                allowed,
                why.orElse(null),
                good ? List.of() : session.dialogue().lines(entry, offset),
                good ? List.of() : session.dialogue().entries(),
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
    }

    private static Result skipped(Case test, String reason) {
        return new Result(test, Result.Status.SKIPPED, reason, "", null, List.of(), List.of(), 0);
    }

    /** A client is started afresh for each case: one that passed says that the next one can start. */
    private boolean suspicious(Result result) {
        return options.role() == Role.SERVER
                || result.status() == Result.Status.FAILED
                || result.status() == Result.Status.KNOWN;
    }

    /** {@return whether a fresh ping works} */
    private boolean alive() {
        try (Session session = new Session(options, link, Case.DEFAULT_SIZE)) {
            session.establish().awaitIdle().completePing();
            return true;
        } catch (CaseFailed | IOException e) {
            return false;
        }
    }

    private Result killed(Result result) {
        Optional<KnownDeviations.Known> why =
                known.find(options.role(), result.test().id());
        String detail = (result.detail().isEmpty() ? "" : result.detail() + "; ") + "after it the peer serves no ping";
        return new Result(
                result.test(),
                why.isPresent() ? Result.Status.KNOWN : Result.Status.FAILED,
                detail,
                result.allowed().isEmpty() ? "further connections are served" : result.allowed(),
                why.orElse(null),
                result.dialogue(),
                result.entries(),
                result.millis());
    }

    /** {@return whether a ping works within some time: a peer may need to give something up first} */
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

    /** {@return null if the peer serves again, otherwise how a restart failed} */
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
