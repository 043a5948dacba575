package io.iwarp.rdmap;

/**
 * Says whether input is stalled: a message found no receive of the application, and nothing behind it can arrive.
 * Meanwhile the clocks of the deadlines stop whose wait only input can end.
 *
 * <p>A stall begins when a message finds no receive. It ends when that message is placed. After the last request has been
 * answered nothing is waited for behind it, and stalls stop no clock any more.
 */
final class Stall {
    private final Deadline response;
    private final Deadline closing;
    private boolean over;

    Stall(Deadline response, Deadline closing) {
        this.response = response;
        this.closing = closing;
    }

    /** A message waits for a receive. May be called again during a stall. */
    void begin() {
        if (!over) {
            response.pause();
            closing.pause();
        }
    }

    /** Input goes on. May be called without a stall. */
    void end() {
        response.resume();
        closing.resume();
    }

    /** Nothing is waited for any more that a stall can delay. */
    void over() {
        over = true;
        end();
    }
}
