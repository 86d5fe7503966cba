package dev.weft.dsm.check;

import java.util.Optional;

/**
 * What was found out about one word.
 *
 * @param word its number
 * @param operations on it
 * @param verdict the answer
 * @param steps work that it took: operations that were tried at a place
 * @param misfit what could not be explained, where the verdict is {@link Verdict#VIOLATED}
 */
public record WordResult(long word, int operations, Verdict verdict, long steps, Optional<Misfit> misfit) {}
