/**
 * The CLAN NIC (CLAN), as programs use it: non-coherent shared memory through apertures, and Tripwires that watch accesses to it. Begin with
 * {@link dev.weft.tripwire.nic.Nic}. Interfaces and values; the classes behind them are in {@code driver} and {@code device}.
 *
 * <p>Invariants: stores of one host to another arrive in order or not at all, and both hosts learn of a gap (PRAM consistency, section 2.1). A
 * Tripwire fires once for each write that touches its range, after the data is visible. A host can write memory only with a descriptor of an open
 * aperture.
 */
package dev.weft.tripwire.nic;
