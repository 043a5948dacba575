package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.CaseFailed;
import io.iwarp.conformance.judge.PeerStream;
import io.iwarp.conformance.wire.Segment;
import java.io.IOException;

/** Cases of a segment that the peer has to refuse with a Terminate. */
final class Refused {
    private Refused() {}

    /** A segment that is wrong where the peer waits for a Send. */
    interface Wrong {
        Segment make(PeerStream stream) throws IOException, CaseFailed;
    }

    /** Returns the case; {@code errors} are those of which the Terminate has to have one */
    static Case onIdleStream(String id, String what, String requirements, Wrong wrong, String... errors) {
        String title = what + " is refused with " + String.join(" or ", errors);
        return Case.onIdle(id, title, requirements, stream -> {
            Segment segment = wrong.make(stream);
            stream.sendAtFault(segment);
            stream.expectTerminate(errors);
        });
    }
}
