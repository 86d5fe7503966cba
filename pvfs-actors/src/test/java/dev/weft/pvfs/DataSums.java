package dev.weft.pvfs;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** Checksums of the data of requests, made as the description of the protocol says, and without its code. */
public final class DataSums {
  private DataSums() {}

  /**
   * Of data that belongs to ranges of an object.
   *
   * @param ranges offset and bytes of each
   */
  public static int of(long object, byte[] data, long... ranges) {
    ByteBuffer place = ByteBuffer.allocate(8 + 8 * ranges.length).order(ByteOrder.LITTLE_ENDIAN).putLong(object);
    for (long each : ranges) {
      place.putLong(each);
    }
    CRC32C sum = new CRC32C();
    sum.update(place.flip());
    sum.update(data);
    return (int) sum.getValue();
  }
}
