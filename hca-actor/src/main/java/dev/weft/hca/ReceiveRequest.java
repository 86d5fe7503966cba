package dev.weft.hca;

import dev.weft.fabric.Check;

/** A receive work request; reusable, copied when posted. Not thread safe. */
public final class ReceiveRequest {
  final SgList sgList = new SgList();
  long wrId;

  /** Starts a new request without buffers. */
  public ReceiveRequest receive(long id) {
    sgList.clear();
    wrId = id;
    return this;
  }

  public ReceiveRequest sge(long address, int lengthBytes, int lkey) {
    sgList.add(address, lengthBytes, lkey);
    return this;
  }

  public ReceiveRequest sge(MemoryRegion mr, long offset, int lengthBytes) {
    Check.given("mr", mr);
    return sge(mr.addr() + offset, lengthBytes, mr.lkey());
  }
}
