package dev.weft.fabric.subnet;

import dev.weft.fabric.trunk.TrunkCable;
import dev.weft.fabric.trunk.TrunkReceiver;

/**
 * The state of a trunk.
 *
 * @param jvm the peer, {@code host:port}
 * @param portNumber port of the local switch, 0 while it is not attached
 * @param overUdp true for UDP, false for shared memory
 * @param up whether packets pass and the cluster's failure detector hears the peer
 * @param maxPayloadBytes largest payload of a packet
 */
public record TrunkSnapshot(
    String jvm,
    int portNumber,
    boolean overUdp,
    boolean up,
    int maxPayloadBytes,
    TrunkCable.Counters sent,
    TrunkReceiver.Counters received) {}
