/**
 * The hardware of a CLAN NIC: its port, flows, DMA engine and multicast. {@link dev.weft.tripwire.device.NicDevice} starts it.
 *
 * <p>Actors: {@code node/nic} ({@link dev.weft.tripwire.device.NicActor}) takes packets and doorbells, {@code node/nic/cam}
 * ({@link dev.weft.tripwire.device.CamActor}) handles the interrupts of the Tripwires. Both run on the hardware thread. Plain classes decide:
 * {@link dev.weft.tripwire.device.NicCore}, {@link dev.weft.tripwire.cam.Cam}.
 */
package dev.weft.tripwire.device;
