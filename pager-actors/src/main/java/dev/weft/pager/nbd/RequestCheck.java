package dev.weft.pager.nbd;

import dev.weft.pager.BlockDevice;
import dev.weft.pager.Errno;

/** Checks requests to one export before they are executed. Any thread. */
final class RequestCheck {
  private final NbdSettings settings;
  private final NbdExport export;
  private final BlockDevice device;
  private final boolean structured;
  private final boolean allocationContext;
  private final long sizeBytes;

  RequestCheck(NbdSettings settings, NbdHandshake.Choice choice) {
    this.settings = settings;
    export = choice.export();
    device = export.device();
    structured = choice.structured();
    allocationContext = choice.allocationContext();
    sizeBytes = device.sizeBytes();
  }

  /** Returns {@link Errno#OK}, or the error that the protocol specifies for the request. */
  int check(Request request) {
    int allowed = switch (request.type) {
      case Nbd.CMD_READ -> Nbd.CMD_FLAG_FUA | (structured ? Nbd.CMD_FLAG_DF : 0);
      case Nbd.CMD_WRITE, Nbd.CMD_FLUSH, Nbd.CMD_TRIM, Nbd.CMD_CACHE -> Nbd.CMD_FLAG_FUA;
      case Nbd.CMD_WRITE_ZEROES -> Nbd.CMD_FLAG_FUA | Nbd.CMD_FLAG_NO_HOLE | Nbd.CMD_FLAG_FAST_ZERO;
      case Nbd.CMD_BLOCK_STATUS -> Nbd.CMD_FLAG_FUA | Nbd.CMD_FLAG_REQ_ONE;
      default -> -1;
    };
    if (allowed < 0 || (request.flags & ~allowed) != 0 || request.type == Nbd.CMD_BLOCK_STATUS && !allocationContext) {
      return Errno.EINVAL;
    }
    boolean writes = request.type == Nbd.CMD_WRITE || request.type == Nbd.CMD_WRITE_ZEROES;
    if (export.readOnly() && (writes || request.type == Nbd.CMD_TRIM)) {
      return Errno.EPERM;
    }
    if (request.type == Nbd.CMD_FLUSH) {
      return request.offset == 0 && request.length == 0 ? Errno.OK : Errno.EINVAL;
    }
    if (request.offset < 0 || request.offset > sizeBytes || request.length > sizeBytes - request.offset) {
      return writes ? Errno.ENOSPC : Errno.EINVAL;
    }
    if (request.has(Nbd.CMD_FLAG_DF) && request.length > Math.max(Nbd.DF_BYTES_MIN, device.maxRequestBytes())) {
      return Errno.EOVERFLOW;
    }
    boolean payload = request.type == Nbd.CMD_WRITE || request.type == Nbd.CMD_READ && !structured;
    return payload && request.length > settings.payloadBytesMax() ? Errno.EINVAL : Errno.OK;
  }
}
