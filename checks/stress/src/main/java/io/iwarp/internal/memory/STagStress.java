package io.iwarp.internal.memory;

import io.iwarp.internal.Settings;
import io.iwarp.memory.ProtectionDomain;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;
import org.openjdk.jcstress.infra.results.Z_Result;

/** Cases of the STags of a device: an STag names one buffer, or none after invalidation. */
public final class STagStress {
    private static final int LENGTH = 8;

    private STagStress() {}

    /** Draws the same number several times before it draws the next. */
    private static final class Sticky extends Random {
        private static final long serialVersionUID = 1;
        private static final int TIMES = 3;
        private int drawn;

        @Override
        public int nextInt() {
            return 1 + drawn++ / TIMES;
        }
    }

    /** A device that draws each STag again, and a domain of it. */
    static class Device {
        private final DefaultIwarpDevice device = new DefaultIwarpDevice(Settings.DEFAULT, new Sticky());
        final ProtectionDomain domain = device.createProtectionDomain();
        final RegionMemory memory = new RegionMemory(List.of());

        final TaggedBuffer issue() {
            return device.stags()
                    .issue(stag -> new TaggedBuffer(stag, domain, null, AccessRights.of(), 0, memory, 0, LENGTH));
        }

        final void takeBack(TaggedBuffer buffer) {
            buffer.revoke();
            device.stags().retire(buffer);
        }

        final @Nullable TaggedBuffer find(int stag) {
            return device.stags().find(stag);
        }
    }

    /** An STag is looked up while it is invalidated and others are issued. */
    @JCStressTest
    @Outcome(
            id = "true, true",
            expect = Expect.ACCEPTABLE,
            desc = "it is unknown or revoked at the end, and never another's")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a retired STag names something else, or is valid still")
    @State
    public static class LookupBesideReuse extends Device {
        private static final int LOOKS = 4;
        private final TaggedBuffer first = issue();
        private boolean sameOrNone = true;

        /** Invalidates the STag and allocates others. */
        @Actor
        public void owner() {
            takeBack(first);
            takeBack(issue());
            issue();
        }

        /** Looks it up. */
        @Actor
        public void loop() {
            for (int i = 0; i < LOOKS; i++) {
                look();
            }
        }

        private void look() {
            TaggedBuffer found = find(first.stag());
            sameOrNone &= found == null || found == first;
        }

        /** Looks again. */
        @Arbiter
        public void rest(ZZ_Result result) {
            look();
            result.r1 = sameOrNone;
            result.r2 = find(first.stag()) == null && first.isRevoked();
        }
    }

    /** An STag is looked up while the chain it is in changes, and the table grows. */
    @JCStressTest
    @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "it is always found")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a valid STag is unknown for a moment")
    @State
    public static class LookupBesideOthers extends Device {
        private static final int FULL = 15;
        private static final int LOOKS = 8;
        private final TaggedBuffer stays;
        private final TaggedBuffer goes;
        private boolean found = true;

        /** The next but one makes the table grow. */
        public LookupBesideOthers() {
            goes = issue();
            stays = issue();
            for (int i = 2; i < FULL; i++) {
                issue();
            }
        }

        /** Removes one of the chain, and adds until the table grows. */
        @Actor
        public void owner() {
            takeBack(goes);
            issue();
            issue();
            issue();
        }

        /** Looks it up. */
        @Actor
        public void loop() {
            for (int i = 0; i < LOOKS; i++) {
                found &= find(stays.stag()) == stays;
            }
        }

        /** Tells. */
        @Arbiter
        public void rest(Z_Result result) {
            result.r1 = found && find(stays.stag()) == stays;
        }
    }
}
