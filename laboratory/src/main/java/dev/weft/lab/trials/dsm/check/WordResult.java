package dev.weft.lab.trials.dsm.check;

import java.util.Optional;

/**
 * The result of checking one word.
 *
 * @param word number of the word
 * @param operations number of operations on it
 * @param verdict the result
 * @param steps work: operations that were tried at a place
 * @param misfit the violation, if the verdict is {@link Verdict#VIOLATED}
 */
public record WordResult(long word, int operations, Verdict verdict, long steps, Optional<Misfit> misfit) {}
