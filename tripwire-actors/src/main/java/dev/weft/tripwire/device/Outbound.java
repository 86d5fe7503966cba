package dev.weft.tripwire.device;

import dev.weft.fabric.packet.Payload;
import dev.weft.tripwire.driver.MappedAperture;

/**
 * A packet that waits for a link credit. It gets its position in the flow when it leaves.
 *
 * @param mapping the mapping of a store, or null
 * @param offset offset in the mapping
 * @param more whether the same write continues in the next packet
 */
record Outbound(int opcode, int lid, int port, long address, long key, Payload payload, MappedAperture mapping, long offset,
    boolean more) {}
