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
                ? Stream.of(MpaRequestCases.all(), MpaRequestPiecesCases.all(), SetupRequestCases.all())
                : Stream.of(MpaReplyCases.all(), MpaReplyPiecesCases.all(), SetupReplyCases.all());
        Stream<List<Case>> shared = Stream.of(
                MpaFramingCases.all(),
                MpaMarkerCases.all(),
                DdpSegmentCases.all(),
                DdpUntaggedCases.all(),
                DdpTaggedCases.all(),
                RdmapOpcodeCases.all(),
                RdmapReadCases.all(),
                RdmapTerminateCases.all(),
                ExtHeaderCases.all(),
                ExtAtomicCases.all(),
                RuleCases.all(role),
                TeardownCases.all(),
                AbuseCases.all(role));
        Stream<List<Case>> own = role == Role.SERVER
                ? Stream.of(ServerPingCases.all(), RdmapResponseCases.all())
                : Stream.of(ClientPingCases.all());
        List<Case> all = new ArrayList<>();
        Stream.of(startup, own, shared).flatMap(family -> family).forEach(all::addAll);
        return all;
    }
}
