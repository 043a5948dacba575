package io.iwarp;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.testing.Requirement;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ProtocolErrorTest {
    /** RFC 6580 sections 3.1 to 3.3 and RFC 6581 section 8, row by row. */
    private static final String REGISTRY = """
            0x0/0x0/0x00 Local Catastrophic Error
            0x0/0x1/0x00 Remote Protection Error / Invalid Steering Tag
            0x0/0x1/0x01 Remote Protection Error / Base or bounds violation
            0x0/0x1/0x02 Remote Protection Error / Access rights violation
            0x0/0x1/0x03 Remote Protection Error / Steering Tag not associated with RDMAP Stream
            0x0/0x1/0x04 Remote Protection Error / Tagged Offset wrap
            0x0/0x1/0x09 Remote Protection Error / Steering Tag cannot be invalidated
            0x0/0x1/0xff Remote Protection Error / Unspecified Error
            0x0/0x2/0x05 Remote Operation Error / Invalid RDMAP version
            0x0/0x2/0x06 Remote Operation Error / Unexpected OpCode
            0x0/0x2/0x07 Remote Operation Error / Catastrophic error, localized to RDMAP Stream
            0x0/0x2/0x08 Remote Operation Error / Catastrophic error, global
            0x0/0x2/0x09 Remote Operation Error / Steering Tag cannot be Invalidated
            0x0/0x2/0xff Remote Operation Error / Unspecified Error
            0x1/0x0/0x00 Local Catastrophic
            0x1/0x1/0x00 Tagged Buffer Error / Invalid Steering Tag
            0x1/0x1/0x01 Tagged Buffer Error / Base or bounds violation
            0x1/0x1/0x02 Tagged Buffer Error / Steering Tag not associated with DDP Stream
            0x1/0x1/0x03 Tagged Buffer Error / Tagged Offset wrap
            0x1/0x1/0x04 Tagged Buffer Error / Invalid DDP version
            0x1/0x2/0x01 Untagged Buffer Error / Invalid Queue Number
            0x1/0x2/0x02 Untagged Buffer Error / Invalid Message Sequence Number - no buffer available
            0x1/0x2/0x03 Untagged Buffer Error / Invalid Message Sequence Number - \
            Message Sequence Number range is not valid
            0x1/0x2/0x04 Untagged Buffer Error / Invalid Message Offset
            0x1/0x2/0x05 Untagged Buffer Error / DDP Message too long for available buffer
            0x1/0x2/0x06 Untagged Buffer Error / Invalid DDP version
            0x2/0x0/0x01 MPA Error / TCP connection closed, terminated, or lost
            0x2/0x0/0x02 MPA Error / MPA CRC Error
            0x2/0x0/0x03 MPA Error / MPA Marker and ULPDU Length field mismatch
            0x2/0x0/0x04 MPA Error / Invalid MPA Request Frame or MPA Response Frame
            0x2/0x0/0x05 MPA Error / Local catastrophic error
            0x2/0x0/0x06 MPA Error / Insufficient IRD resources
            0x2/0x0/0x07 MPA Error / No matching RTR option
            """;

    @Test
    @Requirement({"DDP-68", "RDMAP-48"})
    void everyErrorHasTheNumbersAndTheNameOfItsRegistry() {
        assertThat(Arrays.stream(ProtocolError.values()).map(ProtocolError::toString))
                .containsExactlyElementsOf(REGISTRY.lines().toList());
    }

    @ParameterizedTest
    @EnumSource
    void everyErrorIsFoundByItsNumbersAndExplainsItself(ProtocolError error) {
        assertThat(ProtocolError.find(error.layer().number(), error.type(), error.code()))
                .isSameAs(error);
        assertThat(ErrorLayer.find(error.layer().number())).isSameAs(error.layer());
        assertThat(error.explanation()).hasSizeGreaterThan(40);
        assertThat(error.explanation().split("; ", -1))
                .as("what happened, and what to do")
                .hasSize(2);
        assertThat(error.name()).startsWith(error.layer().name());
        assertThat(error.toString()).endsWith(error.rfcName());
    }

    @Test
    void exactlyTheRegisteredNumbersAreFound() {
        Set<ProtocolError> found = new HashSet<>();
        int hits = 0;
        for (int layer = -1; layer <= 16; layer++) {
            for (int type = -1; type <= 16; type++) {
                for (int code = -1; code <= 256; code++) {
                    ProtocolError error = ProtocolError.find(layer, type, code);
                    if (error != null) {
                        found.add(error);
                        hits++;
                    }
                }
            }
        }
        int anyCode = 258;
        assertThat(found).containsExactlyInAnyOrder(ProtocolError.values());
        assertThat(hits).isEqualTo(found.size() - 1 + anyCode);
    }

    @ParameterizedTest
    @CsvSource({"3", "15", "-1"})
    void aLayerWithoutAProtocolIsNotFound(int number) {
        assertThat(ErrorLayer.find(number)).isNull();
    }

    @Test
    void anyCodeOfALocalCatastrophicErrorIsThatError() {
        assertThat(ProtocolError.find(0, 0, 0x5A)).isSameAs(ProtocolError.RDMAP_LOCAL_CATASTROPHIC);
    }
}
