package dev.weft.pager.nbd;

import dev.weft.pager.BlockDevice;
import java.nio.charset.StandardCharsets;

/**
 * A device with an export name.
 *
 * @param name the name that clients request, at most 4096 bytes of UTF-8; empty for the default export
 * @param description one line for display; may be empty
 * @param readOnly whether writes fail with EPERM
 */
public record NbdExport(String name, String description, BlockDevice device, boolean readOnly) {
  public NbdExport {
    checkLength("name", name);
    checkLength("description", description);
    int preferred = device.preferredBlockBytes();
    if (preferred < 512 || Integer.bitCount(preferred) != 1 || device.sizeBytes() < 0 || device.maxRequestBytes() < 1) {
      throw new IllegalArgumentException("export '" + name + "': size " + device.sizeBytes() + ", preferred block " + preferred
          + ", longest request " + device.maxRequestBytes()
          + "; the size must not be negative, the block a power of two from 512, the request at least 1 byte");
    }
  }

  private static void checkLength(String what, String value) {
    int bytes = value.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > Nbd.STRING_BYTES_MAX) {
      throw new IllegalArgumentException("export " + what + " has " + bytes + " bytes of UTF-8; at most " + Nbd.STRING_BYTES_MAX);
    }
  }

  int transmissionFlags(boolean structured) {
    int flags = Nbd.HAS_FLAGS | Nbd.SEND_FLUSH | Nbd.SEND_FUA | Nbd.CAN_MULTI_CONN | Nbd.SEND_CACHE;
    flags |= readOnly ? Nbd.READ_ONLY : Nbd.SEND_TRIM | Nbd.SEND_WRITE_ZEROES | Nbd.SEND_FAST_ZERO;
    return structured ? flags | Nbd.SEND_DF : flags;
  }
}
