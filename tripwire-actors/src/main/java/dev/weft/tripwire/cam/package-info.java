/**
 * The content-addressable memory of Tripwires (seed 003 section 2.5), in plain Java: which Tripwires does an access touch, which of them
 * fire, and where are they noted. Confined to the hardware thread but for {@link dev.weft.tripwire.cam.Notifications}.
 *
 * <p>Invariants: an access fires each Tripwire at most once; what is matched does not depend on how the access was cut into packets; the
 * cost of a match depends on the access, and on the Tripwires on its first and last line, not on how many there are.
 */
package dev.weft.tripwire.cam;
