/**
 * Who takes what from whom: counters of the minipages of a home, and whether nodes share words or only the minipage around them. Decisions only;
 * used in the receive context, which alone writes them.
 *
 * <p>Bound: {@code weft.dsm.statistics-max} minipages are counted one by one, and of a sixteenth of these the words are looked at; the others count for
 * their array only.
 */
package dev.weft.dsm.sharing;
