package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** All cases of the suite. */
public final class Catalog {
    private Catalog() {}

    /** {@return the cases for a peer in a role, in the order in which they run} */
    public static List<Case> cases(Role role) {
        Stream<List<Case>> startup = role == Role.SERVER
                ? Stream.of(RequestCases.all(), RequestByteCases.all(), RequestDepthCases.all())
                : Stream.of(ReplyCases.all(), ReplyByteCases.all(), ReplyDepthCases.all());
        Stream<List<Case>> shared = Stream.of(
                FramingCases.all(),
                MarkerCases.all(),
                SegmentCases.all(),
                UntaggedCases.all(),
                TaggedCases.all(),
                OpcodeCases.all(),
                ReadCases.all(),
                TerminateCases.all(),
                ExtensionCases.all(),
                AtomicCases.all(),
                RuleCases.all(role),
                TeardownCases.all(),
                AbuseCases.all(role));
        Stream<List<Case>> own = role == Role.SERVER
                ? Stream.of(PingCases.all(), ResponseCases.all())
                : Stream.of(ClientPingCases.all());
        List<Case> all = new ArrayList<>();
        Stream.of(startup, own, shared).flatMap(family -> family).forEach(all::addAll);
        return all;
    }
}
