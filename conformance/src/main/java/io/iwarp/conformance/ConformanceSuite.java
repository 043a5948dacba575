package io.iwarp.conformance;

import io.iwarp.conformance.cases.Catalog;
import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.KnownDeviations;
import io.iwarp.conformance.judge.Link;
import io.iwarp.conformance.judge.Result;
import io.iwarp.conformance.judge.Role;
import io.iwarp.conformance.judge.Runner;
import io.iwarp.conformance.judge.SuiteOptions;
import io.iwarp.conformance.judge.Support;
import io.iwarp.conformance.report.Report;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Entry point: lists the cases and runs them. */
public final class ConformanceSuite {
    private final Requirements requirements = Requirements.load();

    /** Loads the list of requirements. */
    public ConformanceSuite() {}

    /** Returns the cases for a peer in a role. */
    public List<Case> cases(Role role) {
        return Catalog.cases(role);
    }

    /**
     * Returns the cases that prove one of some requirements, or whose id matches one of some patterns, in which
     * {@code *} stands for anything.
     */
    public List<Case> only(List<Case> cases, List<String> patterns) {
        return cases.stream().filter(matching(patterns)).toList();
    }

    /** Returns the cases that {@link #only} leaves out. */
    public List<Case> except(List<Case> cases, List<String> patterns) {
        return cases.stream().filter(matching(patterns).negate()).toList();
    }

    private static Predicate<Case> matching(List<String> patterns) {
        List<Pattern> globs = patterns.stream().map(KnownDeviations::glob).toList();
        return test -> globs.stream()
                .anyMatch(pattern -> pattern.matcher(test.id()).matches()
                        || test.requirements().stream()
                                .anyMatch(id -> pattern.matcher(id.toLowerCase(Locale.ROOT))
                                        .matches()));
    }

    /** Returns the sections of the RFCs that a case is about, each once. */
    public List<String> sections(Case test) {
        return test.requirements().stream()
                .map(id -> requirements.get(id).sections())
                .flatMap(ConformanceSuite::split)
                .distinct()
                .sorted()
                .toList();
    }

    /** {@code RFC 5044 §4.1, §7.1.1; RFC 5041 §3} becomes three sections with their RFC. */
    private static Stream<String> split(String sections) {
        return Arrays.stream(sections.split("; *")).flatMap(ofOne -> {
            int space = ofOne.indexOf(' ', ofOne.indexOf(' ') + 1);
            String document = space < 0 ? ofOne : ofOne.substring(0, space);
            String rest = space < 0 ? "" : ofOne.substring(space + 1);
            return Arrays.stream(rest.split(", *")).map(section -> (document + " " + section).strip());
        });
    }

    /**
     * Returns what is known about a kind of peer.
     *
     * @param peer a name such as {@code siw}, or nothing
     */
    public KnownDeviations known(@Nullable String peer) {
        if (peer == null) {
            return KnownDeviations.none();
        }
        try (InputStream in = ConformanceSuite.class.getResourceAsStream("known-" + peer + ".tsv")) {
            if (in == null) {
                throw new IllegalArgumentException("nothing is known about a peer " + peer);
            }
            return KnownDeviations.read(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Runs some cases.
     *
     * @param required what the peer has to support
     * @param restart brings a peer back that is dead, or null
     * @param listener gets each result at once
     * @throws IOException if the peer cannot be reached; the message is one line for the user
     */
    public List<Result> run(
            SuiteOptions options,
            Link link,
            List<Case> cases,
            Set<Support> required,
            KnownDeviations known,
            Runner.@Nullable Restart restart,
            Consumer<Result> listener)
            throws IOException {
        return new Runner(options, link, known, restart, listener).run(cases, required);
    }

    /**
     * Returns a report of some results.
     *
     * @param chosen the cases that were to run; those without a result are missing
     */
    public Report report(
            String title, SuiteOptions options, @Nullable String peer, List<Case> chosen, List<Result> results) {
        Set<String> seen = results.stream().map(result -> result.test().id()).collect(Collectors.toSet());
        return new Report(
                title,
                options.role().text(),
                peer == null ? "" : peer,
                "revision " + options.revision()
                        + (options.markers() ? ", markers" : "")
                        + (options.crc() ? "" : ", no CRC")
                        + (options.peerToPeer() ? ", peer to peer" : ""),
                chosen.stream().map(Case::id).filter(id -> !seen.contains(id)).toList(),
                results.stream().map(this::outcome).toList());
    }

    private Report.Outcome outcome(Result result) {
        Case test = result.test();
        KnownDeviations.Known known = result.known();
        return new Report.Outcome(
                test.id(),
                test.title(),
                test.level(),
                test.requirements(),
                sections(test),
                result.status(),
                result.detail(),
                result.allowed(),
                known == null ? "" : known.explanation(),
                known != null && known.sometimes(),
                result.dialogue(),
                result.millis());
    }
}
