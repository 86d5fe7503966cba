package dev.weft.fabric.trunk;

/**
 * Where a JVM takes trunks, and how long packets may be.
 *
 * @param driverId names its media driver; equal ids share memory
 * @param ipcStreamId its stream in that driver's shared memory, never used by another client of it; 0 for none
 * @param udpAddress {@code host:port}; empty for none
 * @param pathMtuBytes largest payload of a packet in shared memory
 * @param udpPathMtuBytes largest payload of a packet over UDP
 */
public record TrunkAddress(String driverId, int ipcStreamId, String udpAddress, int pathMtuBytes, int udpPathMtuBytes) {}
