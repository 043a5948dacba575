package io.iwarp.verbs;

/** What comes of asking for a slot to post with: the slot, or the {@link Refusal} that says why there is none. */
interface Claim {}
