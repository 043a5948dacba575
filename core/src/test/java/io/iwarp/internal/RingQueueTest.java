package io.iwarp.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RingQueueTest {
    private final RingQueue<Integer> queue = new RingQueue<>();

    @Test
    void behavesAsAnyQueue() {
        ArrayDeque<Integer> model = new ArrayDeque<>();
        Random random = new Random(7);
        for (int step = 0; step < 100_000; step++) {
            // Phases of growing and of shrinking, so that it is full, empty and wrapped around at some time.
            boolean growing = step / 700 % 2 == 0;
            if (random.nextInt(10) < (growing ? 6 : 3)) {
                queue.add(step);
                model.add(step);
            } else if (!model.isEmpty()) {
                assertThat(queue.remove()).isEqualTo(model.remove());
            }
            assertThat(queue.peek()).isEqualTo(model.peek());
            assertThat(queue.size()).isEqualTo(model.size());
            assertThat(queue.isEmpty()).isEqualTo(model.isEmpty());
        }
        while (!model.isEmpty()) {
            assertThat(queue.remove()).isEqualTo(model.remove());
        }
    }

    @Test
    void positionsContinueForever() {
        for (int i = 0; i < 20; i++) {
            queue.add(i);
        }
        for (int i = 0; i < 12; i++) {
            queue.remove();
        }

        assertThat(queue.first()).isEqualTo(12);
        assertThat(queue.end()).isEqualTo(20);
        assertThat(queue.get(15)).isEqualTo(15);
        assertThatThrownBy(() -> queue.get(11))
                .isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessageContaining("11");
        assertThatThrownBy(() -> queue.get(20)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void removesTheNewestFromAPositionOn() {
        for (int i = 0; i < 6; i++) {
            queue.add(i);
        }
        queue.remove();

        assertThat(queue.removeFrom(3)).isEqualTo(List.of(3, 4, 5));
        queue.add(7);

        assertThat(queue.removeFrom(queue.end())).isEmpty();
        assertThat(List.of(queue.remove(), queue.remove(), queue.remove())).isEqualTo(List.of(1, 2, 7));
        assertThatThrownBy(() -> queue.removeFrom(queue.end() + 1)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void refusesToRemoveFromNothing() {
        assertThat(queue.peek()).isNull();
        assertThatThrownBy(queue::remove).isInstanceOf(NoSuchElementException.class);
    }
}
