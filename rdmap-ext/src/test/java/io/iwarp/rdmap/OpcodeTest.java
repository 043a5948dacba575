package io.iwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.testing.Requirement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class OpcodeTest {
    @ParameterizedTest
    @CsvSource({
        "RDMA_WRITE, 40, true, -1",
        "READ_REQUEST, 41, false, 1",
        "READ_RESPONSE, 42, true, -1",
        "SEND, 43, false, 0",
        "SEND_WITH_INVALIDATE, 44, false, 0",
        "SEND_WITH_SOLICITED_EVENT, 45, false, 0",
        "SEND_WITH_SOLICITED_EVENT_AND_INVALIDATE, 46, false, 0",
        "TERMINATE, 47, false, 2",
        "IMMEDIATE_DATA, 48, false, 0",
        "IMMEDIATE_DATA_WITH_SOLICITED_EVENT, 49, false, 0",
        "ATOMIC_REQUEST, 4a, false, 1",
        "ATOMIC_RESPONSE, 4b, false, 3"
    })
    @Requirement({"RDMAP-2", "RDMAP-3", "RDMAP-6", "RDMAP-7", "RDMAP-8"})
    void eachMessageHasItsControlByteAndItsQueue(Opcode opcode, String control, boolean tagged, int queue) {
        assertThat(opcode.control()).isEqualTo(Integer.parseInt(control, 16));
        assertThat(opcode.tagged()).isEqualTo(tagged);
        assertThat(Opcode.of(opcode.control() | 0x30)).isEqualTo(opcode);
        for (int qn = 0; qn < 4; qn++) {
            assertThat(opcode.isSentOn(qn)).isEqualTo(qn == queue);
        }
    }

    @ParameterizedTest
    @EnumSource(Opcode.class)
    void opcodeNamesMatchTheirProperties(Opcode opcode) {
        String name = opcode.name();

        assertThat(opcode.code()).isEqualTo(opcode.control() & 0xf);
        assertThat(opcode.solicited()).isEqualTo(name.contains("SOLICITED_EVENT"));
        assertThat(opcode.invalidates()).isEqualTo(name.endsWith("INVALIDATE"));
        assertThat(opcode.immediate()).isEqualTo(name.startsWith("IMMEDIATE_DATA"));
        assertThat(Opcode.isImmediate(opcode.control())).isEqualTo(opcode.immediate());
        assertThat(opcode.extension()).isEqualTo(opcode.immediate() || name.startsWith("ATOMIC"));
    }

    @Test
    void unassignedOpcodesHaveNoName() {
        for (int code = 0xc; code <= 0xf; code++) {
            assertThat(Opcode.of(1 << 6 | code)).isNull();
            assertThat(Opcode.isImmediate(1 << 6 | code)).isFalse();
        }
    }
}
