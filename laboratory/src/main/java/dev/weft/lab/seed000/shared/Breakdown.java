package dev.weft.lab.seed000.shared;

/**
 * Where the time of a run went: means of its threads, in nanoseconds.
 *
 * @param computingNs what they computed, at its price
 * @param interruptedNs what that took beyond: interrupts, other processes, and calls that do not wait
 * @param readFaultsNs from an access to the first instruction after it
 * @param writeFaultsNs the same
 * @param locksNs to take locks and to give them back
 * @param imbalanceNs at barriers, until the last thread came
 * @param barriersNs at barriers, after that
 */
public record Breakdown(double computingNs, double interruptedNs, double readFaultsNs, double writeFaultsNs, double locksNs, double imbalanceNs,
    double barriersNs) {
  /** All of it. */
  public double allNs() {
    return computingNs + interruptedNs + readFaultsNs + writeFaultsNs + locksNs + imbalanceNs + barriersNs;
  }
}
