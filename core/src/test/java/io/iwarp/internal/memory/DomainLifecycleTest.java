package io.iwarp.internal.memory;

import static io.iwarp.memory.AccessRight.REMOTE_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.iwarp.memory.DomainLimits;
import io.iwarp.memory.IwarpDevice;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.MemoryWindow;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RegionBuilder;
import io.iwarp.memory.RegionClosedException;
import io.iwarp.testing.Requirement;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DomainLifecycleTest {
    private final ByteBuf memory = PooledByteBufAllocator.DEFAULT.directBuffer(64, 64);
    private final ProtectionDomain domain = ProtectionDomain.create();

    @AfterEach
    void closeAll() {
        domain.close();
        assertThat(memory.refCnt()).isOne();
        memory.release();
    }

    @Test
    void aDomainWithOpenRegionsAndStreamsRefusesToClose() {
        MemoryRegion region = domain.register(memory);
        MemoryRegion other = domain.register(memory);
        StreamAssociation stream = StreamAssociation.open(domain);

        assertThatIllegalStateException()
                .isThrownBy(domain::close)
                .withMessageContaining("open regions (2) and streams (1)");
        assertThat(domain.closed()).isNotDone();
        region.close();
        stream.close();
        assertThatIllegalStateException()
                .isThrownBy(domain::close)
                .withMessageContaining("open regions (1) and streams (0)");
        domain.register(memory).close();
        other.close();
        domain.close();
        assertThat(domain.closed()).isCompleted();
    }

    @Test
    void anInvalidatedRegionIsNoLongerRegisteredAndKeepsItsMemory() {
        MemoryRegion region = domain.register(memory, REMOTE_WRITE);
        region.invalidate();
        region.invalidate();

        assertThat(domain.regionCount()).isZero();
        assertThat(domain.registeredBytes()).isZero();
        assertThat(domain.device().regionCount()).isZero();
        domain.close();
        assertThat(domain.closed()).isCompleted();
        region.setVolatile(0, 42);
        assertThat(region.getVolatile(0)).isEqualTo(42);
        region.close();
        assertThat(domain.regionCount()).isZero();
    }

    @Test
    void aDomainClosesWhileStreamsAreClosingAndReportsTheirEnd() {
        AtomicBoolean closing = new AtomicBoolean();
        StreamAssociation stream = StreamAssociation.open(domain);
        stream.setClosingPredicate(closing::get);
        MemoryRegion own = stream.region().buffers(memory).register();
        MemoryRegion shared = domain.register(memory);
        closing.set(true);

        assertThatIllegalStateException()
                .isThrownBy(domain::close)
                .withMessageContaining("open regions (1) and streams (0)");
        shared.close();
        domain.close();
        assertThat(domain.closed()).isNotDone();
        assertThat(own.isValid()).isTrue();
        assertThatIllegalStateException()
                .isThrownBy(() -> StreamAssociation.open(domain))
                .withMessageContaining("was closed");
        assertThatExceptionOfType(RegionClosedException.class).isThrownBy(() -> stream.registerSink(memory));
        stream.close();
        assertThat(domain.closed()).isCompleted();
        assertThat(own.isValid()).isFalse();
        own.close();
    }

    @Test
    void aRegionThatItsClosingStreamNoLongerHasHidesNoOpenRegion() {
        StreamAssociation stream = StreamAssociation.open(domain);
        stream.region().buffers(memory).register().close();
        MemoryRegion shared = domain.register(memory);
        stream.setClosingPredicate(() -> true);

        assertThatIllegalStateException()
                .isThrownBy(domain::close)
                .withMessageContaining("open regions (1) and streams (0)");
        shared.close();
        stream.close();
    }

    @Test
    void aClosedDomainTakesNothingMore() {
        domain.close();
        domain.close();

        assertThatIllegalStateException()
                .isThrownBy(() -> domain.register(memory))
                .withMessageContaining("was closed");
        assertThatIllegalStateException()
                .isThrownBy(() -> StreamAssociation.open(domain))
                .withMessageContaining("was closed");
        assertThat(domain.device().regionCount()).isZero();
    }

    @Test
    void aDeviceClosesAfterItsDomainsAndCreatesNoMore() {
        IwarpDevice device = IwarpDevice.create();
        ProtectionDomain first = device.createProtectionDomain();
        assertThatIllegalStateException().isThrownBy(device::close).withMessageContaining("1 open protection domains");
        first.close();
        first.close();
        ProtectionDomain second = device.createProtectionDomain();
        assertThatIllegalStateException().isThrownBy(device::close);
        second.close();
        device.close();
        device.close();
        assertThatIllegalStateException()
                .isThrownBy(device::createProtectionDomain)
                .withMessageContaining("the device was closed");
    }

    @Test
    @Requirement("SEC-14")
    void everyDomainHasADeviceOfItsOwnByDefault() {
        assertThat(ProtectionDomain.create().device()).isNotSameAs(domain.device());
        assertThat(domain.device().createProtectionDomain().device()).isSameAs(domain.device());
    }

    @Test
    @Requirement({"DDP-73", "DDP-74"})
    void closingAStreamInvalidatesTheRegionsThatAreItsAlone() {
        StreamAssociation stream = StreamAssociation.open(domain);
        StreamAssociation sibling = StreamAssociation.open(domain);
        MemoryRegion own = stream.region().buffers(memory).rights(REMOTE_WRITE).register();
        MemoryRegion shared = domain.register(memory, REMOTE_WRITE);
        stream.close();
        stream.close();

        assertThat(own.isValid()).isFalse();
        assertThat(sibling.lookup(own.stag())).isNull();
        assertThat(shared.isValid()).isTrue();
        assertThat(sibling.lookup(shared.stag())).isNotNull();
        assertThat(stream.lookup(shared.stag()))
                .as("a closed stream reaches nothing")
                .isNull();
        own.close();
        shared.close();
        sibling.close();
    }

    @Test
    void aRegionForAClosedStreamOrAForeignOneIsRefused() {
        StreamAssociation closed = StreamAssociation.open(domain);
        RegionBuilder builder = closed.region().buffers(memory);
        closed.close();
        assertThatExceptionOfType(RegionClosedException.class)
                .isThrownBy(builder::register)
                .withMessageContaining("the stream was closed");

        ProtectionDomain otherDomain = ProtectionDomain.create();
        StreamAssociation foreign = StreamAssociation.open(otherDomain);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ((DefaultRegionBuilder) domain.region()).stream(foreign))
                .withMessageContaining("another protection domain");
        foreign.close();
        otherDomain.close();
    }

    @Test
    void theLimitsThatDifferFromTheDefaultAreShown() {
        assertThat(DomainLimits.DEFAULT).hasToString("DomainLimits{}");
        assertThat(DomainLimits.builder().maxRegions(1).maxRegisteredBytes(2).build())
                .hasToString("DomainLimits{maxRegions=1, maxRegisteredBytes=2}");
    }

    @Test
    void domainAndDeviceReportWhatIsRegistered() {
        IwarpDevice device = IwarpDevice.create();
        ProtectionDomain domain = device.createProtectionDomain();
        StreamAssociation stream = StreamAssociation.open(domain);
        MemoryRegion region = domain.allocate(8);
        MemoryWindow window = region.window(0, 8).bind();
        assertThat(domain).hasToString("ProtectionDomain[1 regions of 8 bytes, 1 streams]");
        assertThat(device).hasToString("IwarpDevice[1 regions of 8 bytes, 1 windows]");
        window.close();
        region.close();
        stream.close();
        domain.close();
        assertThat(domain).hasToString("ProtectionDomain[0 regions of 0 bytes, 0 streams, closed]");
    }
}
