/**
 * The content-addressable memory of Tripwires (CLAN, section 2.5), in plain Java: which Tripwires an access touches, which of them fire, and where
 * firings are recorded. Begin with {@link dev.weft.tripwire.cam.Cam}. Confined to the hardware thread except for
 * {@link dev.weft.tripwire.cam.Notifications}, {@link dev.weft.tripwire.cam.RequestRing} and the phase of
 * {@link dev.weft.tripwire.cam.PassingStream}.
 *
 * <p>Invariants: an access fires each Tripwire at most once. The matches do not depend on how the access was cut into packets. The cost of a match
 * depends on the access, and on the Tripwires on its first and last line, not on their total number.
 */
package dev.weft.tripwire.cam;
