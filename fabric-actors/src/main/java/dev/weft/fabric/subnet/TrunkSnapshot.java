package dev.weft.fabric.subnet;

import dev.weft.fabric.trunk.TrunkCable;
import dev.weft.fabric.trunk.TrunkReceiver;

/**
 * A trunk at one moment.
 *
 * @param jvm the peer, {@code host:port}
 * @param portNumber port of the local switch, 0 while it is not attached
 * @param overUdp false over shared memory
 * @param up whether packets pass
 * @param maxPayloadBytes longest payload of a packet
 */
public record TrunkSnapshot(
    String jvm,
    int portNumber,
    boolean overUdp,
    boolean up,
    int maxPayloadBytes,
    TrunkCable.Counters sent,
    TrunkReceiver.Counters received) {}
