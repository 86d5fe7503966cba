/**
 * The CLAN NIC (CLAN): non-coherent shared memory through apertures, and Tripwires that watch accesses to it. Begin with
 * {@link dev.weft.tripwire.Nic}.
 *
 * <p>Actors: {@code node/nic} ({@link dev.weft.tripwire.NicActor}) takes packets and doorbells, {@code node/nic/cam}
 * ({@link dev.weft.tripwire.CamActor}) handles the interrupts of the Tripwires. Both run on the hardware thread. Plain classes decide:
 * {@link dev.weft.tripwire.NicCore}, {@link dev.weft.tripwire.cam.Cam}.
 *
 * <p>Invariants: stores of one host to another arrive in order or not at all, and both hosts learn of a gap (PRAM consistency, section 2.1). A
 * Tripwire fires once for each write that touches its range, after the data is visible. A host can write memory only with a descriptor of an open
 * aperture.
 */
package dev.weft.tripwire;
