/**
 * The CLAN NIC (seed 003): non-coherent shared memory through apertures, and Tripwires that tell of accesses to it.
 *
 * <p>Actors: {@code node/nic} ({@link dev.weft.tripwire.NicActor}) takes packets and doorbells, {@code node/nic/cam} ({@link
 * dev.weft.tripwire.CamActor}) handles the interrupts of the Tripwires. Both run on the hardware dispatcher's thread. Decisions are in
 * plain classes: {@link dev.weft.tripwire.NicCore}, {@link dev.weft.tripwire.cam.Cam}.
 *
 * <p>Invariants: what one host writes to another arrives in order or not at all, and a gap is told to both (PRAM, section 2.1); a
 * Tripwire fires after the data is visible that it tells of, once for each write that touches its range; nobody writes memory without
 * holding a descriptor of an aperture that is still open.
 */
package dev.weft.tripwire;
