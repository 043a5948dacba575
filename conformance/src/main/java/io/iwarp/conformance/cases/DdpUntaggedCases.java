package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.wire.Bytes;
import io.iwarp.conformance.wire.FpduChange;
import io.iwarp.conformance.wire.Segment;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Untagged segments whose fields are wrong (RFC 5041 section 7.1, RFC 5040 section 7.2). */
final class DdpUntaggedCases {
    private static final long[] QUEUES = {4, 5, 7, 255, 256, 65_536, 0x7FFF_FFFFL, 0x8000_0000L, 0xFFFF_FFFFL};
    private static final long[] NUMBERS = {0, 257, 1000, 65_536, 65_537, 0x7FFF_FFFFL, 0x8000_0000L, 0xFFFF_FFFFL};
    private static final long[] OFFSETS = {65_536, 1 << 20, 0x7FFF_FFFFL, 0x8000_0000L, 0xFFFF_FFF0L, 0xFFFF_FFFFL};
    private static final int SEGMENTED = 2048;
    private static final int[] LENGTHS = {2048, 4096, 16_384, 60_000};

    private DdpUntaggedCases() {}

    /** Returns the cases. */
    static List<Case> all() {
        List<Case> cases = new ArrayList<>();
        queues(cases);
        numbers(cases);
        offsets(cases);
        order(cases);
        return cases;
    }

    private static void queues(List<Case> cases) {
        for (long queue : QUEUES) {
            refused(
                    cases,
                    String.format(Locale.ROOT, "ddp.queue.%x", queue),
                    "a Send on queue " + queue,
                    "DDP-54 DDP-68 RDMAP-53",
                    stream -> stream.pings().takeAwaited().queue(queue),
                    "1/2/01");
        }
    }

    private static void numbers(List<Case> cases) {
        for (long number : NUMBERS) {
            refused(
                    cases,
                    String.format(Locale.ROOT, "ddp.msn.send.%x", number),
                    "a Send with MSN " + number,
                    "DDP-58 DDP-55 DDP-68",
                    stream -> stream.pings().takeAwaited().msn(number),
                    "1/2/03",
                    "1/2/02");
        }
        refused(
                cases,
                "ddp.msn.send.again",
                "a Send whose MSN was used before",
                "DDP-58 DDP-36",
                stream -> {
                    stream.completePing();
                    return stream.pings().takeAwaited().msn(1);
                },
                "1/2/03",
                "1/2/02");
    }

    private static void offsets(List<Case> cases) {
        for (long offset : OFFSETS) {
            refused(
                    cases,
                    String.format(Locale.ROOT, "ddp.mo.%x", offset),
                    "a Send with MO " + offset + ", which is beyond the buffer",
                    "DDP-56 DDP-57 DDP-68",
                    stream -> stream.pings().takeAwaited().messageOffset(offset),
                    "1/2/04",
                    "1/2/05");
        }
        for (int length : LENGTHS) {
            refused(
                    cases,
                    "ddp.too-long." + length,
                    "a Send of " + length + " bytes, which is longer than the buffer",
                    "DDP-57 DDP-68 RDMAP-35",
                    stream -> stream.pings().takeAwaited().payload(Bytes.pattern(length)),
                    "1/2/05");
        }
        // Small enough to fit into any buffer alone; all but the first ones begin or end beyond it.
        for (int each : new int[] {1, 5, 8, 12, 16, 100}) {
            cases.add(Case.onIdle(
                    "ddp.too-long.segments." + each,
                    "a Send of " + SEGMENTED + " bytes in segments of " + each
                            + ", which is longer than the buffer, is refused with 1/2/05 or 1/2/04",
                    "DDP-56 DDP-57 DDP-68 RDMAP-35",
                    stream -> {
                        List<Segment> segments = MessageCases.inPieces(
                                stream.pings().takeAwaited().payload(new byte[SEGMENTED]), each);
                        stream.sendAtOnce(segments, "a Send in segments of " + each + " bytes");
                        stream.expectTerminate("1/2/05", "1/2/04");
                    }));
        }
    }

    /** Two things are wrong: the first in the order of the checks counts. */
    private static void order(List<Case> cases) {
        refused(
                cases,
                "ddp.order.version-queue",
                "a Send with DV 2 on queue 9: DV comes first",
                "DDP-15 RDMAP-77",
                stream -> stream.pings().takeAwaited().ddpVersion(2).queue(9),
                "1/2/06");
        refused(
                cases,
                "ddp.order.version-opcode",
                "an unknown opcode with DV 2: DV comes first",
                "RDMAP-77",
                stream -> Segment.untagged(15, 0, stream.takeMsn(), Bytes.NONE).ddpVersion(2),
                "1/2/06");
        refused(
                cases,
                "ddp.order.queue-opcode",
                "an unknown opcode on queue 9: the queue comes first",
                "RDMAP-77",
                stream -> Segment.untagged(15, 9, stream.takeMsn(), Bytes.NONE),
                "1/2/01");
        cases.add(Case.onIdle(
                "rdmap.first-error",
                "of two wrong messages in one write the first one is reported, and nothing but it",
                "RDMAP-55 DDP-66",
                stream -> {
                    byte[] first = stream.wire()
                            .encode(stream.pings().takeAwaited().queue(4).encode(), FpduChange.NONE);
                    byte[] second = stream.wire()
                            .encode(
                                    Segment.tagged(Segment.WRITE, 0, 0, Bytes.NONE)
                                            .ddpVersion(2)
                                            .encode(),
                                    FpduChange.NONE);
                    stream.wire().send(Bytes.join(first, second), "a Send on queue 4, and a Write with DV 2");
                    stream.expectTerminate("1/2/01");
                    stream.expectBareEnd();
                }));
    }

    private static void refused(
            List<Case> cases, String id, String what, String requirements, Refused.Wrong wrong, String... errors) {
        cases.add(Refused.onIdleStream(id, what, requirements, wrong, errors));
    }
}
