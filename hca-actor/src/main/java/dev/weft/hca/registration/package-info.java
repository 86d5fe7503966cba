/**
 * When memory is registered and deregistered: strategies behind one interface (seed 002 sections 5.3 and 5.4).
 *
 * <p>Invariants: a registration that somebody holds is never deregistered by a strategy; memory that was freed is never found again
 * under its former registration; what is kept without being held is bounded in count and in bytes.
 */
package dev.weft.hca.registration;
