/**
 * Counters of the minipages of a home: which node takes minipages from which, and whether nodes share words or only the minipage around them.
 * Decisions only; written only in the receive context. Begin with {@link dev.weft.dsm.sharing.SharingStatistics}.
 *
 * <p>Bound: {@code weft.dsm.statistics-max} minipages are counted one by one, and the words of a sixteenth of these are sampled. Other minipages
 * count for their array only.
 */
package dev.weft.dsm.sharing;
