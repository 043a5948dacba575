package io.iwarp.internal.memory;

import static io.iwarp.internal.memory.InvalidationVerdict.INVALIDATED;
import static io.iwarp.internal.memory.InvalidationVerdict.NOT_PERMITTED;
import static io.iwarp.internal.memory.InvalidationVerdict.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.memory.IwarpDevice;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.testing.Requirement;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which STags a peer may invalidate with a Send with Invalidate. */
class InvalidationTest {
    private final IwarpDevice device = IwarpDevice.create();
    private final ProtectionDomain domain = device.createProtectionDomain();
    private final ProtectionDomain foreignDomain = device.createProtectionDomain();
    private final StreamAssociation stream = StreamAssociation.open(domain);
    private final StreamAssociation sibling = StreamAssociation.open(domain);
    private final StreamAssociation foreign = StreamAssociation.open(foreignDomain);
    private final ByteBuf memory = Unpooled.directBuffer(16, 16).writeZero(16);
    private final MemoryRegion own = stream.region().buffers(memory).register();
    private final MemoryRegion shared = domain.register(memory);

    @AfterEach
    void close() {
        own.close();
        shared.close();
        stream.close();
        sibling.close();
        foreign.close();
        domain.close();
        foreignDomain.close();
        assertThat(memory.refCnt()).isOne();
        memory.release();
    }

    @Test
    @Requirement({"SEC-7", "RDMAP-39", "RDMAP-80"})
    void stagOfThisStreamIsInvalidatedOnce() {
        assertThat(stream.invalidate(own.stag())).isEqualTo(INVALIDATED);
        assertThat(own.isValid()).isFalse();
        assertThat(stream.lookup(own.stag())).isNull();
        assertThat(memory.refCnt()).as("the memory stays with the region").isEqualTo(3);
        assertThat(stream.invalidate(own.stag())).isEqualTo(UNKNOWN);
    }

    @Test
    @Requirement({"SEC-7", "RDMAP-39", "RDMAP-80"})
    void anStagThatOthersUseIsLeftAlone() {
        assertThat(stream.invalidate(shared.stag())).isEqualTo(NOT_PERMITTED);
        assertThat(sibling.invalidate(own.stag())).isEqualTo(NOT_PERMITTED);
        assertThat(foreign.invalidate(own.stag())).isEqualTo(NOT_PERMITTED);
        assertThat(foreign.invalidate(shared.stag())).isEqualTo(NOT_PERMITTED);
        assertThat(own.isValid()).isTrue();
        assertThat(shared.isValid()).isTrue();
    }

    @Test
    @Requirement({"RDMAP-39", "RDMAP-80"})
    void anStagThatDoesNotExistIsUnknown() {
        int stag = own.stag();
        int none = 0;
        assertThat(stream.invalidate(none)).isEqualTo(UNKNOWN);
        int unused = stag + 1 == shared.stag() || stag + 1 == 0 ? stag - 1 : stag + 1;
        assertThat(stream.invalidate(unused)).isEqualTo(UNKNOWN);
        own.invalidate();
        assertThat(stream.invalidate(stag)).isEqualTo(UNKNOWN);
        sibling.close();
        assertThat(sibling.invalidate(shared.stag())).isEqualTo(UNKNOWN);
    }

    /** Its owner is still registering it and has not advertised the STag. */
    @Test
    void anStagThatIsNotYetTiedToItsStreamIsUnknown() {
        TaggedBuffer guessed = ((DefaultIwarpDevice) device)
                .stags()
                .issue(stag -> new TaggedBuffer(
                        stag, domain, stream, AccessRights.of(), 0, ((DefaultMemoryRegion) own).memory(), 0, 1));

        assertThat(stream.invalidate(guessed.stag())).isEqualTo(UNKNOWN);
        assertThat(guessed.isRevoked()).isFalse();
    }
}
