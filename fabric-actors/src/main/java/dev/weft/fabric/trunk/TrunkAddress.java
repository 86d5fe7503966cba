package dev.weft.fabric.trunk;

/**
 * The address at which a JVM accepts trunks, and the largest payloads.
 *
 * @param driverId identifies its media driver; JVMs with the same id share memory
 * @param ipcStreamId its stream in the shared memory of that driver, which no other client of the driver ever uses; 0 for none
 * @param udpAddress {@code host:port}; empty for none
 * @param pathMtuBytes largest payload of a packet in shared memory
 * @param udpPathMtuBytes largest payload of a packet over UDP
 * @param processId number of its process; 0 if no peer may read its memory
 * @param tableAddress address in that process of the table of its {@link dev.weft.fabric.memory.SharedMemory}
 * @param processValue first word of that table; a peer compares it to find out whether it can read the memory
 */
public record TrunkAddress(String driverId, int ipcStreamId, String udpAddress, int pathMtuBytes, int udpPathMtuBytes, long processId,
    long tableAddress, long processValue) {

  /** Makes the address of a JVM whose memory no peer reads. */
  public TrunkAddress(String driverId, int ipcStreamId, String udpAddress, int pathMtuBytes, int udpPathMtuBytes) {
    this(driverId, ipcStreamId, udpAddress, pathMtuBytes, udpPathMtuBytes, 0, 0, 0);
  }
}
