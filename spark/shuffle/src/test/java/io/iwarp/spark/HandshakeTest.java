package io.iwarp.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.memory.RemoteBuffer;
import io.iwarp.spark.Handshake.Verdict;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The proofs of two executors to each other, under virtual time. */
@Tag("attack")
class HandshakeTest {
    private static final RemoteBuffer DIRECTORY = new RemoteBuffer(9, 0, Directory.length(64));
    private static final String SECRET = Handshake.newSecret();
    private static final int KIND = 6;

    private long now = Long.MAX_VALUE - 5;

    private final Handshake initiator = handshake(SECRET, "1");
    private final Handshake acceptor = handshake(SECRET, "12");
    private final Handshake.Initiation initiation = initiator.initiate("12");

    private Handshake handshake(String secret, String executor) {
        return new Handshake(secret, executor, () -> now);
    }

    private static Verdict judge(Handshake acceptor, byte[] request) {
        return acceptor.judge(request, DIRECTORY, 64);
    }

    private static byte[] challenge(Handshake acceptor, byte[] hello) {
        return judge(acceptor, hello).reply();
    }

    private static String objection(Handshake acceptor, byte[] request) {
        return judge(acceptor, request).objection();
    }

    private static byte[] acceptance(Handshake acceptor, byte[] proof) {
        return judge(acceptor, proof).reply();
    }

    /** Returns the proof of the initiation to its acceptor. */
    private byte[] proof() {
        return initiation.proof(challenge(acceptor, initiation.hello()));
    }

    private static byte[] changed(byte[] message, int at, int by) {
        byte[] changed = message.clone();
        changed[Math.floorMod(at, changed.length)] ^= (byte) by;
        return changed;
    }

    @Test
    void bothSidesProveAndTheDirectoryArrives() {
        Verdict proven = judge(acceptor, proof());
        Handshake.RemoteDirectory directory = initiation.directory(proven.reply());

        assertThat(proven.initiator()).isEqualTo("1");
        assertThat(directory.memory()).isEqualTo(DIRECTORY);
        assertThat(directory.slots()).isEqualTo(64);
    }

    @Test
    void eachChangedByteOfAProofIsRefused() {
        byte[] proof = proof();
        for (int at = 0; at < proof.length; at++) {
            assertThat(objection(acceptor, changed(proof, at, 1))).isNotNull();
        }
        assertThat(objection(acceptor, Arrays.copyOf(proof, proof.length - 1))).contains("does not prove");
        assertThat(objection(acceptor, Arrays.copyOf(proof, proof.length + 1))).contains("does not prove");
        assertThat(objection(acceptor, Arrays.copyOf(proof, 40))).contains("40 bytes");
        assertThat(judge(acceptor, proof).initiator()).isEqualTo("1");
    }

    @Test
    void eachChangedByteOfAnAcceptanceIsRefused() {
        byte[] acceptance = acceptance(acceptor, proof());
        for (int at = 0; at < acceptance.length; at++) {
            byte[] changed = changed(acceptance, at, 1);
            assertThatThrownBy(() -> initiation.directory(changed)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> initiation.directory(new byte[3])).hasMessageContaining("no executor");
        assertThat(initiation.directory(acceptance).slots()).isEqualTo(64);
    }

    @Test
    void aProofIsValidOnceForOneExecutor() {
        byte[] proof = proof();
        Handshake other = handshake(Handshake.newSecret(), "12");
        byte[] stranger = other.initiate("12").proof(challenge(acceptor, initiation.hello()));

        assertThat(objection(handshake(SECRET, "13"), proof)).contains("does not prove", "executor 13");
        assertThat(objection(other, proof)).contains("does not prove");
        assertThat(objection(acceptor, stranger)).contains("does not prove");
        // Another process with the same id, such as the replacement of the executor.
        assertThat(objection(handshake(SECRET, "12"), proof)).contains("did not issue");
        assertThat(judge(acceptor, proof).initiator()).isEqualTo("1");
        assertThat(objection(acceptor, proof)).contains("used before");
    }

    @Test
    void anAcceptanceIsValidForOneInitiation() {
        byte[] acceptance = acceptance(acceptor, proof());
        Handshake.Initiation second = initiator.initiate("12");
        byte[] proof = second.proof(challenge(acceptor, second.hello()));

        assertThatThrownBy(() -> second.directory(acceptance)).hasMessageContaining("does not prove");
        assertThat(second.directory(acceptance(acceptor, proof)).slots()).isEqualTo(64);
    }

    @Test
    void aReflectedMessageIsRefused() {
        // The attacker replies as the acceptor, and connects to the initiator at the same time.
        byte[] proof = initiation.proof(challenge(initiator, initiation.hello()));
        byte[] reflected = Arrays.copyOf(proof, 63);
        reflected[KIND] = 3;
        System.arraycopy(proof, 7 + 32 + Challenges.LENGTH, reflected, 31, Hmac.LENGTH);

        assertThat(objection(initiator, proof)).contains("does not prove");
        assertThatThrownBy(() -> initiation.directory(reflected)).hasMessageContaining("does not prove");
    }

    @Test
    void aChallengeExpiresAndIsForgotten() {
        byte[] late = proof();
        byte[] inTime = proof();
        now += Challenges.LIFETIME.toNanos();
        assertThat(judge(acceptor, inTime).initiator()).isEqualTo("1");
        now++;

        assertThat(objection(acceptor, late)).contains("older than 60 s");

        Challenges challenges = new Challenges(() -> now);
        assertThat(challenges.use(challenges.issue())).isTrue();
        now += Challenges.LIFETIME.toNanos() + 1;
        assertThat(challenges.use(challenges.issue())).isTrue();
        assertThat(challenges.kept()).isEqualTo(1);
    }

    @Test
    void anotherVersionIsNamedOnBothSides() {
        byte[] hello = changed(initiation.hello(), 5, 8);
        Verdict objection = judge(acceptor, hello);
        byte[] fromOther = changed(objection.reply(), 5, 8);

        assertThat(objection.objection()).contains("version 11");
        assertThatThrownBy(() -> initiation.proof(fromOther)).hasMessageContaining("version 11");
        assertThatThrownBy(() -> initiation.proof(Handshake.REJECTED.getBytes(StandardCharsets.UTF_8)))
                .hasMessageContaining("no executor");
    }

    @Test
    void aDirectoryWithAWrongLengthIsRefused() {
        for (int slots : new int[] {128, -64, 0}) {
            byte[] acceptance = acceptor.judge(proof(), DIRECTORY, slots).reply();

            assertThatThrownBy(() -> initiation.directory(acceptance)).hasMessageContaining(slots + " slots");
        }
    }
}
