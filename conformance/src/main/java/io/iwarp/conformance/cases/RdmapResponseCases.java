package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.PeerStream;
import io.iwarp.conformance.judge.Pings;
import io.iwarp.conformance.wire.Bytes;
import io.iwarp.conformance.wire.ReadRequest;
import io.iwarp.conformance.wire.Segment;
import java.util.ArrayList;
import java.util.List;

/** Wrong answers to the Read of a server. */
final class RdmapResponseCases {
    private RdmapResponseCases() {}

    private interface Answer {
        Segment make(ReadRequest read, byte[] text);
    }

    /** Returns the cases. */
    static List<Case> all() {
        List<Case> cases = new ArrayList<>();
        refused(
                cases,
                "stag.zero",
                "to STag 0",
                "DDP-59 RDMAP-31",
                (read, text) -> Segment.tagged(Segment.READ_RESPONSE, 0, read.sinkOffset(), text),
                "1/1/00",
                "1/1/02",
                "0/2/06");
        refused(
                cases,
                "wrap",
                "that wraps at 2^64",
                "DDP-63 RDMAP-31",
                (read, text) -> Segment.tagged(Segment.READ_RESPONSE, read.sinkStag(), -1, text),
                "1/1/03",
                "1/1/01",
                "0/2/06");
        for (int more : new int[] {-Case.DEFAULT_SIZE, -1, 1, Case.DEFAULT_SIZE}) {
            for (boolean segments : new boolean[] {false, true}) {
                cases.add(Case.should(
                        "rdmap.response." + (more < 0 ? "short." + -more : "long." + more)
                                + (segments ? ".segments" : ""),
                        "a Read Response " + (segments ? "in three segments " : "") + "that is " + Math.abs(more)
                                + " bytes too " + (more < 0 ? "short" : "long") + " ends the stream",
                        "RDMAP-31",
                        session -> {
                            PeerStream stream = session.establish().awaitIdle();
                            ReadRequest read = stream.pings().advertise(Case.DEFAULT_SIZE);
                            Segment wrong = right(read, Bytes.pattern(Case.DEFAULT_SIZE + more));
                            stream.sendAtOnce(
                                    segments ? MessageCases.inThree(wrong) : List.of(wrong), "a Read Response");
                            stream.expectEndOfAnyKind();
                        }));
            }
        }
        cases.add(Case.onIdle(
                "rdmap.response.twice",
                "a second Read Response to the same Read is refused with 0/2/06 or 1/1/00",
                "RDMAP-78 DDP-36",
                stream -> {
                    byte[] text = Pings.text(Case.DEFAULT_SIZE);
                    ReadRequest read = stream.pings().advertise(text.length);
                    stream.send(right(read, text));
                    stream.pings().expectGoAhead();
                    stream.send(right(read, text));
                    stream.expectTerminate("0/2/06", "1/1/00");
                }));
        return cases;
    }

    private static Segment right(ReadRequest read, byte[] text) {
        return Segment.tagged(Segment.READ_RESPONSE, read.sinkStag(), read.sinkOffset(), text);
    }

    private static void refused(
            List<Case> cases, String name, String what, String requirements, Answer answer, String... errors) {
        cases.add(refusal(name, what, requirements, answer, errors));
    }

    private static Case refusal(String name, String what, String requirements, Answer answer, String... errors) {
        return Case.onIdle(
                "rdmap.response." + name,
                "a Read Response " + what + " is refused with " + String.join(" or ", errors),
                requirements,
                stream -> {
                    byte[] text = Pings.text(Case.DEFAULT_SIZE);
                    ReadRequest read = stream.pings().advertise(text.length);
                    stream.send(answer.make(read, text));
                    stream.expectTerminate(errors);
                });
    }
}
