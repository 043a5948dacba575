package io.iwarp.transports;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Says which of the choices {@link EveryTransportTest} cannot try here, and why. */
class AvailabilityTest {
    @ParameterizedTest
    @EnumSource
    void theTransportCanBeTested(Transport transport) {
        Throwable cause = transport.unavailabilityCause();
        assumeTrue(cause == null, () -> transport + " is not tested here: " + cause);
    }

    @ParameterizedTest
    @EnumSource
    void theProtectionCanBeTested(Security security) {
        Throwable cause = security.unavailabilityCause();
        assumeTrue(cause == null, () -> security + " is not tested here: " + cause);
    }
}
