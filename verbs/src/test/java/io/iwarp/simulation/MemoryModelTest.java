package io.iwarp.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The model reports the differences that it is meant to find. */
class MemoryModelTest {
    private static final MemoryModel.Change FIRST = new MemoryModel.Change(0, 8, 1);
    private static final MemoryModel.Change SECOND = new MemoryModel.Change(4, 8, 2);
    private static final List<MemoryModel.Change> BOTH = List.of(FIRST, SECOND);

    private final byte[] memory = new byte[16];

    @Test
    void untouchedMemoryIsValidUntilAWriteArrives() {
        assertThat(MemoryModel.judge(memory, BOTH, 0, false)).isNull();
        assertThat(MemoryModel.judge(memory, BOTH, 1, false)).contains("at least 1");
    }

    @Test
    void aWriteMayHaveComeInPart() {
        write(FIRST, 0, 8);
        write(SECOND, 0, 3);
        assertThat(MemoryModel.judge(memory, BOTH, 1, false)).isNull();
        assertThat(MemoryModel.judge(memory, BOTH, 2, false)).isNotNull();
    }

    @Test
    void allWritesInTheirOrderAreGood() {
        write(FIRST, 0, 8);
        write(SECOND, 0, 8);
        assertThat(MemoryModel.judge(memory, BOTH, 2, false)).isNull();
    }

    @Test
    void anotherOrderIsFound() {
        write(SECOND, 0, 8);
        write(FIRST, 0, 8);
        assertThat(MemoryModel.judge(memory, BOTH, 0, false)).isNotNull();
    }

    @Test
    void aHoleIsFound() {
        write(FIRST, 0, 3);
        write(FIRST, 5, 8);
        assertThat(MemoryModel.judge(memory, BOTH, 0, false)).isNotNull();
    }

    @Test
    void onlyTheLastWriteMayHaveAHoleWherePiecesComeInAnyOrder() {
        write(FIRST, 0, 8);
        write(SECOND, 5, 8);
        assertThat(MemoryModel.judge(memory, BOTH, 1, true)).isNull();
        assertThat(MemoryModel.judge(memory, BOTH, 2, true)).isNotNull();
        memory[0]++;
        assertThat(MemoryModel.judge(memory, BOTH, 1, true)).isNotNull();
    }

    @Test
    void anByteOutsideIsFound() {
        write(FIRST, 0, 8);
        memory[15] = 1;
        assertThat(MemoryModel.judge(memory, BOTH, 0, false)).isNotNull();
    }

    private void write(MemoryModel.Change change, int from, int to) {
        for (int i = from; i < to; i++) {
            memory[change.offset() + i] = change.oneByte(i);
        }
    }
}
