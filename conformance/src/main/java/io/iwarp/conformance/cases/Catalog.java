package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.Role;
import java.util.ArrayList;
import java.util.List;

/** All cases of the suite. */
public final class Catalog {
    private Catalog() {}

    /** Returns the cases for a peer in a role, in the order in which they run. */
    public static List<Case> cases(Role role) {
        List<List<Case>> families = new ArrayList<>(
                role == Role.SERVER
                        ? List.of(
                                MpaRequestCases.all(),
                                MpaRequestPiecesCases.all(),
                                SetupRequestCases.all(),
                                PingCases.all(role))
                        : List.of(
                                MpaReplyCases.all(),
                                MpaReplyPiecesCases.all(),
                                SetupReplyCases.all(),
                                PingCases.all(role)));
        families.addAll(List.of(
                MpaFramingCases.all(),
                MpaMarkerCases.all(),
                DdpSegmentCases.all(),
                MessageCases.all(role),
                DdpTaggedCases.all(),
                DdpPiecesCases.all(role),
                RdmapOpcodeCases.all(),
                WrongMessageCases.all(role),
                RdmapReadCases.all(),
                DepthCases.all(),
                RdmapTerminateCases.all(),
                TerminateErrorCases.all(role),
                ImmediateCases.all(),
                ExtAtomicCases.all(),
                CombinationCases.all(role),
                TeardownCases.all(role),
                AbuseCases.all(role),
                RuleCases.all(role)));
        return families.stream().flatMap(List::stream).toList();
    }
}
