package dev.weft.fabric.trunk;

/**
 * Where a JVM takes trunks, and how long packets may be.
 *
 * @param driverId names its media driver; equal ids share memory
 * @param ipcStreamId its stream in that driver's shared memory, never used by another client of it; 0 for none
 * @param udpAddress {@code host:port}; empty for none
 * @param pathMtuBytes largest payload of a packet in shared memory
 * @param udpPathMtuBytes largest payload of a packet over UDP
 * @param processId its process; 0 if nobody is to read its memory
 * @param tableAddress where in that process the table of its {@link dev.weft.fabric.memory.SharedMemory} is
 * @param processValue what that table begins with, by which a peer finds out whether it can read there
 */
public record TrunkAddress(String driverId, int ipcStreamId, String udpAddress, int pathMtuBytes, int udpPathMtuBytes, long processId,
    long tableAddress, long processValue) {

  /** Of a JVM whose memory nobody reads. */
  public TrunkAddress(String driverId, int ipcStreamId, String udpAddress, int pathMtuBytes, int udpPathMtuBytes) {
    this(driverId, ipcStreamId, udpAddress, pathMtuBytes, udpPathMtuBytes, 0, 0, 0);
  }
}
