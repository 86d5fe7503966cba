package dev.weft.pager.client;

/** The division of a device among servers: one contiguous area for each server, not striped (HPBD section 4.3.5). */
public final class AreaMap {
  public static final int SERVERS_MAX = 16;

  private final long[] starts;
  private final long sizeBytes;

  /** Creates a map of areas with these sizes in bytes, in order; 1 to {@link #SERVERS_MAX} areas, each size positive. */
  public AreaMap(long[] areaBytes) {
    if (areaBytes.length < 1 || areaBytes.length > SERVERS_MAX) {
      throw new IllegalArgumentException(areaBytes.length + " servers, must be 1 to " + SERVERS_MAX);
    }
    starts = new long[areaBytes.length];
    long at = 0;
    for (int i = 0; i < areaBytes.length; i++) {
      if (areaBytes[i] < 1) {
        throw new IllegalArgumentException("area " + i + " has " + areaBytes[i] + " bytes, must be positive");
      }
      starts[i] = at;
      at = Math.addExact(at, areaBytes[i]);
    }
    sizeBytes = at;
  }

  /** Divides {@code sizeBytes} into {@code servers} areas whose sizes differ by less than {@code servers} blocks. */
  public static AreaMap even(long sizeBytes, int servers, int blockBytes) {
    if (servers < 1 || sizeBytes < (long) servers * blockBytes) {
      throw new IllegalArgumentException("a device of " + sizeBytes + " bytes has no block for each of " + servers + " servers");
    }
    long blocks = sizeBytes / blockBytes;
    long[] areas = new long[servers];
    for (int i = 0; i < servers; i++) {
      areas[i] = (blocks / servers + (i < blocks % servers ? 1 : 0)) * blockBytes;
    }
    areas[servers - 1] += sizeBytes % blockBytes;
    return new AreaMap(areas);
  }

  public int servers() {
    return starts.length;
  }

  public long sizeBytes() {
    return sizeBytes;
  }

  public long start(int server) {
    return starts[server];
  }

  public long end(int server) {
    return server + 1 < starts.length ? starts[server + 1] : sizeBytes;
  }

  public long areaBytes(int server) {
    return end(server) - start(server);
  }

  /** Returns the index of the server that holds the byte at {@code offset}. */
  public int serverAt(long offset) {
    java.util.Objects.checkIndex(offset, sizeBytes);
    int server = starts.length - 1;
    while (starts[server] > offset) {
      server--;
    }
    return server;
  }
}
