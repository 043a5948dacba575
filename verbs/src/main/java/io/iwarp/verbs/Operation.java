package io.iwarp.verbs;

import io.iwarp.metrics.OperationKind;

/** What a completed work request did. */
public enum Operation {
    /** A message sent to a receive of the peer, with or without taking back an STag of the peer. */
    SEND(OperationKind.SEND),
    /** Octets written into memory of the peer, with or without Immediate Data behind them. */
    WRITE(OperationKind.WRITE),
    /** Octets read from memory of the peer. */
    READ(OperationKind.READ),
    /** A number of the peer added to, and its value before that fetched. */
    FETCH_ADD(OperationKind.FETCH_ADD),
    /** A number of the peer compared and perhaps replaced, and its value before that fetched. */
    COMPARE_SWAP(OperationKind.COMPARE_SWAP),
    /** Immediate Data sent to a receive of the peer. */
    IMMEDIATE(OperationKind.IMMEDIATE),
    /** A message or Immediate Data of the peer taken by a posted receive. */
    RECEIVE(OperationKind.SEND);

    private final OperationKind kind;

    Operation(OperationKind kind) {
        this.kind = kind;
    }

    /** {@return as what it is counted; a receive as what it took unless that was Immediate Data} */
    OperationKind kind() {
        return kind;
    }
}
