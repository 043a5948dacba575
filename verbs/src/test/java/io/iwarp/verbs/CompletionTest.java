package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import io.iwarp.Operation;
import org.junit.jupiter.api.Test;

/** What a completion says of itself. */
class CompletionTest {
    private final CompletionView completion = new CompletionView();

    @Test
    void anAtomicTellsWhatItFound() {
        completion.setRequest(7, Operation.FETCH_ADD, 8, null, 41, null);
        assertThat(completion).hasToString("FETCH_ADD 7, found 41");
        completion.setRequest(8, Operation.COMPARE_SWAP, 8, null, -1, null);
        assertThat(completion).hasToString("COMPARE_SWAP 8, found -1");
    }

    @Test
    void otherRequestsTellTheirBytes() {
        completion.setRequest(7, Operation.WRITE, 12, null, 0, null);
        assertThat(completion).hasToString("WRITE 7, 12 bytes");
    }

    @Test
    void aReceiveTellsWhatItTook() {
        completion.setReceive(1, null, 3, 0, false);
        assertThat(completion).hasToString("RECEIVE 1, 3 bytes");
        completion.setReceive(2, null, 3, 0x0badcafe, false);
        assertThat(completion).hasToString("RECEIVE 2, 3 bytes, invalidated STag 0x0badcafe");
        completion.setImmediate(3, null, 42, false);
        assertThat(completion).hasToString("RECEIVE 3, Immediate Data 42");
    }

    @Test
    void whatDoesNotApplyThrows() {
        completion.setRequest(7, Operation.WRITE, 12, null, 0, null);
        assertThatIllegalStateException().isThrownBy(completion::originalValue).withMessageContaining("WRITE 7");
        completion.setReceive(1, null, 3, 0, false);
        assertThatIllegalStateException().isThrownBy(completion::immediate).withMessageContaining("hasImmediate()");
        assertThat(completion.invalidatedStag()).isZero();
        completion.setRequest(7, Operation.FETCH_ADD, 8, null, 41, null);
        assertThat(completion.originalValue()).isEqualTo(41);
    }

    @Test
    void aCopyKeepsItsValues() {
        completion.setReceive(1, null, 3, 0, false);
        Completion copy = completion.copy();
        completion.setReceive(2, null, 4, 0, false);
        assertThat(copy).hasToString("RECEIVE 1, 3 bytes").isSameAs(copy.copy());
    }

    @Test
    void aFlushedRequestTellsWhy() {
        CloseReason lost = new CloseReason(EndedBy.TRANSPORT, null, "the cable was cut", null);
        completion.setRequest(7, Operation.FETCH_ADD, 0, null, 0, lost);
        assertThat(completion.toString()).startsWith("FETCH_ADD 7, flushed: ").contains("the cable was cut");
    }
}
