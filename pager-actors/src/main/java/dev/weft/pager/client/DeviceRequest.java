package dev.weft.pager.client;

import dev.weft.pager.BlockDevice;
import dev.weft.pager.Errno;
import dev.weft.pager.wire.PagerOp;

/** One request to a device. Any thread creates it; then the client actor owns it. */
final class DeviceRequest {
  final PagerOp op;
  final long offset;
  final long length;
  /** The address of the data in the registered pool; 0 for requests without data. */
  final long address;
  final BlockDevice.ExtentSink sink;
  final BlockDevice.Completion completion;
  /** The number of parts that have not ended. */
  int partsLeft;
  /** The first error of a part. */
  int errno = Errno.OK;

  DeviceRequest(PagerOp op, long offset, long length, long address, BlockDevice.ExtentSink sink,
      BlockDevice.Completion completion) {
    this.op = op;
    this.offset = offset;
    this.length = length;
    this.address = address;
    this.sink = sink;
    this.completion = completion;
  }

  /** The part of a request for one server: a range of its area. */
  record Part(DeviceRequest request, int server, long offset, long length) {
    boolean overlaps(long from, long to) {
      return offset < to && from < offset + length;
    }

    long address() {
      return request.address == 0 ? 0 : request.address + (offset - request.offset);
    }
  }
}
